"""The socket that the service listens on."""

from __future__ import annotations

import socket

import pytest

from upheld.errors import UsageError
from upheld_service.http.connections import listening


def test_connections_send_at_once_what_they_are_given() -> None:
    """Else the body of a reply waits until its head is acknowledged."""
    with listening("127.0.0.1", 0) as bound:
        address = bound.getsockname()
        with socket.create_connection(address), bound.accept()[0] as taken:
            assert taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_port_that_is_taken_is_named_with_what_to_do() -> None:
    with listening("127.0.0.1", 0) as bound:
        port = bound.getsockname()[1]
        with pytest.raises(UsageError, match=f"Port {port} of 127.0.0.1 cannot be used") as refused:
            listening("127.0.0.1", port)
    assert "--port" in refused.value.help

"""A socket to listen on, whose connections send at once what they are given."""

from __future__ import annotations

import socket

from upheld.errors import UsageError

BACKLOG = 2048  # as uvicorn has it


def listening(host: str, port: int) -> socket.socket:
    """Connections inherit that they do not wait to fill a packet.

    asyncio asks for that only where a socket names its protocol, and these do not: the body of a
    reply would wait until the client has acknowledged its head, which takes 40 ms.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        bound = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except (OSError, OverflowError) as error:
        raise UsageError(
            f"Port {port} of {host} cannot be used: {error}.", help="Choose another --port."
        ) from error
    bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return bound

"""Whom `upheld mcp --http` serves."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from upheld.errors import SettingsError, UsageError
from upheld.settings import load_settings
from upheld_service.mcp.serve import is_loopback, serve_http


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_this_machine(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example.com", "localhost.evil", ""])
async def test_beyond_this_machine_a_key_is_needed(host: str, tmp_path: Path) -> None:
    assert not is_loopback(host)
    settings = load_settings(kb=str(tmp_path / "kb"))
    with pytest.raises(UsageError, match="UPHELD_MCP_KEY"):
        await serve_http(settings, None, host=host, port=0, ready=pytest.fail)
    assert not (tmp_path / "kb").exists()


async def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    settings = load_settings(kb=str(tmp_path / "kb"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match="another --port"):
            await serve_http(settings, None, host="127.0.0.1", port=port, ready=pytest.fail)


def test_a_key_that_could_be_guessed_is_refused() -> None:
    with pytest.raises(SettingsError, match="mcp_key") as refused:
        load_settings(mcp_key="hunter2")
    assert "hunter2" not in str(refused.value)

"""Uvicorn as we run it: quiet, and drained before it ends."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI

DRAIN_SECONDS = 30  # for requests under way; then they are cut off


class Server(uvicorn.Server):
    """Tells its address when it can be reached."""

    def __init__(self, app: FastAPI, host: str, port: int, started: Callable[[str], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                host=host,
                port=port,
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=False,  # who calls is decided by the key, and in dev by the socket
                timeout_graceful_shutdown=DRAIN_SECONDS,
            )
        )
        self._tell = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            host, port = self.servers[0].sockets[0].getsockname()[:2]
            self._tell(f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}")

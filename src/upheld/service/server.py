"""Uvicorn as we run it: quiet, and drained before it ends."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI

from upheld.service.admission.admission import Admission
from upheld.service.http.patience import patient

DRAIN_SECONDS = 30  # for requests under way; then they are cut off
_LAST_SECONDS = 5  # for replies to whoever was refused meanwhile
_LOOK_SECONDS = 0.1


class Server(uvicorn.Server):
    """Tells its address when it can be reached."""

    def __init__(self, app: FastAPI, host: str, port: int, started: Callable[[str], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                host=host,
                port=port,
                http=patient(app.state.settings),
                log_config=None,  # logs are the process's own matter
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=False,  # who calls is decided by the key, and in dev by the socket
                timeout_graceful_shutdown=_LAST_SECONDS,
            )
        )
        self._tell = started
        self._admission: Admission = app.state.admission

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            host, port = self.servers[0].sockets[0].getsockname()[:2]
            self._tell(f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}")

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Who is inside is served; who comes meanwhile is told to come back, and not left out."""
        draining = asyncio.ensure_future(self._admission.drain(DRAIN_SECONDS))
        while not draining.done() and not self.force_exit:  # a second Ctrl-C
            await asyncio.wait((draining,), timeout=_LOOK_SECONDS)
        draining.cancel()
        await super().shutdown(sockets)

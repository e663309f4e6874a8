"""The service as an ASGI application, `create_app(settings)`, and the server that runs it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from uuid import UUID

import uvicorn
from fastapi import FastAPI

from upheld.settings import Settings
from upheld.version import __version__
from upheld_service.admission.admission import Admission, Limits
from upheld_service.admission.quotas import Uploads
from upheld_service.auth.middleware import AuthMiddleware, tenant_of
from upheld_service.http import page, problems
from upheld_service.http.bodies import MEGABYTE, BodyLimit, HeldBytes, moves_file
from upheld_service.http.connections import Lingering
from upheld_service.http.deadline import Deadline
from upheld_service.http.patience import patient
from upheld_service.http.reference import reference_route
from upheld_service.jobs.worker import working
from upheld_service.resources import opened
from upheld_service.routes import (
    answers,
    chat,
    documents,
    guarantee,
    health,
    history,
    jobs,
    originals,
    reviews,
    session,
    verify,
)
from upheld_service.telemetry.http import Seen, metrics_route
from upheld_service.telemetry.metrics import Metrics
from upheld_service.telemetry.stalls import watched

_READ_SECONDS = 20.0
_AFTER_ANSWER = 10.0  # an answer has a deadline of its own


def create_app(settings: Settings, *, dev: UUID | None = None, works: bool = True) -> FastAPI:
    """Create the application; it opens its resources on startup and closes them on shutdown.

    `dev` is the tenant of local requests without a key. Without `works`, jobs are left to other
    processes.
    """
    metrics = Metrics()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with opened(settings, metrics, dev=dev) as service:
            app.state.service = service
            async with watched(metrics.lag), working(service) if works else nullcontext():
                yield

    app = FastAPI(
        title="Upheld",
        summary="Answers in which every sentence is upheld by a source, or marked as not.",
        version=__version__,
        lifespan=lifespan,
        responses=problems.RESPONSES,
        docs_url=None,  # ours loads nothing from a CDN
        redoc_url=None,
        redirect_slashes=False,  # the address would be made from the request's Host header
        # Its own logs and inner spans would contain error messages.
        telemetry={"logs": False, "operation_spans": False},
    )
    app.state.settings = settings
    app.state.admission = Admission(Limits.of(settings), changed=metrics.load)
    app.state.held = HeldBytes.of(settings)
    app.state.uploads = Uploads.of(settings)
    app.state.readiness = health.KnownStates()
    problems.install(app)
    for routes in (
        answers,
        history,
        verify,
        chat,
        documents,
        originals,
        guarantee,
        reviews,
        jobs,
        session,
        health,
    ):
        app.include_router(routes.router)
    if (key := settings.metrics_key) is not None:
        app.add_api_route("/metrics", metrics_route(metrics, key), include_in_schema=False)
    app.add_api_route("/docs", reference_route(app), include_in_schema=False)
    page.install(app)
    # The middleware added last is the first to see a request.
    app.add_middleware(
        BodyLimit,
        body_bytes=settings.max_request_mb * MEGABYTE,
        file_bytes=settings.max_file_mb * MEGABYTE,
        held=app.state.held,
    )
    app.add_middleware(AuthMiddleware)
    longest = settings.answer_seconds + _AFTER_ANSWER
    app.add_middleware(
        Deadline,
        seconds={"GET": _READ_SECONDS, "DELETE": _READ_SECONDS, "POST": longest},
        exempt=moves_file,
    )
    app.add_middleware(problems.Caught)
    app.add_middleware(Seen, metrics=metrics, tenant_of=tenant_of)
    app.add_middleware(Lingering)
    return app


DRAIN_SECONDS = 30  # for running requests; then they are cancelled
_LAST_SECONDS = 5  # for replies to requests that were refused meanwhile
_LOOK_SECONDS = 0.1


class Server(uvicorn.Server):
    """A server that reports its address once it listens, and drains before it stops."""

    def __init__(self, app: FastAPI, host: str, port: int, started: Callable[[str], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                host=host,
                port=port,
                http=patient(app.state.settings),
                log_config=None,  # the process configures its own logs
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=False,  # the key decides who calls, and in dev the socket
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
        """Finish running requests; new ones meanwhile get a 503 with Retry-After."""
        draining = asyncio.ensure_future(self._admission.drain(DRAIN_SECONDS))
        while not draining.done() and not self.force_exit:  # unless Ctrl-C is pressed again
            await asyncio.wait((draining,), timeout=_LOOK_SECONDS)
        draining.cancel()
        await super().shutdown(sockets)

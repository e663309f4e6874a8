"""Observability over HTTP: one middleware around everything, and one route.

app.add_middleware(Seen, metrics=metrics, tenant_of=tenant_of)
app.add_api_route("/metrics", metrics_route(metrics, key), include_in_schema=False)
kb.ask(question, options=AskOptions(listener=metrics.event))  # then metrics.answered(answer)
"""

from __future__ import annotations

import hmac
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from opentelemetry import propagate, trace
from opentelemetry.trace import SpanKind, StatusCode
from pydantic import SecretStr
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from upheld.errors import UnknownCallerError
from upheld.types import new_id
from upheld_service.telemetry.logs import request_id
from upheld_service.telemetry.metrics import OTHER, Metrics

log = logging.getLogger("upheld.service.http")
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
UNMATCHED = "unmatched"  # a path without a route may contain anything
LEFT = 499  # the client left before the reply began
TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8"


def _nobody(_scope: Scope) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Seen:
    """Gives every request an id, a span, a log line and metrics.

    The id is always ours: one sent by a caller could contain anything.
    """

    app: ASGIApp
    metrics: Metrics
    tenant_of: Callable[[Scope], str | None] = _nobody

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        reply = _Reply(send)
        token = request_id.set(reply.id)
        started = time.perf_counter()
        span = trace.get_tracer("upheld").start_as_current_span(
            "request",
            context=propagate.extract(Headers(scope=scope)),
            kind=SpanKind.SERVER,
            record_exception=False,
            set_status_on_exception=False,
        )
        try:
            with span as current:
                error: BaseException | None = None
                try:
                    await self.app(scope, receive, reply)
                except BaseException as raised:
                    error = raised
                    raise
                finally:
                    self._tell(scope, reply, error, time.perf_counter() - started, current)
        finally:
            request_id.reset(token)

    def _tell(
        self,
        scope: Scope,
        reply: _Reply,
        error: BaseException | None,
        seconds: float,
        span: trace.Span,
    ) -> None:
        failed = isinstance(error, Exception)
        status = reply.status or (500 if failed else LEFT)
        method = scope["method"] if scope["method"] in METHODS else OTHER
        route = _template(scope)
        self.metrics.request(method, route, status, seconds)
        told = {
            "method": method,
            "route": route,
            "status": status,
            "seconds": round(seconds, 6),
            "tenant": self.tenant_of(scope),
        }
        log.log(
            logging.ERROR if failed else logging.INFO,
            "request",
            extra=told,
            exc_info=error if failed else None,
        )
        span.update_name(f"{method} {route}")
        span.set_attribute("http.request.method", method)
        span.set_attribute("http.route", route)
        span.set_attribute("http.response.status_code", status)
        if status >= 500:
            span.set_attribute("error.type", type(error).__name__ if error else str(status))
            span.set_status(StatusCode.ERROR)


@dataclass(slots=True)
class _Reply:
    """Forwards messages with the request's id, and stores the status."""

    send: Send
    id: str = field(default_factory=new_id)
    status: int | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            MutableHeaders(scope=message)["x-request-id"] = self.id
        await self.send(message)


def _template(scope: Scope) -> str:
    """Return the template of the route, such as `/v1/answers/{id}`, not the path."""
    path: Any = getattr(scope.get("route"), "path", None)
    return path if isinstance(path, str) else UNMATCHED


def metrics_route(metrics: Metrics, key: SecretStr) -> Callable[[Request], Awaitable[Response]]:
    """Return the handler of `GET /metrics`, which needs the key as a bearer token.

    The metrics name no tenant, but show how much is asked and what fails.
    """
    expected = f"Bearer {key.get_secret_value()}".encode()

    async def read(request: Request) -> Response:
        given = request.headers.get("authorization", "").encode()
        if not hmac.compare_digest(given, expected):
            raise UnknownCallerError(
                "Metrics need the service's metrics_key.",
                help="Send the header Authorization: Bearer KEY.",
            )
        return Response(metrics.text(), media_type=TEXT_FORMAT)

    return read

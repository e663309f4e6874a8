"""A small service around the knowledge base on fakes, mounted with what makes it seen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Scope

from tests.unit.fake_kb import kb
from upheld._internal.to_json import to_json
from upheld.ask_options import AskOptions
from upheld.client import AsyncUpheld
from upheld.settings import load_settings
from upheld_lab.testing.fake_llm import Script
from upheld_service.admission.admission import Admission, Limits
from upheld_service.telemetry.http import Seen, metrics_route
from upheld_service.telemetry.metrics import Metrics

TENANT = UUID(int=7)
METRICS_KEY = SecretStr("a key that Prometheus has")
WITH_KEY = {"Authorization": f"Bearer {METRICS_KEY.get_secret_value()}"}


def tenant_of(scope: Scope) -> str | None:
    return str(TENANT) if scope["path"].startswith("/v1") else None


def app(opened: AsyncUpheld, metrics: Metrics) -> Starlette:
    admission = Admission(Limits.of(load_settings()), changed=metrics.load)

    async def ask(request: Request) -> Response:
        async with admission.admitted(TENANT):
            asked = (await request.json())["question"]
            answer = await opened.ask(asked, options=AskOptions(listener=metrics.event))
        metrics.answered(answer)
        return JSONResponse(to_json(answer))

    async def one(request: Request) -> Response:
        return PlainTextResponse("not found", status_code=404)

    async def broken(request: Request) -> Response:
        try:
            raise ValueError((await request.body()).decode())
        except ValueError as error:
            raise RuntimeError(f"while it was read: {error}") from error

    return Starlette(
        routes=[
            Route("/v1/answers", ask, methods=["POST"]),
            Route("/v1/answers/{id}", one),
            Route("/v1/broken", broken, methods=["POST"]),
            Route("/metrics", metrics_route(metrics, METRICS_KEY)),
        ],
        middleware=[Middleware(Seen, metrics=metrics, tenant_of=tenant_of)],
    )


@asynccontextmanager
async def caller(
    tmp_path: Path, metrics: Metrics, script: Script | None = None, **more: Any
) -> AsyncIterator[httpx2.AsyncClient]:
    """Calls it without a network; what it raises becomes a reply, as behind a server."""
    opened = await kb(tmp_path, script, **more)
    transport = httpx2.ASGITransport(app(opened, metrics), raise_app_exceptions=False)
    async with opened, httpx2.AsyncClient(transport=transport, base_url="http://here") as client:
        yield client

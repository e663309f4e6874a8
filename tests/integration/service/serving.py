"""A running application and clients of it, without a socket between them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from uuid import UUID, uuid4

import httpx2
from fastapi import FastAPI
from pydantic import SecretStr

from tests.integration.places import Place
from tests.servers.postgres import State
from upheld.settings import Settings, load_settings
from upheld_service.app import create_app
from upheld_service.db import keys, tenants
from upheld_service.db.database import admin_session
from upheld_service.db.keys import KeyScope
from upheld_service.db.queue import worker_app
from upheld_service.jobs.tasks import bodies

METRICS_KEY = SecretStr("a key that Prometheus has")
WITH_METRICS_KEY = {"Authorization": f"Bearer {METRICS_KEY.get_secret_value()}"}


def service_settings(state: State, place: Place, **more: object) -> Settings:
    """Without models: the quote writer answers at once, and tests ask more often than people."""
    given: dict[str, object] = {
        "kb": place.root,
        "storage": place.storage_options,
        "local_models": False,
        "tenant_burst": 10_000,
        "metrics_key": METRICS_KEY,
        **more,
    }
    return load_settings(database_url=state.service, **given)


@asynccontextmanager
async def running(settings: Settings, *, dev: UUID | None = None) -> AsyncIterator[FastAPI]:
    app = create_app(settings, dev=dev, works=False)
    async with app.router.lifespan_context(app):
        yield app


def client(app: FastAPI, key: SecretStr | None = None) -> httpx2.AsyncClient:
    headers = {} if key is None else {"Authorization": f"Bearer {key.get_secret_value()}"}
    transport = httpx2.ASGITransport(app=app)
    return httpx2.AsyncClient(transport=transport, base_url="http://localhost", headers=headers)


async def new_key(
    state: State,
    *,
    tenant: str | None = None,
    scopes: Iterable[KeyScope] = KeyScope,
    labels: Iterable[str] | None = None,
) -> SecretStr:
    """A key of a tenant by name, who is made if need be."""
    async with admin_session(state.owner) as admin:
        known = {each.name: each for each in await tenants.listed(admin)}
        name = tenant or f"tenant-{uuid4().hex[:8]}"
        of = known.get(name) or await tenants.add(admin, name)
        _, secret = await keys.add(admin, of, scopes=scopes, labels=labels, expires_at=None)
        return secret


async def work_off(app: FastAPI, state: State, *, seconds: float = 300.0) -> None:
    """Run every job that waits, and those that they ask for; what takes longer goes back."""
    jobs = worker_app(state.service, bodies(app.state.service))
    async with jobs.open_async():
        await jobs.run_worker_async(
            wait=False,
            install_signal_handlers=False,
            listen_notify=False,
            shutdown_graceful_timeout=seconds,
        )


async def give(caller: httpx2.AsyncClient, id: str, text: str, *labels: str) -> httpx2.Response:
    """A text document for the collection `staff`."""
    reply = await caller.put(
        f"/v1/collections/staff/documents/{id}",
        content=text.encode(),
        headers={"Content-Type": "text/plain; charset=utf-8"},
        params={"label": list(labels)},
    )
    assert reply.status_code == 202, reply.text
    return reply


async def ask(caller: httpx2.AsyncClient, question: str, **more: object) -> httpx2.Response:
    body = {"question": question, "collection": "staff", **more}
    return await caller.post("/v1/answers", json=body)

"""Who gets in, what strangers see, and how a request that is too large ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import httpx2
import pytest
from fastapi import FastAPI
from pydantic import SecretStr

from tests.integration.places import Place
from tests.integration.service.people import new_tenant
from tests.integration.service.serving import (
    WITH_METRICS_KEY,
    client,
    new_key,
    running,
    service_settings,
)
from tests.servers.postgres import State
from upheld_service.db.database import Database
from upheld_service.db.keys import KeyScope
from upheld_service.http.error_bodies import is_spoken

pytestmark = pytest.mark.real


@pytest.fixture
async def app(state: State, tmp_path: Path) -> AsyncIterator[FastAPI]:
    settings = service_settings(state, Place(str(tmp_path)), max_request_mb=1)
    async with running(settings) as started:
        yield started


def shape(reply: httpx2.Response) -> tuple[object, ...]:
    by_chance = ("date", "x-request-id", "connection")  # the last tells whether a body was sent
    headers = {name: value for name, value in reply.headers.items() if name not in by_chance}
    return reply.status_code, sorted(headers.items()), reply.json()


async def test_every_invalid_key_gets_the_same_reply_on_every_route(
    state: State, app: FastAPI
) -> None:
    key = (await new_key(state)).get_secret_value()
    other = (await new_key(state)).get_secret_value()
    wrong = [None, "", "Basic abc", "Bearer", "Bearer nonsense", f"Bearer {key[:-1]}", key]
    wrong += [f"Bearer {key[:21]}{other[21:]}", "Bearer uph_0000000000000000_" + "a" * 43]
    seen, seen_by_openai = set(), set()
    async with client(app) as stranger:
        for authorization in wrong:
            headers = {} if authorization is None else {"Authorization": authorization}
            for method, path, body in (
                ("POST", "/v1/answers", b"{}"),
                ("POST", "/v1/answers", b"no json"),
                ("GET", "/v1/jobs", b""),
                ("GET", "/v1/nothing/of/the/kind", b""),
                ("PATCH", "/v1", b"x" * 1_100_000),
            ):
                reply = await stranger.request(method, path, content=body, headers=headers)
                seen.add(repr(shape(reply)))
            for method, path in (
                ("POST", "/v1/chat/completions"),
                ("GET", "/v1/chat/nothing"),
                ("GET", "/v1/models"),
            ):
                theirs = await stranger.request(method, path, content=b"x", headers=headers)
                seen_by_openai.add(repr(shape(theirs)))
    assert (len(seen), len(seen_by_openai)) == (1, 1)
    assert theirs.json()["error"]["code"] == "unknown_caller"
    assert reply.status_code == 401
    assert reply.headers["www-authenticate"] == "Bearer"
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json()["code"] == "unknown_caller"


async def test_a_key_opens_what_it_is_for_and_nothing_else(state: State, app: FastAPI) -> None:
    async with client(app, await new_key(state, scopes=[KeyScope.ASK])) as asker:
        reply = await asker.get("/v1/jobs")
        assert (reply.status_code, reply.json()["code"]) == (403, "not_allowed")
        reply = await asker.get("/v1/nothing")
        assert (reply.status_code, reply.json()["code"]) == (404, "not_found")
        reply = await asker.get("/v1/verify")
        assert (reply.status_code, reply.json()["code"]) == (405, "method_not_allowed")


@pytest.mark.parametrize(
    ("host", "near", "enters"),
    [
        ("localhost:8000", "127.0.0.1", True),
        ("127.0.0.1", "127.0.0.1", True),
        ("[::1]:8000", "::1", True),
        ("evil.example:8000", "127.0.0.1", False),
        ("localhost", "10.0.0.7", False),
    ],
)
async def test_in_dev_only_this_machine_needs_no_key(
    state: State, tmp_path: Path, host: str, near: str, enters: bool
) -> None:
    dev: UUID = await new_tenant(state.owner)
    async with running(service_settings(state, Place(str(tmp_path))), dev=dev) as app:
        transport = httpx2.ASGITransport(app=app, client=(near, 1))
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as caller:
            reply = await caller.get("/v1/jobs", headers={"Host": host})
            assert reply.status_code == (200 if enters else 401)
            word = {"Host": host, "Authorization": "Bearer dev"}
            assert (await caller.get("/v1/jobs", headers=word)).status_code == reply.status_code
            wrong = {"Host": host, "Authorization": "Bearer uph_wrong"}
            assert (await caller.get("/v1/jobs", headers=wrong)).status_code == 401


async def test_too_large_a_body_is_refused_by_its_length_and_by_its_bytes(
    state: State, app: FastAPI
) -> None:
    async with client(app, await new_key(state)) as caller:
        reply = await caller.post("/v1/answers", content=b"x" * 1_000_001)
        assert (reply.status_code, reply.json()["code"]) == (413, "too_large")

        async def chunks() -> AsyncIterator[bytes]:
            for _ in range(11):
                yield b"x" * 100_000

        reply = await caller.post(
            "/v1/answers", content=chunks(), headers={"Content-Type": "application/json"}
        )
        assert reply.status_code == 413
        assert reply.headers["content-type"] == "application/problem+json"


async def test_health_and_readiness(app: FastAPI) -> None:
    async with client(app) as anyone:
        assert (await anyone.get("/healthz")).json() == {"status": "ok"}
        reply = await anyone.get("/readyz")
    assert reply.status_code == 200
    ok, off = {"status": "ok", "reason": ""}, {"status": "off", "reason": ""}
    parts = {"database": ok, "storage": ok, "admission": ok} | dict.fromkeys(
        ("embedder", "verifier", "grader", "llm"), off
    )
    assert reply.json() == {"ready": True, "parts": parts}


async def test_without_a_database_the_process_lives_and_says_what_is_missing(
    tmp_path: Path, state: State
) -> None:
    settings = service_settings(state, Place(str(tmp_path)))
    nowhere = SecretStr("postgresql://nobody@127.0.0.1:1/none")
    async with (
        running(settings.model_copy(update={"database_url": nowhere})) as app,
        client(app) as anyone,
        asyncio.timeout(20),
    ):
        assert (await anyone.get("/healthz")).status_code == 200
        reply = await anyone.get("/readyz")
        assert reply.status_code == 503
        failed = {"status": "failed", "reason": "StateUnavailableError"}
        assert reply.json()["parts"]["database"] == failed
        reply = await anyone.get("/v1/jobs")
        assert (reply.status_code, reply.json()["code"]) == (503, "state_unavailable")
        assert reply.headers["retry-after"] == "1"


async def test_metrics_are_for_whoever_has_their_key(state: State, app: FastAPI) -> None:
    async with client(app) as anyone, client(app, await new_key(state)) as tenant:
        for caller in (anyone, tenant):
            refused = await caller.get("/metrics")
            assert (refused.status_code, refused.json()["code"]) == (401, "unknown_caller")
            assert "upheld_" not in refused.text
        wrong = {"Authorization": "Bearer a key that Prometheus hasn't"}
        assert (await anyone.get("/metrics", headers=wrong)).status_code == 401
        read = await anyone.get("/metrics", headers=WITH_METRICS_KEY)
        assert "upheld_http_requests_total" in read.text


async def test_without_a_key_there_are_no_metrics(state: State, tmp_path: Path) -> None:
    settings = service_settings(state, Place(str(tmp_path)), metrics_key=None)
    async with running(settings) as app, client(app) as anyone:
        assert (await anyone.get("/metrics")).status_code == 404


async def test_no_reply_leads_to_the_host_that_was_asked_for(state: State, app: FastAPI) -> None:
    async with client(app, await new_key(state)) as caller:
        for path in ("/v1/jobs/", "/v1/collections/", "/healthz/", "/docs/", "//v1/jobs"):
            reply = await caller.get(path, headers={"Host": "evil.example"})
            assert reply.status_code == 404
            assert "evil.example" not in f"{reply.headers} {reply.text}"


async def test_what_is_unexpected_is_told_without_its_words(
    state: State, app: FastAPI, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fall(*_: object, **__: object) -> None:
        raise RuntimeError("secret words")

    key = await new_key(state)
    monkeypatch.setattr(Database, "session", fall)
    async with client(app, key) as caller:
        reply = await caller.get("/v1/jobs")
    assert (reply.status_code, reply.json()["code"]) == (500, "unexpected")
    assert "secret words" not in reply.text + caplog.text
    assert "RuntimeError" in caplog.text


def test_every_route_declares_its_problems(app: FastAPI) -> None:
    for path, methods in app.openapi()["paths"].items():
        for operation in methods.values():
            for code in ("422", "4XX", "5XX"):
                content = operation["responses"][code]["content"]
                told = "application/json" if is_spoken(path) else "application/problem+json"
                assert list(content) == [told], path

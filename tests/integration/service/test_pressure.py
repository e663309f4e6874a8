"""A service that is full, stops or hangs for one tenant: who is refused is told so at once."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from uuid import UUID

import httpx2
import pytest

from tests.integration.places import Place
from tests.integration.service.listening import hung_model, listening, remote
from tests.integration.service.serving import (
    WITH_METRICS_KEY,
    ask,
    client,
    give,
    new_key,
    running,
    service_settings,
    work_off,
)
from tests.integration.service.sse import events
from tests.servers.postgres import State
from upheld.resources.open import Resources, Shared, join
from upheld.settings import Settings
from upheld_service.tenants import indexes as knowledge

pytestmark = pytest.mark.real
QUESTION = "When does the lighthouse open?"
TEXT = "The lighthouse opens at nine."


async def test_a_tenant_beyond_its_rate_is_told_when_to_come_back(
    own_state: State, tmp_path: Path
) -> None:
    settings = service_settings(
        own_state, Place(str(tmp_path)), tenant_burst=2, tenant_per_minute=1
    )
    async with running(settings) as app:
        for _ in range(2):  # one tenant's limit is not another's
            async with client(app, await new_key(own_state)) as caller:
                await give(caller, "rota", TEXT)
                await work_off(app, own_state)
                assert (await ask(caller, QUESTION)).status_code == 200
                body = {"answer": TEXT, "sources": [TEXT]}
                assert (await caller.post("/v1/verify", json=body)).status_code == 200
                for stream in (False, True):
                    refused = await ask(caller, QUESTION, stream=stream)
                    assert refused.status_code == 429
                    assert refused.json()["code"] == "tenant_limit"
                    assert 50 < int(refused.headers["retry-after"]) <= 60
                assert (await caller.get("/v1/jobs")).status_code == 200  # looking costs nothing


@pytest.mark.parametrize("stream", [False, True])
async def test_a_place_is_held_to_the_end_and_then_free(
    own_state: State, tmp_path: Path, stream: bool
) -> None:
    async with asyncio.timeout(100), hung_model() as model:
        settings = service_settings(
            own_state, Place(str(tmp_path)), llm_url=model.url, llm_model="m", at_once=1, waiting=1
        )
        async with (
            listening(settings) as (app, url),
            remote(url, await new_key(own_state)) as caller,
            remote(url, await new_key(own_state)) as other,
        ):
            await give(caller, "rota", TEXT)
            await give(other, "rota", TEXT)
            await work_off(app, own_state)
            asking = asyncio.create_task(ask(caller, QUESTION, stream=stream))
            await model.asked.wait()
            counted = (await caller.get("/metrics", headers=WITH_METRICS_KEY)).text
            assert "upheld_requests_in_progress 1.0" in counted
            # One may wait, as long as it has time; the next is refused at once.
            began = time.monotonic()
            waiting = asyncio.create_task(ask(other, QUESTION, budget={"seconds": 0.5}))
            while app.state.admission.waiting == 0:  # noqa: ASYNC110
                await asyncio.sleep(0)
            full = await ask(other, QUESTION)
            assert (full.status_code, full.json()["code"]) == (503, "service_full")
            assert full.headers["retry-after"] == "1"
            assert time.monotonic() - began < 0.5
            late = await waiting
            assert (late.status_code, late.json()["code"]) == (503, "service_full")
            assert late.json()["detail"] != full.json()["detail"]
            assert "timed out" in late.json()["detail"]
            assert time.monotonic() - began < 0.5 + 0.5
            asking.cancel()
            await model.left.wait()
            reply = await ask(other, QUESTION, budget={"llm_calls": 0})
            assert reply.status_code == 200
            assert app.state.admission.in_progress == 0


async def test_who_is_inside_is_served_while_the_service_stops(
    own_state: State, tmp_path: Path
) -> None:
    async with asyncio.timeout(100), hung_model() as model:
        settings = service_settings(
            own_state, Place(str(tmp_path)), llm_url=model.url, llm_model="m"
        )
        async with listening(settings) as (app, url):
            caller, late = (
                remote(url, await new_key(own_state)),
                remote(url, await new_key(own_state)),
            )
            await give(caller, "rota", TEXT)
            await give(late, "rota", TEXT)
            await work_off(app, own_state)
            inside = asyncio.create_task(ask(caller, QUESTION, stream=True, budget={"seconds": 3}))
            await model.asked.wait()

            async def come_late() -> tuple[httpx2.Response, httpx2.Response]:
                while not app.state.admission.draining:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
                return await ask(late, QUESTION), await late.get("/readyz")

            coming = asyncio.create_task(come_late())
        refused, ready = await coming
        assert (refused.status_code, refused.json()["code"]) == (503, "service_full")
        assert refused.headers["retry-after"] == "5"
        assert ready.json()["parts"]["admission"] == {"status": "failed", "reason": "draining"}
        assert ready.status_code == 503
        final = events((await inside).text)[-1]
        assert (final.name, final.data["status"]) == ("final", "partial")
        await caller.aclose()
        await late.aclose()


async def test_what_happens_is_counted(own_state: State, tmp_path: Path) -> None:
    settings = service_settings(own_state, Place(str(tmp_path)))
    async with (
        running(settings) as app,
        client(app, await new_key(own_state)) as caller,
    ):
        await give(caller, "rota", TEXT)
        await work_off(app, own_state)
        answer = (await ask(caller, QUESTION)).json()
        for stream in (False, True):
            reply = await ask(caller, QUESTION, stream=stream)
            assert len(reply.headers["x-request-id"]) == 32
        body = {"answer": TEXT, "sources": [TEXT]}
        assert (await caller.post("/v1/verify", json=body)).json()["supported"]
        await caller.get(f"/v1/answers/{answer['id']}")
        assert (await client(app).get("/v1/jobs")).status_code == 401
        text = (await client(app).get("/metrics", headers=WITH_METRICS_KEY)).text
    for line in (
        'upheld_http_requests_total{method="POST",route="/v1/answers",status="200"} 3.0',
        'upheld_http_requests_total{method="GET",route="/v1/answers/{id}",status="200"} 1.0',
        'upheld_http_requests_total{method="GET",route="unmatched",status="401"} 1.0',
        'upheld_answers_total{method="rag",status="answered"} 3.0',
        'upheld_claims_total{support="supported"} 4.0',
        'upheld_stage_seconds_count{stage="search"} 3.0',
        "upheld_requests_in_progress 0.0",
    ):
        assert line in text, line
    assert answer["id"] not in text


async def test_a_store_that_hangs_for_one_tenant_stops_no_other(
    own_state: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck: set[str] = set()

    async def hang(shared: Shared, settings: Settings) -> Resources:
        if any(each in settings.kb for each in stuck):
            await asyncio.Event().wait()
        return await join(shared, settings)

    monkeypatch.setattr(knowledge, "join", hang)
    monkeypatch.setattr(knowledge, "OPEN_SECONDS", 2.0)
    settings = service_settings(own_state, Place(str(tmp_path)), open_indexes=1)
    async with (
        asyncio.timeout(100),
        running(settings) as app,
        client(app, await new_key(own_state)) as one,
        client(app, await new_key(own_state)) as other,
    ):
        for caller in (one, other):  # only the last index stays open
            await give(caller, "rota", TEXT)
            await work_off(app, own_state)
        (held,) = app.state.service.tenant_indexes._open
        stuck |= {name.name for name in (tmp_path / "tenants").iterdir()} - {str(held)}
        (hung,) = stuck
        began = time.monotonic()
        waiting = [
            asyncio.create_task(ask(one, QUESTION, budget={"seconds": seconds}))
            for seconds in (0.3, 60, 60)
        ]
        while UUID(hung) not in app.state.service.tenant_indexes._opening:  # noqa: ASYNC110
            await asyncio.sleep(0)
        assert (await ask(other, QUESTION)).status_code == 200
        assert not any(each.done() for each in waiting[1:])
        assert (await waiting[0]).json()["code"] == "storage"
        assert time.monotonic() - began < 0.3 + 0.5
        assert [(await each).status_code for each in waiting[1:]] == [503, 503]
        assert time.monotonic() - began < 2 + 0.5
        stuck.clear()
        assert (await ask(one, QUESTION)).status_code == 200

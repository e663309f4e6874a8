"""Over a real socket: who leaves stops the work, and a deadline holds whatever hangs."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import pytest

from tests.integration.places import Place
from tests.integration.service.listening import hung_model, listening, remote
from tests.integration.service.serving import (
    WITH_METRICS_KEY,
    ask,
    give,
    new_key,
    service_settings,
    work_off,
)
from tests.integration.service.sse import events
from tests.servers.postgres import State
from upheld_service.routes import guarantee, verify

pytestmark = pytest.mark.real
QUESTION = "When does the lighthouse open?"


@pytest.mark.parametrize("stream", [False, True])
async def test_a_run_ends_when_its_client_leaves(
    own_state: State, tmp_path: Path, stream: bool
) -> None:
    async with asyncio.timeout(100), hung_model() as model:
        settings = service_settings(
            own_state, Place(str(tmp_path)), llm_url=model.url, llm_model="m"
        )
        async with (
            listening(settings) as (app, url),
            remote(url, await new_key(own_state)) as caller,
        ):
            await give(caller, "rota", "The lighthouse opens at nine.")
            await work_off(app, own_state)
            body = {"question": QUESTION, "collection": "staff", "stream": stream}
            headers = {"Idempotency-Key": "one"}
            asking = asyncio.create_task(caller.post("/v1/answers", json=body, headers=headers))
            await model.asked.wait()
            assert not model.left.is_set()
            asking.cancel()
            await model.left.wait()


@pytest.mark.parametrize("stream", [False, True])
async def test_a_completion_ends_when_its_client_leaves(
    own_state: State, tmp_path: Path, stream: bool
) -> None:
    async with asyncio.timeout(100), hung_model() as model:
        settings = service_settings(
            own_state, Place(str(tmp_path)), llm_url=model.url, llm_model="m"
        )
        async with (
            listening(settings) as (app, url),
            remote(url, await new_key(own_state)) as caller,
        ):
            await give(caller, "rota", "The lighthouse opens at nine.")
            await work_off(app, own_state)
            said = [{"role": "user", "content": QUESTION}]
            body = {"model": "rag@staff", "messages": said, "stream": stream}
            asking = asyncio.create_task(caller.post("/v1/chat/completions", json=body))
            await model.asked.wait()
            asking.cancel()
            await model.left.wait()
            await until(lambda: app.state.admission.in_progress == 0)


@dataclass
class Work:
    """Something that never ends, and knows when it was stopped."""

    begun: asyncio.Event = field(default_factory=asyncio.Event)
    stopped: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, *_: object, **__: object) -> None:
        self.begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.stopped.set()


async def until(reached: Callable[[], bool]) -> None:
    while not reached():  # noqa: ASYNC110 — the application has no event for it
        await asyncio.sleep(0.01)


async def test_a_check_ends_when_its_client_leaves_and_so_does_one_that_waits(
    state: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Work()
    monkeypatch.setattr(verify, "check", work)
    settings = service_settings(state, Place(str(tmp_path)), at_once=1)
    async with (
        asyncio.timeout(100),
        listening(settings) as (app, url),
        remote(url, await new_key(state)) as caller,
    ):
        body = {"answer": "It opens at nine.", "sources": ["It opens at nine."]}
        inside = asyncio.create_task(caller.post("/v1/verify", json=body))
        await work.begun.wait()
        waiting = asyncio.create_task(caller.post("/v1/verify", json=body))
        await until(lambda: app.state.admission.waiting == 1)
        waiting.cancel()
        await until(lambda: app.state.admission.waiting == 0)
        assert not work.stopped.is_set()
        assert app.state.held.total > 0
        inside.cancel()
        await work.stopped.wait()
        await until(lambda: app.state.admission.in_progress == 0)
        await until(lambda: app.state.held.total == 0)


async def test_a_request_with_labels_ends_when_its_client_disconnects(
    state: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def read(*_: object, **__: object) -> None:
        begun.set()
        go_on.wait(100)

    monkeypatch.setattr(guarantee, "asked_with", read)
    settings = service_settings(state, Place(str(tmp_path)))
    async with (
        asyncio.timeout(100),
        listening(settings) as (app, url),
        remote(url, await new_key(state)) as caller,
    ):
        path = "/v1/collections/staff/guarantee"
        sending = asyncio.create_task(caller.post(path, content=b"{}"))
        await until(begun.is_set)
        assert app.state.held.total > 0
        sending.cancel()
        await until(lambda: app.state.held.total == 0)  # its request is over
        go_on.set()


async def test_half_a_body_is_let_go_when_its_client_leaves(state: State, tmp_path: Path) -> None:
    settings = service_settings(state, Place(str(tmp_path)))
    key = (await new_key(state)).get_secret_value()
    async with asyncio.timeout(100), listening(settings) as (app, url):
        host, port = url.removeprefix("http://").split(":")
        _, writer = await asyncio.open_connection(host, int(port))
        head = f"POST /v1/verify HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
        writer.write(f"{head}Content-Length: 9000000\r\n\r\n{{".encode() + b" " * 1_000_000)
        await until(lambda: app.state.held.total == 1_000_001)
        writer.close()
        await until(lambda: app.state.held.total == 0)


async def test_a_check_that_does_not_end_by_itself_is_ended(
    state: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Work()
    monkeypatch.setattr(verify, "check", work)
    settings = service_settings(state, Place(str(tmp_path)))
    async with (
        asyncio.timeout(100),
        listening(settings) as (app, url),
        remote(url, await new_key(state)) as caller,
    ):
        body = {"answer": "It opens.", "sources": ["It opens."], "budget": {"seconds": 0.2}}
        reply = await caller.post("/v1/verify", json=body)
        assert (reply.status_code, reply.json()["code"]) == (504, "budget_exceeded")
        assert work.stopped.is_set()
        assert app.state.admission.in_progress == 0


async def test_the_event_loop_is_watched_while_the_service_runs(
    state: State, tmp_path: Path
) -> None:
    def watching() -> list[str]:
        return [each.name for each in threading.enumerate() if each.name == "upheld-stalls"]

    async with (
        asyncio.timeout(100),
        listening(service_settings(state, Place(str(tmp_path)))) as (
            _,
            url,
        ),
    ):
        assert len(watching()) == 1
        async with remote(url, await new_key(state)) as caller:
            lags = 0.0
            while not lags:
                text = (await caller.get("/metrics", headers=WITH_METRICS_KEY)).text
                line = next(each for each in text.splitlines() if "lag_seconds_count" in each)
                lags = float(line.split()[1])
    assert not watching()


@pytest.mark.alone  # half a second is what it may cost
async def test_a_model_that_hangs_costs_no_more_than_the_deadline(
    own_state: State, tmp_path: Path
) -> None:
    async with asyncio.timeout(100), hung_model() as model:
        settings = service_settings(
            own_state,
            Place(str(tmp_path)),
            llm_url=model.url,
            llm_model="m",
            answer_seconds=2,
        )
        async with (
            listening(settings) as (app, url),
            remote(url, await new_key(own_state)) as caller,
        ):
            await give(caller, "rota", "The lighthouse opens at nine.")
            await work_off(app, own_state)
            await ask(caller, QUESTION, budget={"llm_calls": 0})  # warm
            for stream in (False, True):
                began = time.monotonic()
                reply = await ask(caller, QUESTION, stream=stream, budget={"seconds": 60})
                assert time.monotonic() - began < 2.5
                body = events(reply.text)[-1].data if stream else reply.json()
                assert any("budget" in each for each in body["degraded"])
                assert body["status"] in ("failed", "partial")


async def test_jobs_run_inside_a_serving_process_and_drain_when_it_stops(
    own_state: State, tmp_path: Path
) -> None:
    async with asyncio.timeout(100):
        settings = service_settings(own_state, Place(str(tmp_path)))
        async with (
            listening(settings, works=True) as (_, url),
            remote(url, await new_key(own_state)) as caller,
        ):
            job = (await give(caller, "rota", "The lighthouse opens at nine.")).json()["job"]
            while await _status(caller, job) != "succeeded":  # noqa: ASYNC110 — as any client does
                await asyncio.sleep(0.1)
            assert (await ask(caller, QUESTION)).json()["status"] == "answered"


async def _status(caller: httpx2.AsyncClient, job: int) -> str:
    status: str = (await caller.get(f"/v1/jobs/{job}")).json()["status"]
    return status

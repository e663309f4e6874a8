"""Over a real socket: who leaves stops the work, and a deadline holds whatever hangs."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import httpx2
import pytest

from tests.integration.places import Place
from tests.integration.service.listening import hung_model, listening, remote
from tests.integration.service.serving import ask, give, new_key, service_settings, work_off
from tests.integration.service.sse import events
from tests.servers.postgres import State

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

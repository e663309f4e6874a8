"""A database that hangs: every request ends in time, with a problem that says so."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest

from tests.integration.places import Place
from tests.integration.service.serving import (
    ask,
    client,
    give,
    new_key,
    running,
    service_settings,
    work_off,
)
from tests.servers.postgres import State
from upheld_service.auth import middleware as callers
from upheld_service.db.connect import conninfo
from upheld_service.db.database import Database
from upheld_service.http import deadline

pytestmark = pytest.mark.real


@contextmanager
def hung(state: State) -> Iterator[None]:
    """Every process of the server stands still, the one that takes connections too."""
    with psycopg.connect(conninfo(state.superuser)) as connection:
        found = connection.execute("SELECT pid FROM pg_stat_activity")
        pids = [row[0] for row in found]
    parent = int(Path(f"/proc/{pids[0]}/stat").read_text().rpartition(")")[2].split()[1])
    _signal(signal.SIGSTOP, parent, *pids)
    try:
        yield
    finally:
        _signal(signal.SIGCONT, parent, *pids)


def _signal(number: signal.Signals, *pids: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):  # some of the server's processes come and go
            os.kill(pid, number)


async def test_every_request_ends_in_time(
    own_state: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(callers, "STATE_SECONDS", 1.0)
    settings = service_settings(own_state, Place(str(tmp_path)))
    async with (
        asyncio.timeout(200),
        running(settings) as app,
        client(app, await new_key(own_state)) as caller,
    ):
        await give(caller, "rota", "The lighthouse opens at nine.")
        await work_off(app, own_state)
        assert (await ask(caller, "When does the lighthouse open?")).status_code == 200
        with hung(own_state):
            for _ in range(12):  # more than the pool has connections
                began = time.monotonic()
                reply = await ask(caller, "When does the lighthouse open?", budget={"seconds": 1})
                assert time.monotonic() - began < 1.0 + 1.0 + 0.5
                assert (reply.status_code, reply.json()["code"]) == (503, "state_unavailable")
            ready = await caller.get("/readyz")
            assert ready.status_code == 503
            assert ready.json()["parts"]["database"]["status"] == "failed"
            assert (await caller.get("/healthz")).status_code == 200
        while (await caller.get("/v1/jobs")).status_code != 200:  # noqa: ASYNC110
            await asyncio.sleep(0.2)
        assert (await ask(caller, "When does the lighthouse open?")).status_code == 200


async def test_what_cannot_be_cancelled_is_left_behind() -> None:
    released = asyncio.Event()

    async def stubborn() -> None:
        while not released.is_set():
            try:
                await released.wait()
            except asyncio.CancelledError:
                continue

    began = time.monotonic()
    with pytest.raises(Exception, match="does not answer in time"):
        await deadline.at_most(0.05, stubborn())
    assert time.monotonic() - began < 5
    released.set()


async def test_a_key_is_looked_up_no_longer_than_the_caller_waits(
    own_state: State, tmp_path: Path
) -> None:
    settings = service_settings(own_state, Place(str(tmp_path)))
    async with (
        asyncio.timeout(200),
        running(settings) as app,
        client(app, await new_key(own_state)) as caller,
    ):
        await give(caller, "rota", "The lighthouse opens at nine.")
        await work_off(app, own_state)
        with hung(own_state):
            began = time.monotonic()
            reply = await ask(caller, "When does the lighthouse open?", budget={"seconds": 1})
            took = time.monotonic() - began
        assert (reply.status_code, reply.json()["code"]) == (503, "state_unavailable")
        assert took < deadline.STATE_SECONDS / 2  # a second, if nobody else wants the processor


async def test_a_body_that_was_looked_at_for_its_budget_is_still_all_there(
    state: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database is slow, and yet in time."""
    find = Database.find_key

    async def late(database: Database, prefix: str) -> object:
        await asyncio.sleep(0.05)
        return await find(database, prefix)

    monkeypatch.setattr(Database, "find_key", late)
    monkeypatch.setattr(callers, "QUICK_SECONDS", 0.0)
    settings = service_settings(state, Place(str(tmp_path)))
    async with running(settings) as app, client(app, await new_key(state)) as caller:
        given = {"answer": "The tower opens at nine. [1]", "sources": ["The tower opens at nine."]}
        for budget in ({"seconds": 30}, {"seconds": "soon"}, None):
            body = given if budget is None else {**given, "budget": budget}
            reply = await caller.post("/v1/verify", json=body)
            wrong = budget == {"seconds": "soon"}
            assert reply.status_code == (422 if wrong else 200), reply.text
        assert (await caller.post("/v1/verify", content=b"{")).status_code == 422

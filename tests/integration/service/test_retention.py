"""Answers that have reached their age go, of every tenant, with all that was kept of them."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
from fastapi import FastAPI

from tests.integration.places import Place
from tests.integration.service.queueing import until
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
from upheld_service.db.connect import conninfo
from upheld_service.db.queue import worker_app
from upheld_service.jobs import periodic as retention
from upheld_service.jobs.worker import working

pytestmark = pytest.mark.real
QUESTION = "When does the lighthouse open?"


def sql(state: State, statement: str) -> list[Any]:
    """What time would do, or what is really there."""
    with psycopg.connect(conninfo(state.superuser)) as connection:
        done = connection.execute(statement.encode())
        return done.fetchall() if done.description else []


def grow_old(state: State, days: int) -> None:
    for table, moment in (("answers", "created_at"), ("idempotency_keys", "started_at")):
        sql(state, f"UPDATE {table} SET {moment} = {moment} - interval '{days} days'")


async def expire(app: FastAPI, state: State, *, times: int = 1) -> None:
    jobs = worker_app(state.service, {})
    async with jobs.open_async():
        for_all = (retention.expire(jobs, app.state.service) for _ in range(times))
        await asyncio.gather(*for_all)


@pytest.mark.parametrize("days", [None, 30])
async def test_what_is_too_old_goes_and_what_is_not_stays(
    own_state: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, days: int | None
) -> None:
    monkeypatch.setattr(retention, "AT_ONCE", 2)
    settings = service_settings(own_state, Place(str(tmp_path)), answer_days=days)
    async with running(settings) as app, AsyncExitStack() as stack:
        callers = [
            await stack.enter_async_context(client(app, await new_key(own_state))) for _ in "ab"
        ]
        for caller in callers:
            await give(caller, "rota", "The lighthouse opens at nine.")
        await work_off(app, own_state)
        old = [
            (caller, (await ask(caller, f"{QUESTION} {number}")).json()["id"])
            for caller in callers
            for number in range(3)
        ]
        body = {"question": QUESTION, "collection": "staff"}
        headers = {"Idempotency-Key": "k"}
        for caller in callers:
            reply = await caller.post("/v1/answers", json=body, headers=headers)
            old.append((caller, reply.json()["id"]))
        grow_old(own_state, 31)
        young = [(each, (await ask(each, QUESTION)).json()["id"]) for each in callers]

        await expire(app, own_state, times=3)  # as three processes would, at once
        await expire(app, own_state)
        kept = 404 if days else 200
        assert {(await each.get(f"/v1/answers/{id}")).status_code for each, id in old} == {kept}
        assert {(await each.get(f"/v1/answers/{id}")).status_code for each, id in young} == {200}
        assert sql(own_state, "SELECT * FROM idempotency_keys") == []
        logged = sql(own_state, "SELECT detail FROM audit_log WHERE action = 'answers.expire'")
        counted = sum(detail["answers"] for (detail,) in logged)
        assert counted == (len(old) if days else 0)
        documents = [await each.get("/v1/collections/staff/documents/rota") for each in callers]
        assert {each.json()["status"] for each in documents} == {"ready"}


async def test_a_worker_does_it_by_itself(
    own_state: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = asyncio.Event()
    expires = retention.expire

    async def noted(*parts: Any) -> None:
        await expires(*parts)
        done.set()

    monkeypatch.setattr("upheld_service.jobs.worker.expire", noted)
    settings = service_settings(own_state, Place(str(tmp_path)), answer_days=1)
    async with running(settings) as app, client(app, await new_key(own_state)) as caller:
        await give(caller, "rota", "The lighthouse opens at nine.")
        await work_off(app, own_state)
        id = (await ask(caller, QUESTION)).json()["id"]
        grow_old(own_state, 2)
        async with asyncio.timeout(60), working(app.state.service):
            await done.wait()
        assert (await caller.get(f"/v1/answers/{id}")).status_code == 404


REFUSED = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE 'refused'; END; $$;
CREATE TRIGGER refuse BEFORE DELETE ON answers
    FOR EACH ROW WHEN (OLD.id = '{answer}') EXECUTE FUNCTION refuse();
"""


async def test_a_tenant_whose_answers_cannot_go_keeps_no_other_from_it(
    own_state: State, tmp_path: Path
) -> None:
    """Nor does it stop jobs: before, the worker fell and began anew, for ever."""
    settings = service_settings(own_state, Place(str(tmp_path)), answer_days=1)
    async with running(settings) as app, AsyncExitStack() as stack:
        callers = [
            await stack.enter_async_context(client(app, await new_key(own_state))) for _ in "abc"
        ]
        asked = []
        for caller in callers:
            await give(caller, "rota", "The lighthouse opens at nine.")
            await work_off(app, own_state)
            asked.append((await ask(caller, QUESTION)).json()["id"])
        grow_old(own_state, 2)
        first = min(sql(own_state, "SELECT tenant_id, id FROM answers"))  # whoever is looked at
        (refused,) = [each for each in asked if each == first[1]]
        sql(own_state, REFUSED.format(answer=refused))
        async with asyncio.timeout(60), working(app.state.service):

            async def one_is_left() -> bool:
                return len(sql(own_state, "SELECT id FROM answers")) == 1

            async def is_read() -> bool:
                reply = await callers[0].get("/v1/collections/staff/documents/rota")
                return bool(reply.json()["status"] == "ready")

            await until(one_is_left)
            await give(callers[0], "rota", "The lighthouse opens at ten.")
            await until(is_read)
        assert sql(own_state, "SELECT id FROM answers") == [(refused,)]

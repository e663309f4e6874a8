"""A tenant is deleted: nothing of it is left, and nothing of anybody else is touched."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
import psycopg
import pytest
from fastapi import FastAPI
from pydantic import SecretStr
from typer.testing import CliRunner, Result

from tests.integration.places import Place
from tests.integration.service.queueing import defer, now, worker
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
from upheld.cli import app as command
from upheld.errors import ConflictError, NotFoundError, StorageError
from upheld.settings import Settings
from upheld_service.auth.middleware import Principal
from upheld_service.db import tenants
from upheld_service.db.connect import conninfo
from upheld_service.db.database import Database, admin_session
from upheld_service.db.keys import KeyScope
from upheld_service.db.queue import Work
from upheld_service.db.tables import metadata
from upheld_service.jobs.document_writes import DocumentUpload
from upheld_service.jobs.document_writes import give as give_to
from upheld_service.jobs.uploads import receive
from upheld_service.tenants import deletion as ending
from upheld_service.tenants.deletion import end_tenant

pytestmark = pytest.mark.real
SECRET = "Heliotrope"
QUESTION = "What is the code of the safe?"


@pytest.fixture
def settings(own_state: State, tmp_path: Path) -> Settings:
    return service_settings(own_state, Place(str(tmp_path / "kb")))


@pytest.fixture
def owners(settings: Settings, own_state: State) -> Settings:
    """As `upheld admin` has them."""
    return settings.model_copy(update={"database_url": own_state.owner})


@pytest.fixture
async def app(settings: Settings) -> AsyncIterator[FastAPI]:
    async with running(settings) as it:
        yield it


async def with_everything(app: FastAPI, state: State, name: str) -> SecretStr:
    """A key of a tenant who has rows in every table, and bytes that wait."""
    key = await new_key(state, tenant=name)
    async with client(app, key) as caller:
        await give(caller, "safe", f"The code of the safe of {name} is {SECRET}{name}.")
        await work_off(app, state)
        body = {"question": QUESTION, "collection": "staff"}
        headers = {"Idempotency-Key": "k"}
        answer = await caller.post("/v1/answers", json=body, headers=headers)
        assert SECRET in answer.text
        feedback = f"/v1/answers/{answer.json()['id']}/claims/1/feedback"
        assert (await caller.post(feedback, json={"agrees": True})).status_code == 200
        now(state, "UPDATE answers SET reviewable = true")  # no model is missed here
        assert (await caller.post("/v1/collections/staff/reviews")).status_code == 200
        await give(caller, "note", f"{SECRET}{name} is written down.")  # it waits to be read
        line = {"question": "q", "answer": "a", "claim": "c", "evidence": [], "score": 1.0}
        line |= {"verdict": "supported", "supported": True, "pipeline": "p", "who": ""}
        line |= {"when": "2026-01-01T00:00:00Z"}
        path = "/v1/collections/staff/guarantee"
        assert (await caller.post(path, content=json.dumps(line))).status_code == 202
        assert (await caller.post("/v1/session")).status_code == 200
    return key


def rows(state: State, id: UUID) -> dict[str, int]:
    """How many of each table are of a tenant."""
    counted = {}
    with psycopg.connect(conninfo(state.superuser)) as connection:
        for table in metadata.sorted_tables:
            column = "tenant_id" if "tenant_id" in table.c else "id"
            query = f"SELECT count(*) FROM {table.name} WHERE {column} = %s"
            counted[table.name] = _one(connection, query, id)
        jobs = "SELECT count(*) FROM procrastinate_jobs WHERE args ->> 'tenant' = %s"
        counted["jobs"] = _one(connection, jobs, str(id))
    return {name: count for name, count in counted.items() if count}


def _one(connection: psycopg.Connection, query: str, value: object) -> int:
    row = connection.execute(query.encode(), (value,)).fetchone()
    assert row is not None
    return int(row[0])


async def id_of(state: State, name: str) -> UUID:
    async with admin_session(state.owner) as admin:
        return (await tenants.named(admin, name)).id


def holding(folder: Path, words: str) -> list[Path]:
    found = [each for each in folder.rglob("*") if each.is_file()]
    return [each for each in found if words.encode() in each.read_bytes()]


async def run(owners: Settings, *arguments: str, input: str | None = None) -> Result:
    """The command, as it is typed."""
    assert owners.database_url is not None
    environment = {
        "UPHELD_DATABASE_URL": owners.database_url.get_secret_value(),
        "UPHELD_KB": owners.kb,
    }
    given = ("admin", "tenant", "delete", *arguments)
    return await asyncio.to_thread(CliRunner().invoke, command, given, input=input, env=environment)


async def test_nothing_is_left_of_it_and_others_are_untouched(
    own_state: State, app: FastAPI, owners: Settings
) -> None:
    museum = await with_everything(app, own_state, "museum")
    school = await with_everything(app, own_state, "school")
    gone, stays = await id_of(own_state, "museum"), await id_of(own_state, "school")
    before, folder = rows(own_state, stays), Path(owners.kb)
    assert len(before) == len(metadata.sorted_tables) + 1 - 1  # jobs; but no ended tenant
    assert holding(folder, f"{SECRET}museum")
    refused = await run(owners, "museum", input="n\n")
    assert refused.exit_code == 1
    assert f"in the database and in {owners.kb}?" in refused.output
    async with client(app, museum) as caller:
        assert (await caller.get("/v1/jobs")).status_code == 200

        done = await run(owners, "museum", "--yes", "--json")
        assert done.exit_code == 0, done.output
        told = json.loads(done.stdout)
        assert (told["name"], told["ids"]) == ("museum", [str(gone)])
        assert told["objects"] > 0
        shut, stranger = await caller.get("/v1/jobs"), await unknown(app)
        assert (shut.status_code, shut.text) == (401, stranger.text)
    assert rows(own_state, gone) == {"ended_tenants": 1}
    assert holding(folder, f"{SECRET}museum") == []
    assert not (folder / "tenants" / str(gone)).exists()

    assert rows(own_state, stays) == before
    assert holding(folder, f"{SECRET}school")
    async with client(app, school) as caller:
        assert f"{SECRET}school" in (await ask(caller, QUESTION)).text
        await work_off(app, own_state)
        assert (await caller.get("/v1/collections/staff/documents/note")).json()[
            "status"
        ] == "ready"

    again = await run(owners, "museum", "--yes")
    assert again.exit_code == 0
    assert "Is it the storage of the service" in again.output
    with pytest.raises(NotFoundError, match="no tenant muesum"):
        await end_tenant(owners, "muesum")
    await with_everything(app, own_state, "museum")  # the name is free
    assert len((await end_tenant(owners, "museum")).ids) == 2


async def unknown(app: FastAPI) -> httpx2.Response:
    async with client(app) as stranger:
        return await stranger.get("/v1/jobs")


@pytest.mark.parametrize("step", ["_end_rows", "open_objects"])
async def test_killed_in_the_middle_it_is_run_again(
    own_state: State, app: FastAPI, owners: Settings, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    key = await with_everything(app, own_state, "museum")
    id = await id_of(own_state, "museum")

    def killed(*_: object) -> Any:
        raise StorageError("as if")

    with monkeypatch.context() as patching:
        patching.setattr(ending, step, killed)
        with pytest.raises(StorageError):
            await end_tenant(owners, "museum")
    async with client(app, key) as caller:  # its keys are dead, however far it came
        assert (await caller.get("/v1/jobs")).status_code == 401
    assert holding(Path(owners.kb), SECRET)
    await end_tenant(owners, "museum")
    assert rows(own_state, id) == {"ended_tenants": 1}
    assert holding(Path(owners.kb), SECRET) == []


async def test_an_upload_that_was_under_way_leaves_nothing(
    own_state: State, app: FastAPI, owners: Settings
) -> None:
    await with_everything(app, own_state, "museum")
    id, service = await id_of(own_state, "museum"), app.state.service

    async def chunks(*, ends: bool) -> AsyncIterator[bytes]:
        yield SECRET.encode()
        if ends:
            await end_tenant(owners, "museum")
        yield SECRET.encode()

    with pytest.raises(StorageError):  # what it had written was taken away under its hands
        await receive(service, id, "staff", chunks(ends=True))
    assert holding(Path(owners.kb), SECRET) == []
    upload = await receive(service, id, "staff", chunks(ends=False))
    incoming = DocumentUpload("staff", "late", "late.txt", frozenset(), upload)
    with pytest.raises(NotFoundError):
        await give_to(service, Principal(id, "late", frozenset(KeyScope), None), incoming, None)
    assert holding(Path(owners.kb), SECRET) == []


async def test_jobs_under_way_are_stopped_first(
    own_state: State, own_database: Database, own_tenant: UUID, owners: Settings
) -> None:
    begun, stopped = asyncio.Event(), asyncio.Event()

    async def endless(_work: Work) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    async with admin_session(own_state.owner) as admin:
        (tenant,) = await tenants.listed(admin)
    await defer(own_database, own_tenant)
    async with asyncio.timeout(60), worker(own_state, endless) as jobs:
        working = asyncio.create_task(jobs.run_worker_async(install_signal_handlers=False))
        await begun.wait()
        await end_tenant(owners, tenant.name)
        assert stopped.is_set()
        assert rows(own_state, own_tenant) == {"ended_tenants": 1}
        working.cancel()
        await asyncio.wait((working,))


async def test_a_job_that_does_not_stop_is_told(
    own_state: State,
    own_database: Database,
    own_tenant: UUID,
    owners: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ending, "JOBS_SECONDS", 1.0)
    async with admin_session(own_state.owner) as admin:
        (tenant,) = await tenants.listed(admin)
    await defer(own_database, own_tenant)
    with psycopg.connect(conninfo(own_state.superuser), autocommit=True) as connection:
        connection.execute("INSERT INTO procrastinate_workers DEFAULT VALUES")
        connection.execute(
            "UPDATE procrastinate_jobs SET status = 'doing',"
            " worker_id = (SELECT max(id) FROM procrastinate_workers)"
        )
        with pytest.raises(ConflictError, match="does not stop"):
            await end_tenant(owners, tenant.name)
        assert rows(own_state, own_tenant)["collections"] == 1
        # Its worker was killed: nobody waits for it.
        connection.execute(
            "UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 minute'"
        )
    await end_tenant(owners, tenant.name)
    assert rows(own_state, own_tenant) == {"ended_tenants": 1}

"""A deletion that was accepted is carried out: nobody cancels it, and no lost job ends it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID, uuid4

import psycopg
import pytest
from fastapi import FastAPI

from tests.integration.places import Place
from tests.integration.service.queueing import now
from tests.integration.service.serving import (
    client,
    give,
    new_key,
    running,
    service_settings,
    work_off,
)
from tests.servers.postgres import State
from upheld.errors import StorageError
from upheld_service.db.connect import conninfo
from upheld_service.db.queue import worker_app
from upheld_service.jobs.periodic import sweep_deletions
from upheld_service.jobs.tasks import bodies
from upheld_service.tenants.indexes import tenant_prefix

pytestmark = pytest.mark.real
DOCUMENTS = "/v1/collections/staff/documents"
SECRET = "The code of the safe is Heliotrope."


@pytest.fixture
async def app(own_state: State, tmp_path: Path) -> AsyncIterator[FastAPI]:
    async with running(service_settings(own_state, Place(str(tmp_path)))) as it:
        yield it


async def sweep(app: FastAPI, state: State) -> None:
    """What a worker does every few minutes, now."""
    service = app.state.service
    jobs = worker_app(state.service, bodies(service))
    async with jobs.open_async():
        await sweep_deletions(jobs, service, command_seconds=-60)


def bytes_with(folder: Path, word: str) -> list[Path]:
    files = [each for each in folder.rglob("*") if each.is_file()]
    return [each for each in files if word.encode() in each.read_bytes()]


def leave_behind(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "left.txt").write_text(SECRET)


@pytest.mark.parametrize("labels", [None, ["guide"]])
async def test_nobody_cancels_a_deletion(
    own_state: State, app: FastAPI, tmp_path: Path, labels: list[str] | None
) -> None:
    async with (
        client(app, await new_key(own_state, tenant="museum")) as owner,
        client(app, await new_key(own_state, tenant="museum", labels=labels)) as caller,
    ):
        await give(owner, "safe", SECRET)
        await work_off(app, own_state)
        assert bytes_with(tmp_path, "Heliotrope")
        job = (await caller.delete(f"{DOCUMENTS}/safe")).json()["job"]
        for who in (owner, caller):
            refused = await who.delete(f"/v1/jobs/{job}")
            assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
        await work_off(app, own_state)
        assert (await owner.get(f"{DOCUMENTS}/safe")).status_code == 404
        assert (await caller.get(f"/v1/jobs/{job}")).json()["status"] == "succeeded"
        assert not bytes_with(tmp_path, "Heliotrope")


@pytest.mark.parametrize("lost", ["cancelled", "failed", "aborted"])
async def test_a_deletion_whose_job_was_lost_is_taken_up_again(
    own_state: State, app: FastAPI, tmp_path: Path, lost: str
) -> None:
    async with client(app, await new_key(own_state)) as owner:
        await give(owner, "safe", SECRET)
        await work_off(app, own_state)
        await owner.delete(f"{DOCUMENTS}/safe")
        now(own_state, f"UPDATE procrastinate_jobs SET status = '{lost}' WHERE status = 'todo'")
        await work_off(app, own_state)
        assert (await owner.get(f"{DOCUMENTS}/safe")).json()["status"] == "deleting"
        await sweep(app, own_state)
        await sweep(app, own_state)  # one that waits is enough
        waiting = [each["status"] for each in (await owner.get("/v1/jobs")).json()["jobs"]]
        assert waiting.count("todo") == 1
        await work_off(app, own_state)
        assert (await owner.get(f"{DOCUMENTS}/safe")).status_code == 404
        assert (await owner.get("/v1/collections")).json() == {"collections": []}
        assert not bytes_with(tmp_path, "Heliotrope")
        await sweep(app, own_state)  # nothing is left to do
        assert "todo" not in [e["status"] for e in (await owner.get("/v1/jobs")).json()["jobs"]]


async def test_a_collection_that_was_emptied_and_not_ended_is_ended(
    own_state: State, app: FastAPI
) -> None:
    async with client(app, await new_key(own_state)) as owner:
        await give(owner, "rota", "The tower opens at nine.")
        await work_off(app, own_state)
        now(own_state, "DELETE FROM documents")  # killed between two transactions of the job
        await sweep(app, own_state)
        await work_off(app, own_state)
        assert (await owner.get("/v1/collections")).json() == {"collections": []}


async def test_a_tenant_that_cannot_be_swept_stops_no_other(
    own_state: State, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is swept first fails; the other's deletion is taken up all the same."""
    keys = [await new_key(own_state, tenant=name) for name in ("first", "second")]
    for key in keys:
        async with client(app, key) as owner:
            await give(owner, "rota", "The tower opens at nine.")
    await work_off(app, own_state)
    for key in keys:
        async with client(app, key) as owner:
            await owner.delete(f"{DOCUMENTS}/rota")
    now(own_state, "UPDATE procrastinate_jobs SET status = 'failed' WHERE status = 'todo'")
    database = type(app.state.service.database)
    session, failed = database.session, list[UUID]()

    def fail_first(self: object, tenant: UUID, **view: object) -> object:
        if not failed or tenant in failed:
            failed.append(tenant)
            raise StorageError("away")
        return session(self, tenant, **view)

    with monkeypatch.context() as broken:
        broken.setattr(database, "session", fail_first)
        await sweep(app, own_state)
    assert _waiting(own_state) == 1


async def test_storage_of_a_deleted_tenant_is_cleared_if_the_command_was_killed(
    own_state: State, app: FastAPI, tmp_path: Path
) -> None:
    gone = uuid4()
    leave_behind(Path(tenant_prefix(app.state.service.settings, gone)))
    now(own_state, f"INSERT INTO ended_tenants (id, name) VALUES ('{gone}', 'museum')")
    await sweep(app, own_state)
    assert not bytes_with(tmp_path, "Heliotrope")
    with psycopg.connect(conninfo(own_state.superuser)) as connection:
        row = connection.execute("SELECT cleared_at IS NOT NULL FROM ended_tenants").fetchone()
    assert row == (True,)


def _waiting(state: State) -> int:
    with psycopg.connect(conninfo(state.superuser)) as connection:
        row = connection.execute(
            "SELECT count(*) FROM procrastinate_jobs WHERE status = 'todo'"
        ).fetchone()
    assert row is not None
    return int(row[0])

"""Jobs on a real queue: one waits for each collection, and none is lost between transactions."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest

from tests.integration.service.people import new_tenant, put
from tests.integration.service.queueing import (
    Recorder,
    defer,
    now,
    shown,
    statuses,
    work_off,
    worker,
)
from tests.servers.postgres import State
from upheld.errors import NotFoundError, ReadError, StorageError
from upheld_service.db import documents
from upheld_service.db.database import Database
from upheld_service.db.documents import DocumentStatus
from upheld_service.db.jobs import Jobs, JobStatus
from upheld_service.db.queue import Task, Work

pytestmark = pytest.mark.real


async def test_a_job_runs_with_its_tenant_and_collection(
    own_state: State, own_database: Database, own_tenant: UUID
) -> None:
    ids = [await defer(own_database, own_tenant, task) for task in Task]
    body = Recorder()
    async with worker(own_state, body) as app:
        await work_off(app)
    assert body.seen == [Work(own_tenant, "staff")] * len(Task)
    jobs = await shown(own_database, own_tenant)
    assert [(job.id, job.task) for job in reversed(jobs)] == list(zip(ids, Task, strict=True))
    assert {job.status for job in jobs} == {JobStatus.SUCCEEDED}
    assert all(job.asked_at < job.changed_at for job in jobs)


async def test_one_job_waits_for_each_kind_and_collection(
    own_database: Database, own_tenant: UUID
) -> None:
    first = await defer(own_database, own_tenant)
    assert await defer(own_database, own_tenant) == first
    assert await defer(own_database, own_tenant, Task.DELETE) != first


async def test_asking_again_does_not_undo_what_the_transaction_wrote(
    own_database: Database, own_tenant: UUID
) -> None:
    await defer(own_database, own_tenant)
    async with own_database.session(own_tenant, labels=None) as session:
        await put(session, "rota")
        await Jobs(session).defer(Task.INGEST, "staff")
        await put(session, "menu")
    async with own_database.session(own_tenant, labels=None) as session:
        assert len(await documents.listed(session, "staff", limit=9)) == 2


async def test_a_job_is_only_there_if_its_transaction_is_kept(
    own_database: Database, own_tenant: UUID
) -> None:
    async def fall() -> None:
        async with own_database.session(own_tenant, labels=None) as session:
            await Jobs(session).defer(Task.INGEST, "staff")
            raise NotFoundError("after all")

    with pytest.raises(NotFoundError):
        await fall()
    assert await shown(own_database, own_tenant) == []


async def test_a_waiting_job_does_not_begin_before_it_can_see_what_it_is_to_do(
    own_state: State, own_database: Database, own_tenant: UUID
) -> None:
    """The upload relies on a job that waits; that job must not run in between."""
    read: list[str] = []

    async def ingest(work: Work) -> None:
        async with own_database.session(work.tenant, labels=None) as session:
            pending = DocumentStatus.PENDING
            for each in await documents.listed(session, "staff", limit=9, status=pending):
                read.append(each.id)
                await documents.finish(session, each, version="v1")

    waiting = await defer(own_database, own_tenant)
    async with worker(own_state, ingest) as app:
        async with own_database.session(own_tenant, labels=None) as session:
            await put(session, "rota")
            assert await Jobs(session).defer(Task.INGEST, "staff") == waiting
            await work_off(app)
            assert read == []
        await work_off(app)
    assert read == ["rota"]


async def test_two_who_ask_at_once_get_the_same_job(
    own_database: Database, own_tenant: UUID
) -> None:
    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(defer(own_database, own_tenant)) for _ in range(8)]
    assert len({each.result() for each in asked}) == 1


async def test_a_job_that_fails_is_tried_again_later(
    own_state: State, own_database: Database, own_tenant: UUID
) -> None:
    job = await defer(own_database, own_tenant)
    body = Recorder(StorageError("away"))
    async with worker(own_state, body) as app:
        await work_off(app)
        assert await statuses(own_database, own_tenant) == {job: JobStatus.TODO}
        await work_off(app)
        assert len(body.seen) == 1  # it waits
        now(own_state, "UPDATE procrastinate_jobs SET scheduled_at = now()")
        await work_off(app)
    assert await statuses(own_database, own_tenant) == {job: JobStatus.SUCCEEDED}
    assert (await shown(own_database, own_tenant))[0].attempts == 2


async def test_a_job_that_cannot_succeed_fails_at_once(
    own_state: State, own_database: Database, own_tenant: UUID
) -> None:
    job = await defer(own_database, own_tenant)
    async with worker(own_state, Recorder(ReadError("no text"))) as app:
        await work_off(app)
    assert await statuses(own_database, own_tenant) == {job: JobStatus.FAILED}


async def test_a_retry_is_not_blocked_by_a_newer_job_that_waits(
    own_state: State, own_database: Database, own_tenant: UUID
) -> None:
    """Procrastinate alone would leave the first job running for ever, and its collection locked."""
    first = await defer(own_database, own_tenant)
    asked: list[int] = []

    async def fail_once(work: Work) -> None:
        if not asked:
            asked.append(await defer(own_database, work.tenant))
            raise StorageError("away")

    async with worker(own_state, fail_once) as app:
        await work_off(app)
        now(own_state, "UPDATE procrastinate_jobs SET scheduled_at = now() WHERE status = 'todo'")
        await work_off(app)
    assert asked != [first]
    assert await statuses(own_database, own_tenant) == {
        first: JobStatus.SUCCEEDED,
        asked[0]: JobStatus.SUCCEEDED,
    }


async def test_jobs_of_one_collection_take_turns(
    own_state: State, own_database: Database, own_tenant: UUID
) -> None:
    running, most = 0, 0

    async def body(work: Work) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        async with own_database.session(work.tenant, labels=None):  # lets others run
            pass
        running -= 1

    turns = [task for task in Task if task is not Task.DELETE]  # which waits for none of them
    for task in turns:
        await defer(own_database, own_tenant, task)
    async with worker(own_state, body) as app:
        for _ in turns:  # a worker that does not wait goes when all that is left is locked
            await work_off(app, concurrency=4)
    assert most == 1
    assert set((await statuses(own_database, own_tenant)).values()) == {JobStatus.SUCCEEDED}


async def test_a_waiting_job_can_be_cancelled(
    own_state: State, own_database: Database, own_tenant: UUID
) -> None:
    job = await defer(own_database, own_tenant)
    body = Recorder()
    async with own_database.session(own_tenant, labels=None) as session:
        assert await Jobs(session).cancel(job)
        assert not await Jobs(session).cancel(job)
    async with worker(own_state, body) as app:
        await work_off(app)
    assert body.seen == []
    assert await statuses(own_database, own_tenant) == {job: JobStatus.CANCELLED}


async def test_a_running_job_can_be_cancelled(
    own_state: State, own_database: Database, own_tenant: UUID
) -> None:
    job, began = await defer(own_database, own_tenant), asyncio.Event()

    async def body(_work: Work) -> None:
        began.set()
        await asyncio.Event().wait()

    async with worker(own_state, body) as app, asyncio.timeout(60):
        running = asyncio.create_task(
            app.run_worker_async(wait=False, install_signal_handlers=False)
        )
        await began.wait()
        async with own_database.session(own_tenant, labels=None) as session:
            assert await Jobs(session).cancel(job)
        await running
    assert await statuses(own_database, own_tenant) == {job: JobStatus.ABORTED}


async def test_a_job_of_a_worker_that_shuts_down_goes_back_to_the_queue(
    own_state: State, own_database: Database, own_tenant: UUID
) -> None:
    job, began = await defer(own_database, own_tenant), asyncio.Event()

    async def body(_work: Work) -> None:
        began.set()
        await asyncio.Event().wait()

    async with worker(own_state, body) as app, asyncio.timeout(60):
        running = asyncio.create_task(
            app.run_worker_async(install_signal_handlers=False, shutdown_graceful_timeout=0)
        )
        await began.wait()
        running.cancel()
        await asyncio.wait([running])
    assert await statuses(own_database, own_tenant) == {job: JobStatus.TODO}


async def test_nobody_can_see_or_cancel_the_job_of_another(
    own_state: State, own_database: Database, own_tenant: UUID
) -> None:
    job, other = await defer(own_database, own_tenant), await new_tenant(own_state.owner)
    async with own_database.session(other, labels=None) as session:
        assert await Jobs(session).listed(limit=9) == []
        for attempt in (Jobs(session).get, Jobs(session).cancel):
            with pytest.raises(NotFoundError):
                await attempt(job)
    assert await statuses(own_database, own_tenant) == {job: JobStatus.TODO}

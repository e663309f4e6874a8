"""Tenants have their turns: nobody's document waits for all that another tenant has sent."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from unittest.mock import AsyncMock
from uuid import UUID

import pytest

from tests.integration.places import Place
from tests.integration.service.people import new_tenant
from tests.integration.service.queueing import defer, shown, statuses, until, work_off, worker
from tests.integration.service.serving import service_settings
from tests.integration.service.test_work import given, owner, rows, upload
from tests.servers.postgres import State
from tests.unit.ingest.test_read_bombs import BOMBS
from upheld.ingest.read import ReadDocument
from upheld_service.db.database import Database
from upheld_service.db.documents import DocumentStatus
from upheld_service.db.jobs import Jobs, JobStatus
from upheld_service.db.queue import Again, Task, Work, worker_app
from upheld_service.jobs.document_writes import DocumentUpload, give, take_back
from upheld_service.jobs.tasks import BATCH, Works, bodies
from upheld_service.jobs.worker import working
from upheld_service.resources import Service, opened
from upheld_service.telemetry.metrics import Metrics

pytestmark = pytest.mark.real


@pytest.fixture
async def service(own_state: State, tmp_path: Path) -> AsyncIterator[Service]:
    settings = service_settings(own_state, Place(str(tmp_path)), jobs_at_once=1)
    async with opened(settings, Metrics()) as it:
        yield it


class Slices:
    """A body that needs several turns, and notes whose they were."""

    def __init__(self, turns: dict[UUID, int]) -> None:
        self.left, self.seen = turns, list[UUID]()

    async def __call__(self, work: Work) -> Again | None:
        self.seen.append(work.tenant)
        self.left[work.tenant] = self.left.get(work.tenant, 1) - 1
        return Again() if self.left[work.tenant] > 0 else None


async def test_a_tenant_with_many_jobs_delays_another_by_one(
    own_state: State, own_database: Database
) -> None:
    many, one = await new_tenant(own_state.owner), await new_tenant(own_state.owner)
    for number in range(5):
        await defer(own_database, many, collection=f"c{number}")
    await defer(own_database, one)
    body = Slices({})
    async with worker(own_state, body) as app:
        await work_off(app)
    assert body.seen == [many, one, many, many, many, many]


async def test_a_long_job_lets_others_in_between_and_stays_the_same_job(
    own_state: State, own_database: Database
) -> None:
    long, short = await new_tenant(own_state.owner), await new_tenant(own_state.owner)
    job = await defer(own_database, long)
    await defer(own_database, short)
    body = Slices({long: 20})
    async with worker(own_state, body) as app:
        await work_off(app)
    assert body.seen == [long, short, *[long] * 19]
    (shown_job,) = await shown(own_database, long)
    assert (shown_job.id, shown_job.status) == (job, JobStatus.SUCCEEDED)
    assert shown_job.attempts == 1  # a turn is no attempt that failed


async def test_tenants_with_long_jobs_go_round(own_state: State, own_database: Database) -> None:
    tenants = [await new_tenant(own_state.owner) for _ in range(3)]
    for each in tenants:
        await defer(own_database, each)
    body = Slices(dict.fromkeys(tenants, 3))
    async with worker(own_state, body) as app:
        await work_off(app)
    assert body.seen == tenants * 3


async def test_a_worker_gives_a_tenant_one_of_its_places(
    own_state: State, own_database: Database
) -> None:
    many, one = await new_tenant(own_state.owner), await new_tenant(own_state.owner)
    for number in range(4):
        await defer(own_database, many, collection=f"c{number}")
    held = asyncio.Event()
    seen: list[UUID] = []

    async def body(work: Work) -> None:
        seen.append(work.tenant)
        if work.tenant == many and len(seen) == 1:
            await held.wait()
        elif work.tenant == one:
            held.set()

    async with worker(own_state, body) as app, asyncio.timeout(60):
        working = asyncio.create_task(
            app.run_worker_async(
                concurrency=4, install_signal_handlers=False, fetch_job_polling_interval=300
            )
        )
        await until(AsyncMock(side_effect=lambda: seen))
        await defer(own_database, one)
        await held.wait()
        assert seen[:2] == [many, one]
        # The others follow without waiting for the worker's next look.
        await until(AsyncMock(side_effect=lambda: seen.count(many) == 4))
        working.cancel()
        await asyncio.wait([working])


async def test_a_job_between_its_turns_can_be_cancelled(
    own_state: State, own_database: Database, own_tenant: UUID
) -> None:
    job = await defer(own_database, own_tenant)
    turns = 0

    async def body(work: Work) -> Again:
        nonlocal turns
        turns += 1
        return Again(seconds=3600)

    async with worker(own_state, body) as app:
        await work_off(app)
        assert await statuses(own_database, own_tenant) == {job: JobStatus.TODO}
        async with own_database.session(own_tenant, labels=None) as session:
            assert await Jobs(session).cancel(job)
        await work_off(app)
    assert turns == 1
    assert await statuses(own_database, own_tenant) == {job: JobStatus.CANCELLED}


async def test_one_document_does_not_wait_for_all_of_another_tenant(
    service: Service, own_state: State
) -> None:
    much, little = [Work(await new_tenant(own_state.owner), "staff") for _ in range(2)]
    for number in range(3 * BATCH):
        await given(service, much, f"d{number:03}", b"The tower opens at nine.")
    await given(service, little, "note", b"The mill opens at ten.")
    jobs = worker_app(own_state.service, bodies(service))
    async with jobs.open_async():
        await work_off(jobs)
    (note,) = await rows(service, little)
    others = await rows(service, much)
    assert {each.status for each in (note, *others)} == {DocumentStatus.READY}
    before = [each for each in others if each.updated_at < note.updated_at]
    assert len(before) == BATCH


class Held:
    """A reader that waits in the middle of a document until it is let go."""

    def __init__(self, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        self.began, self.go = asyncio.Event(), asyncio.Event()
        self._loop = asyncio.get_running_loop()
        real = type(service.shared.reader).__call__

        def read(reader: object, data: bytes, name: str) -> ReadDocument:
            if b"held" in data:
                self._loop.call_soon_threadsafe(self.began.set)
                asyncio.run_coroutine_threadsafe(self.go.wait(), self._loop).result(60)
            return real(service.shared.reader, data, name)

        monkeypatch.setattr(type(service.shared.reader), "__call__", read)


async def test_a_deletion_does_not_wait_for_what_is_read(
    service: Service, own_state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in another tenant's collection nor in its own."""
    slow, other = [Work(await new_tenant(own_state.owner), "staff") for _ in range(2)]
    for each in (slow, other):
        await given(service, each, "old", b"The tower opens at nine.")
        await Works(service).ingest(each)
    held = Held(service, monkeypatch)
    async with asyncio.timeout(60), working(service):
        await given(service, slow, "new", b"Doors that were held.")
        await held.began.wait()
        for each in (slow, other):
            await take_back(service, owner(each), "staff", "old", None)
        await until(partial(has_only, service, other))
        async with service.tenant_indexes.of(slow.tenant, "staff") as kb:

            async def gone() -> bool:
                return not await kb.documents()

            await until(gone)  # its words, though its row waits
        held.go.set()
        await until(partial(has_only, service, slow, "ready"))


async def test_what_is_deleted_while_it_is_read_leaves_nothing(
    service: Service, own_state: State, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    work = Work(await new_tenant(own_state.owner), "staff")
    held = Held(service, monkeypatch)
    async with asyncio.timeout(60), working(service):
        await given(service, work, "new", b"Zanzibar was held.")
        await held.began.wait()
        await take_back(service, owner(work), "staff", "new", None)
        await until(partial(has_run, service, work, Task.DELETE))  # beside the reader
        held.go.set()
        await until(partial(has_only, service, work))
    assert not holds(tmp_path, b"Zanzibar")


def holds(folder: Path, words: bytes) -> bool:
    return any(words in each.read_bytes() for each in folder.rglob("*") if each.is_file())


async def has_only(service: Service, work: Work, *statuses: str) -> bool:
    return [each.status for each in await rows(service, work)] == list(statuses)


async def has_run(service: Service, work: Work, task: Task) -> bool:
    """Whether a job of the kind has had a turn, and waits for the next."""
    async with service.database.session(work.tenant, labels=None) as session:
        jobs = [job for job in await Jobs(session).listed(limit=9) if job.task is task]
    return any(job.status is JobStatus.TODO and job.changed_at > job.asked_at for job in jobs)


@pytest.mark.campaign
async def test_large_files_of_one_tenant_do_not_delay_a_note_of_another(
    own_state: State, tmp_path: Path
) -> None:
    """With real models: 5 MB to embed and six hostile spreadsheets, and then 30 bytes."""
    settings = service_settings(own_state, Place(str(tmp_path)), local_models=True)
    large = b"".join(b"The barge %d carries %d sacks. " % (n, n * n) for n in range(140_000))
    bomb = BOMBS["two cells as far apart as can be"]()
    async with opened(settings, Metrics()) as service, working(service), asyncio.timeout(280):
        much, little = [Work(await new_tenant(own_state.owner), "staff") for _ in range(2)]
        await given(service, much, "large", large)
        for number in range(6):
            waiting = await upload(service, much.tenant, bomb)
            incoming = DocumentUpload("staff", f"bomb{number}", "bomb.xlsx", frozenset(), waiting)
            await give(service, owner(much), incoming, None)
        await until(partial(began, service, much, Task.INGEST))
        asked = time.monotonic()
        await given(service, little, "note", b"The mill opens at ten o'clock.")
        await until(partial(has_only, service, little, "ready"))
        took = time.monotonic() - asked
        assert "pending" in [each.status for each in await rows(service, much)]
        print(f"30 bytes were ready after {took:.1f} s, while {len(large):,} are read")


async def began(service: Service, work: Work, task: Task) -> bool:
    async with service.database.session(work.tenant, labels=None) as session:
        return bool(await Jobs(session).running(task, work.collection))

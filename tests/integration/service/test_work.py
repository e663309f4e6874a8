"""Jobs may run twice, at once, or after a kill: what they leave is the same."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest

from tests.integration.places import Place
from tests.integration.service.people import new_tenant
from tests.integration.service.serving import service_settings
from tests.servers.postgres import State
from upheld._internal.cache import cached_entries
from upheld.edge.lance.index import LanceIndex
from upheld.ports import Statistics
from upheld_service.auth.middleware import Principal
from upheld_service.db import documents
from upheld_service.db.documents import Document, DocumentStatus
from upheld_service.db.jobs import Jobs
from upheld_service.db.keys import KeyScope
from upheld_service.db.queue import Task, Work
from upheld_service.jobs.document_writes import DocumentUpload, give, take_back
from upheld_service.jobs.tasks import TAIL_ROWS, Works, untidy
from upheld_service.jobs.uploads import Upload, receive, sweep
from upheld_service.resources import Service, opened
from upheld_service.telemetry.metrics import Metrics

pytestmark = pytest.mark.real
NOBODY_WAITS = timedelta(seconds=-60)


@pytest.fixture
async def service(own_state: State, tmp_path: Path) -> AsyncIterator[Service]:
    async with opened(service_settings(own_state, Place(str(tmp_path))), Metrics()) as it:
        yield it


@pytest.fixture
async def work(own_state: State) -> Work:
    return Work(await new_tenant(own_state.owner), "staff")


async def upload(service: Service, tenant: UUID, text: bytes) -> Upload:
    async def chunks() -> AsyncIterator[bytes]:
        yield text

    return await receive(service, tenant, "staff", chunks())


async def given(service: Service, work: Work, id: str, text: bytes) -> Upload:
    waiting = await upload(service, work.tenant, text)
    incoming = DocumentUpload("staff", id, f"{id}.txt", frozenset(), waiting)
    await give(service, owner(work), incoming, None)
    return waiting


def owner(work: Work) -> Principal:
    return Principal(work.tenant, "test", frozenset(KeyScope), None)


async def rows(service: Service, work: Work) -> list[Document]:
    async with service.database.session(work.tenant, labels=None) as session:
        return await documents.listed(session, "staff", limit=50)


async def test_twice_at_once_is_once(service: Service, work: Work) -> None:
    for number in range(4):
        await given(service, work, f"d{number}", b"The tower opens at nine.")
    works = Works(service)
    await asyncio.gather(works.ingest(work), works.ingest(work))
    await works.ingest(work)
    assert [each.status for each in await rows(service, work)] == [DocumentStatus.READY] * 4
    async with service.tenant_indexes.of(work.tenant, "staff") as kb:
        held = await kb.statistics()
    assert (held.documents, held.passages) == (4, 4)
    for number in range(4):
        await take_back(service, owner(work), "staff", f"d{number}", None)
    await asyncio.gather(works.delete(work), works.delete(work))
    await works.delete(work)
    assert await rows(service, work) == []


async def test_a_job_that_was_stopped_is_run_again(service: Service, work: Work) -> None:
    """Killed after the index was written, before the row was moved: the bytes still wait."""
    await given(service, work, "rota", b"The tower opens at nine.")
    works = Works(service)
    (row,) = await rows(service, work)
    async with service.tenant_indexes.of(work.tenant, "staff") as kb:
        await kb.put([await works._bytes(work, row)])
    await works.ingest(work)
    (row,) = await rows(service, work)
    assert (row.status, row.upload) == (DocumentStatus.READY, None)
    async with service.tenant_indexes.of(work.tenant, "staff") as kb:
        assert (await kb.statistics()).passages == 1


async def test_bytes_that_are_gone_are_said_to_be(service: Service, work: Work) -> None:
    waiting = await given(service, work, "rota", b"The tower opens at nine.")
    await service.objects(work.tenant).delete([waiting.name])
    await Works(service).ingest(work)
    (row,) = await rows(service, work)
    assert row.status is DocumentStatus.FAILED
    assert "upload it again" in (row.error or "")


async def test_a_sweep_deletes_uploads_without_a_document(service: Service, work: Work) -> None:
    wanted = await given(service, work, "rota", b"The tower opens at nine.")
    lost = await upload(service, work.tenant, b"from a request that broke off")
    storage = service.objects(work.tenant)
    await sweep(service, work)
    assert {each.name for each in await storage.listed()} == {wanted.name, lost.name}
    await sweep(service, work, grace=NOBODY_WAITS)
    assert {each.name for each in await storage.listed()} == {wanted.name}


async def test_indexes_in_use_stay_open_and_idle_ones_are_closed(
    own_state: State, tmp_path: Path
) -> None:
    settings = service_settings(own_state, Place(str(tmp_path)), open_indexes=1)
    async with opened(settings, Metrics()) as service:
        first, second = (
            Work(await new_tenant(own_state.owner), "staff"),
            Work(await new_tenant(own_state.owner), "staff"),
        )
        for each in (first, second):
            await given(service, each, "rota", b"The tower opens at nine.")
            await Works(service).ingest(each)
        assert list(service.tenant_indexes._open) == [second.tenant]
        async with service.tenant_indexes.of(first.tenant, "staff") as one:
            async with service.tenant_indexes.of(second.tenant, "staff") as two:
                assert len(await one.documents()) == len(await two.documents()) == 1
                assert len(service.tenant_indexes._open) == 2
            assert len(await one.documents()) == 1
        assert len(service.tenant_indexes._open) == 1


async def test_a_tail_is_tidied_once_it_is_a_part_of_the_collection(
    service: Service, work: Work
) -> None:
    works = Works(service)
    for number in range(TAIL_ROWS):
        assert await asked_for(service, work, Task.COMPACT) == 0
        await given(service, work, f"d{number}", b"The tower opens at nine.")
        await works.ingest(work)
    assert await asked_for(service, work, Task.COMPACT) == 1
    await works.compact(work)
    async with service.tenant_indexes.of(work.tenant, "staff") as kb:
        held = await kb.statistics()
    assert (held.rows, held.unindexed, held.fragments) == (TAIL_ROWS, 0, 1)


async def test_after_a_deletion_no_cache_holds_the_text(service: Service, work: Work) -> None:
    await given(service, work, "rota", b"The tower opens at nine.")
    works = Works(service)
    await works.ingest(work)
    async with service.tenant_indexes.of(work.tenant, "staff") as kb:
        answer = await kb.ask("When does the tower open?")
        assert "nine" in answer.text
        index = kb._parts.index
    assert cached_entries() == 0
    assert isinstance(index, LanceIndex)
    before = index._collections["staff"]
    await take_back(service, owner(work), "staff", "rota", None)
    await works.delete(work)
    assert index._collections.get("staff") is not before  # nor does the engine, in its own cache
    assert cached_entries() == 0


async def asked_for(service: Service, work: Work, task: Task) -> int:
    async with service.database.session(work.tenant, labels=None) as session:
        return sum(job.task is task for job in await Jobs(session).listed(limit=50))


@pytest.mark.parametrize(
    ("rows", "unindexed", "fragments", "due"),
    [
        (7, 7, 7, False),
        (8, 8, 1, True),
        (1_000, 100, 9, False),
        (1_000, 125, 9, True),
        (1_000, 1, 51, True),
        (100_000, 4_000, 9, True),
    ],
)
def test_when_an_index_is_tidied(rows: int, unindexed: int, fragments: int, due: bool) -> None:
    assert untidy(Statistics(rows, rows, rows, unindexed, fragments, None)) is due

"""What jobs do: each brings one collection to what its rows say, and may be run twice.

Rows are read and moved in short transactions of their own; between them lies the work, which takes
as long as it takes. A row that was changed meanwhile is left for the next look.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from upheld.client import AsyncUpheld
from upheld.errors import CalibrationError, MissingExtraError, NotFoundError, UpheldError, WebError
from upheld.ingest.add_files import LONGEST_TAIL
from upheld.ingest.given import Given
from upheld.ports import Statistics
from upheld.service.db import answers, collections, documents, guarantees, idempotency
from upheld.service.db.database import Session
from upheld.service.db.documents import Document, DocumentStatus
from upheld.service.db.jobs import Jobs
from upheld.service.db.queue import Again, Body, Task, Work
from upheld.service.http.problems import problem_of
from upheld.service.jobs.calibration import Asked, fit
from upheld.service.jobs.uploads import sweep
from upheld.service.resources import Service

# What one turn reads, in one commit of the index; then other tenants have theirs. A document that
# is larger, or takes longer, has a turn of its own.
BATCH = 16
BATCH_BYTES = 1_000_000
BATCH_SECONDS = 5.0
LOOK_AGAIN_SECONDS = 1.0
DELETED_AT_ONCE = 256  # documents; what takes long is to tidy the index after them
# Searches read what is not indexed yet word by word: docs/decisions/001-search-engine.md.
MOST_FRAGMENTS = 50
TAIL_ROWS, TAIL_SHARE = 8, 1 / 8
_LOST = "its bytes are gone; send it again"


def bodies(service: Service) -> Mapping[Task, Body]:
    """What runs for each kind of job."""
    works = Works(service)
    return {
        Task.INGEST: works.ingest,
        Task.DELETE: works.delete,
        Task.COMPACT: works.compact,
        Task.CALIBRATE: works.calibrate,
    }


@dataclass(frozen=True, slots=True)
class Works:
    """The jobs, on the parts of one process."""

    service: Service

    async def ingest(self, work: Work) -> Again | None:
        """Read some of what is pending; again, if there is more."""
        async with self.service.tenant_indexes.of(work.tenant, work.collection) as kb:
            pending = await self._rows(work, DocumentStatus.PENDING)
            if pending:
                await self._read(work, kb, pending)
            if await self._rows(work, DocumentStatus.PENDING, limit=1):
                return Again()
            held = await kb.statistics()
        await sweep(self.service, work)
        if untidy(held):
            async with self._session(work) as session:
                await Jobs(session).defer(Task.COMPACT, work.collection)
        return None

    async def delete(self, work: Work) -> Again | None:
        """Remove whatever is marked: from index, old versions and storage first, its row last.

        What is read at the same moment may still write a document that was marked meanwhile: its
        row stays until that has ended, so that the document is looked for once more.
        """
        storage = self.service.objects(work.tenant)
        async with self.service.tenant_indexes.of(work.tenant, work.collection) as kb:
            marked = await self._rows(work, DocumentStatus.DELETING, limit=DELETED_AT_ONCE)
            reading = await self._reading(work)  # after the rows: who began later saw the mark
            if marked:
                removed = await kb.delete([each.id for each in marked])
                if removed or not reading:  # it takes long, and this may be the tenth look
                    await kb.maintain()
                await storage.delete([each.upload for each in marked if each.upload])
                if reading:
                    return Again(LOOK_AGAIN_SECONDS)
                async with self._session(work) as session:
                    for each in marked:
                        await documents.forget(session, each)
                if await self._rows(work, DocumentStatus.DELETING, limit=1):
                    return Again()
        await sweep(self.service, work)
        async with self._session(work) as session:
            await collections.end_if_empty(session, work.collection)
        return None

    async def compact(self, work: Work) -> None:
        """Tidy the index, and drop what nobody will ask for."""
        async with self.service.tenant_indexes.of(work.tenant, work.collection) as kb:
            await kb.maintain()
        await sweep(self.service, work)
        async with self._session(work) as session:
            await idempotency.sweep(session)

    async def calibrate(self, work: Work) -> None:
        """Fit the labels that wait; a job whose labels certify nothing fails, however often run."""
        while (looked := await self._guarantee(work)) is not None and looked.asked is not None:
            found = await asyncio.to_thread(fit, Asked.model_validate(looked.asked))
            async with self._session(work) as session:
                await guarantees.finish(session, work.collection, looked, found)
        if looked is not None and looked.told is not None:
            raise CalibrationError(f"Nothing could be certified. {looked.told}")

    async def _read(self, work: Work, kb: AsyncUpheld, rows: Sequence[Document]) -> None:
        """Index a batch, then move its rows on; bytes that were read are not kept."""
        given: list[Given] = []
        failed: dict[str, str] = {}
        began = time.monotonic()
        for row in rows:
            try:
                given.append(await self._bytes(work, row))
            except NotFoundError:
                failed[row.id] = _LOST
            except (WebError, MissingExtraError) as error:
                failed[row.id] = str(error)
            if sum(len(each.data) for each in given) > BATCH_BYTES:
                break  # the rest come with the next turn
            if time.monotonic() - began > BATCH_SECONDS:  # pages of the web can be slow
                break
        versions: Mapping[str, str] = {}
        try:
            report = await kb.put(given, seconds=BATCH_SECONDS)
            versions, failed = report.versions, failed | dict(report.failed)
        except UpheldError as error:
            if error.retryable:
                raise
            failed |= {each.id: problem_of(error).detail for each in given}
        sizes = {each.id: len(each.data) for each in given}
        done = [row for row in rows if row.id in failed or row.id in versions]
        async with self._session(work) as session:
            for row in done:
                if row.id in failed:
                    await documents.fail(session, row, error=failed[row.id])
                else:
                    await documents.finish(
                        session, row, version=versions[row.id], size=sizes[row.id]
                    )
            if any(row.version is not None for row in done):  # what it replaces must be erased
                await answers.forget_unreachable(session, work.collection)  # labels may be others
                await Jobs(session).defer(Task.COMPACT, work.collection)
        await self.service.objects(work.tenant).delete([row.upload for row in done if row.upload])

    async def _bytes(self, work: Work, row: Document) -> Given:
        if row.upload is not None:
            data = await self.service.objects(work.tenant).get(row.upload)
            return Given(row.id, data, row.origin, row.origin, row.labels)
        if self.service.fetch is None:
            raise MissingExtraError("Fetching a page", "web")
        page = await self.service.fetch(row.origin)
        return Given(row.id, page.data, page.name, page.uri, row.labels)

    async def _guarantee(self, work: Work) -> guarantees.Looked | None:
        async with self._session(work) as session:
            return await guarantees.look(session, work.collection)

    async def _rows(
        self, work: Work, status: DocumentStatus, *, limit: int = BATCH
    ) -> list[Document]:
        async with self._session(work) as session:
            return await documents.listed(session, work.collection, limit=limit, status=status)

    async def _reading(self, work: Work) -> frozenset[int]:
        async with self._session(work) as session:
            return await Jobs(session).running(Task.INGEST, work.collection)

    def _session(self, work: Work) -> AbstractAsyncContextManager[Session]:
        """The owner's view: a job serves everybody who may see a part of the collection."""
        return self.service.database.session(work.tenant, labels=None)


def untidy(held: Statistics) -> bool:
    """Whether searches pay for what was given since the index was tidied last.

    A small collection is tidied early, which takes a moment; a large one when its tail has grown
    with it, so that a document costs no more tidying the more there are.
    """
    if held.unindexed >= LONGEST_TAIL or held.fragments > MOST_FRAGMENTS:
        return True
    return held.unindexed >= max(TAIL_ROWS, TAIL_SHARE * held.rows)

"""The bodies of jobs: each brings one collection in line with its rows, and may run twice.

Rows are read and updated in short transactions; the work between them takes as long as it takes. A
row that was changed meanwhile is left for the next run.
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
from upheld.ingest.given import Given, PutReport
from upheld.ports import Statistics
from upheld_service.db import answers, collections, documents, guarantees, idempotency
from upheld_service.db.database import Session
from upheld_service.db.documents import Document, DocumentStatus, Original
from upheld_service.db.jobs import Jobs
from upheld_service.db.queue import Again, Body, Task, Work
from upheld_service.http.problems import problem_of
from upheld_service.jobs.calibration import Asked, fit
from upheld_service.jobs.uploads import media_type, store, sweep
from upheld_service.resources import Service

# What one turn reads, in one commit of the index; then other tenants get their turn. A document
# that is larger, or takes longer, has a turn of its own.
BATCH = 16
BATCH_BYTES = 1_000_000
BATCH_SECONDS = 5.0
LOOK_AGAIN_SECONDS = 1.0
DELETED_AT_ONCE = 256  # documents; maintaining the index afterwards is what takes long
# Searches scan what is not indexed yet: docs/decisions/001-search-engine.md.
MOST_FRAGMENTS = 50
TAIL_ROWS, TAIL_SHARE = 8, 1 / 8
_LOST = "the uploaded bytes are no longer stored; upload it again"


def bodies(service: Service) -> Mapping[Task, Body]:
    """Return the body of each kind of job."""
    works = Works(service)
    return {
        Task.INGEST: works.ingest,
        Task.DELETE: works.delete,
        Task.COMPACT: works.compact,
        Task.CALIBRATE: works.calibrate,
    }


@dataclass(frozen=True, slots=True)
class Works:
    """The bodies of the jobs, with the resources of one process."""

    service: Service

    async def ingest(self, work: Work) -> Again | None:
        """Read a batch of pending documents; returns `Again` if there are more."""
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
        """Delete marked documents: from index, old versions and storage first, their rows last.

        A concurrent ingestion may still write a document that was marked meanwhile: its row stays
        until that ingestion has ended, so that the document is deleted once more.
        """
        storage = self.service.objects(work.tenant)
        async with self.service.tenant_indexes.of(work.tenant, work.collection) as kb:
            marked = await self._rows(work, DocumentStatus.DELETING, limit=DELETED_AT_ONCE)
            reading = await self._reading(work)  # after the rows: later jobs saw the mark
            if marked:
                removed = await kb.delete([each.id for each in marked])
                if removed or not reading:  # it takes long, and this may be the tenth run
                    await kb.maintain()
                stored = [name for each in marked for name in (each.upload, each.original) if name]
                await storage.delete(stored)
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
        """Maintain the index, and delete idempotency replies that are too old."""
        async with self.service.tenant_indexes.of(work.tenant, work.collection) as kb:
            await kb.maintain()
        await sweep(self.service, work)
        async with self._session(work) as session:
            await idempotency.sweep(session)

    async def calibrate(self, work: Work) -> None:
        """Fit the waiting labels; the job fails for good if they certify nothing."""
        while (looked := await self._guarantee(work)) is not None and looked.asked is not None:
            found = await asyncio.to_thread(fit, Asked.model_validate(looked.asked))
            async with self._session(work) as session:
                await guarantees.finish(session, work.collection, looked, found)
        if looked is not None and looked.told is not None:
            raise CalibrationError(f"Nothing could be certified. {looked.told}")

    async def _read(self, work: Work, kb: AsyncUpheld, rows: Sequence[Document]) -> None:
        """Index a batch, then update its rows; bytes that were read are kept or deleted."""
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
                break  # the rest is read in the next turn
            if time.monotonic() - began > BATCH_SECONDS:  # web pages can be slow
                break
        report = PutReport({}, {})
        try:
            report = await kb.put(given, seconds=BATCH_SECONDS)
            failed |= dict(report.failed)
        except UpheldError as error:
            if error.retryable:
                raise
            failed |= {each.id: problem_of(error).detail for each in given}
        # What could not be replaced has no text left: the new labels may be others.
        if stale := [row.id for row in rows if row.id in failed and row.version is not None]:
            await kb.delete(stale)
        sizes = {each.id: len(each.data) for each in given}
        done = [row for row in rows if row.id in failed or row.id in report.versions]
        originals = await self._originals(work, done, given, report)
        unused = {row.upload for row in done} | {each.name for each in originals.values()}
        async with self._session(work) as session:
            for row in done:
                original = None if row.id in failed else originals.get(row.id)
                if row.id in failed:
                    moved = await documents.fail(session, row, error=failed[row.id])
                else:
                    version, size = report.versions[row.id], sizes[row.id]
                    moved = await documents.finish(
                        session, row, version=version, size=size, original=original
                    )
                if not moved:  # another run of this job may have kept it
                    unused.discard(row.upload)
                elif original is not None:
                    unused.discard(original.name)
            if any(row.version is not None for row in done):  # what it replaces must be erased
                await answers.forget_unreachable(session, work.collection)  # labels may differ
                await Jobs(session).defer(Task.COMPACT, work.collection)
        await self.service.objects(work.tenant).delete(sorted(filter(None, unused)))

    async def _originals(
        self, work: Work, rows: Sequence[Document], given: Sequence[Given], report: PutReport
    ) -> dict[str, Original]:
        """Return where the originals are, by document; a page that was fetched is stored here."""
        if not self.service.settings.keep_originals:
            return {}
        files = {each.id: each for each in given if each.id in report.versions}
        originals: dict[str, Original] = {}
        for row in rows:
            if (file := files.get(row.id)) is not None:
                name = row.upload or await store(
                    self.service, work.tenant, work.collection, file.data
                )
                kind = media_type(file.name, file.data)
                originals[row.id] = Original(name, kind, report.pages[row.id])
        return originals

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
        """Open an owner's session: a job serves all callers of the collection."""
        return self.service.database.session(work.tenant, labels=None)


def untidy(held: Statistics) -> bool:
    """Return whether searches are slowed by documents added since the last maintenance.

    A small collection is maintained early, which is quick; a large one when its unindexed rows have
    grown in proportion, so that the cost per document stays constant.
    """
    if held.unindexed >= LONGEST_TAIL or held.fragments > MOST_FRAGMENTS:
        return True
    return held.unindexed >= max(TAIL_ROWS, TAIL_SHARE * held.rows)

"""What jobs do: each brings one collection to what its rows say, and may be run twice.

Rows are read and moved in short transactions of their own; between them lies the work, which takes
as long as it takes. A row that was changed meanwhile is left for the next look.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from upheld.client import AsyncUpheld
from upheld.errors import MissingExtraError, NotFoundError, UpheldError, WebError
from upheld.ingest.given import Given
from upheld.ingest.pipeline import LONGEST_TAIL
from upheld.service.opened import Service
from upheld.service.state import collections, documents, idempotency
from upheld.service.state.documents import Document, DocumentStatus
from upheld.service.state.jobs import Jobs
from upheld.service.state.tasks import Body, Task, Work
from upheld.service.uploads import discard, name_of, unwanted

BATCH = 16  # documents in one commit of the index
BATCH_BYTES = 32_000_000
MOST_FRAGMENTS = 50
# An upload that no row names yet may belong to a request that is still under way.
UPLOAD_GRACE = timedelta(hours=1)


def bodies(service: Service) -> Mapping[Task, Body]:
    """What runs for each kind of job."""
    works = Works(service)
    return {Task.INGEST: works.ingest, Task.DELETE: works.delete, Task.COMPACT: works.compact}


@dataclass(frozen=True, slots=True)
class Works:
    """The jobs of one process."""

    service: Service

    async def ingest(self, work: Work) -> None:
        """Read whatever is pending."""
        replaced = False
        async with self.service.knowledge.of(work.tenant, work.collection) as kb:
            while pending := await self._rows(work, DocumentStatus.PENDING):
                replaced = replaced or any(each.version is not None for each in pending)
                await self._read(work, kb, pending)
            held = await kb.statistics()
        if replaced or held.unindexed >= LONGEST_TAIL or held.fragments > MOST_FRAGMENTS:
            async with self._session(work) as session:
                await Jobs(session).defer(Task.COMPACT, work.collection)

    async def delete(self, work: Work) -> None:
        """Remove whatever is marked: index, old versions and bytes first, its row last."""
        async with self.service.knowledge.of(work.tenant, work.collection) as kb:
            while marked := await self._rows(work, DocumentStatus.DELETING):
                await kb.delete([each.id for each in marked])
                await kb.maintain()
                async with self._session(work) as session:
                    for each in marked:
                        await documents.forget(session, each)
        await self._sweep(work, grace=timedelta(0) if False else UPLOAD_GRACE)
        async with self._session(work) as session:
            await collections.end_if_empty(session, work.collection)

    async def compact(self, work: Work) -> None:
        """Tidy the index, and drop what nobody will ask for."""
        async with self.service.knowledge.of(work.tenant, work.collection) as kb:
            await kb.maintain()
        await self._sweep(work, grace=UPLOAD_GRACE)
        async with self._session(work) as session:
            await idempotency.sweep(session)

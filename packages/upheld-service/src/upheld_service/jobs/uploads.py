"""Uploaded bytes in the tenant's own storage: until a job has read them, or as originals."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import PurePath
from uuid import UUID

from upheld.errors import StorageError, UsageError
from upheld.ingest.read import SUFFIXES
from upheld.ports import Objects
from upheld.types import new_id
from upheld_service.db import documents
from upheld_service.db.queue import Work
from upheld_service.resources import Service

# No collection can have this name, so none can collide with it.
FOLDER = "_uploads"
# An upload without a row may belong to a request that is still running.
GRACE = timedelta(hours=1)
# For the store alone, while it accepts bytes; the client may take longer.
STORE_SECONDS = 20.0
PDF = "application/pdf"
# For bytes without a file name.
_SUFFIX_OF = {
    "text/plain": ".txt",
    "text/csv": ".csv",
    "text/markdown": ".md",
    "text/html": ".html",
    "application/xhtml+xml": ".xhtml",
    PDF: ".pdf",
    "application/epub+zip": ".epub",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
}


@dataclass(frozen=True, slots=True)
class Upload:
    """Stored bytes: their name, hash and size."""

    name: str
    sha256: str
    size: int


async def receive(
    service: Service, tenant: UUID, collection: str, chunks: AsyncIterator[bytes]
) -> Upload:
    """Store bytes as they arrive; raises `StorageError` if the store hangs."""
    name = f"{FOLDER}/{collection}/{new_id()}"
    digest, length = hashlib.sha256(), 0
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(STORE_SECONDS) as patience:

            async def counted() -> AsyncIterator[bytes]:
                nonlocal length
                patience.reschedule(None)  # now we wait for the client
                async for chunk in chunks:
                    if chunk:
                        digest.update(chunk)
                        length += len(chunk)
                        patience.reschedule(loop.time() + STORE_SECONDS)
                        yield chunk
                        patience.reschedule(None)
                patience.reschedule(loop.time() + STORE_SECONDS)

            await service.objects(tenant).put(name, counted())
    except TimeoutError as late:
        raise StorageError("The storage did not accept the bytes in time.") from late
    if not length:
        await discard(service, tenant, [name])
        raise UsageError("The document is empty.", help="Send its bytes as the request's body.")
    return Upload(name, digest.hexdigest(), length)


async def store(service: Service, tenant: UUID, collection: str, data: bytes) -> str:
    """Store the bytes of a fetched page; returns their name."""

    async def whole() -> AsyncIterator[bytes]:
        yield data

    name = f"{FOLDER}/{collection}/{new_id()}"
    await service.objects(tenant).put(name, whole())
    return name


def media_type(name: str, data: bytes) -> str:
    """Return the media type of a file that was read, by its suffix as the reader does."""
    if data.startswith(b"%PDF-"):
        return PDF
    suffix = PurePath(name).suffix.lower()
    return next((kind for kind, known in _SUFFIX_OF.items() if known == suffix), "text/plain")


async def discard(service: Service, tenant: UUID, names: Sequence[str]) -> None:
    """Delete bytes that will not be read; if the store fails, a sweep deletes them later."""
    with suppress(TimeoutError, StorageError):
        async with asyncio.timeout(STORE_SECONDS):
            await service.objects(tenant).delete(names)


def readable_name(id: str, file_name: str | None, content_type: str) -> str:
    """Return a name whose suffix tells the reader the format; raises `UsageError` if unknown."""
    kind = content_type.partition(";")[0].strip().lower()
    name = file_name or f"{id}{_SUFFIX_OF.get(kind, '')}"
    if PurePath(name).suffix.lower() not in SUFFIXES:
        raise UsageError(
            f"The format of {name} is not supported.",
            help=f"Give a file name (?name=) that ends in one of {' '.join(sorted(SUFFIXES))}, "
            f"or a content type of {', '.join(sorted(_SUFFIX_OF))}.",
        )
    return name


async def sweep(service: Service, work: Work, *, grace: timedelta = GRACE) -> None:
    """Delete uploads and originals without a row, left by interrupted requests and killed jobs."""
    storage: Objects = service.objects(work.tenant)
    before = datetime.now(UTC) - grace
    found = await storage.listed(f"{FOLDER}/{work.collection}")
    old = {each.name for each in found if each.changed_at < before}
    if old:
        async with service.database.session(work.tenant, labels=None) as session:
            old -= await documents.uploads(session, work.collection)
    await storage.delete(sorted(old))

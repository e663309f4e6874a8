"""Ingest documents that are passed as bytes: read, chunk, embed and write them.

`PageReader` reads and chunks a fetched web page in the same way, without storing it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from upheld._internal.concurrency import in_reading_thread
from upheld.errors import MissingExtraError, ReadError
from upheld.ingest.chunk import Chunker
from upheld.ingest.document import (
    Reader,
    document_id,
    ingest_version,
    read_document,
    with_vectors,
)
from upheld.ingest.read.document import one_line
from upheld.ports import Embedder, Index, IndexedDocument
from upheld.types import Document, Passage


@dataclass(frozen=True, slots=True)
class Given:
    """A document passed as bytes, with an id chosen by the caller; `name` determines its format.

    Example::

        given = Given(id="hours", data=b"The tower opens at nine.", name="a.txt", uri="note:7")
        report = await kb.put([given])
    """

    id: str
    data: bytes
    name: str
    uri: str
    labels: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PutReport:
    """The versions and pages of the documents that were written, and why others failed, by id.

    Example::

        report = await kb.put([given])
        report.versions["hours"]  # KeyError if it failed: then report.failed["hours"] says why
    """

    versions: Mapping[str, str]
    failed: Mapping[str, str]
    pages: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # where each page begins


async def put(
    given: Sequence[Given],
    *,
    index: Index,
    embedder: Embedder | None,
    chunker: Chunker,
    reader: Reader,
    collection: str,
    seconds: float = math.inf,
) -> PutReport:
    """Write documents in one commit; those that cannot be read are reported and skipped.

    After `seconds` no further document is started; those left are not in the report.
    """
    began = time.monotonic()
    version = ingest_version(chunker, embedder)
    cut: list[tuple[Document, tuple[Passage, ...]]] = []
    pages: dict[str, tuple[int, ...]] = {}
    failed: dict[str, str] = {}
    for each in given:
        if time.monotonic() - began > seconds:
            break
        try:
            document, passages, starts = await in_reading_thread(
                _cut, each, reader, chunker, version
            )
            cut.append((document, passages))
            pages[each.id] = starts
        except (ReadError, MissingExtraError) as error:
            failed[each.id] = str(error)
    vectors = None
    if embedder is not None and cut:
        vectors = await embedder.embed([each.searchable for _, part in cut for each in part])
    await index.upsert(collection, with_vectors(cut, vectors))
    return PutReport({document.id: document.version for document, _ in cut}, failed, pages)


def _cut(
    given: Given, reader: Reader, chunker: Chunker, version: str
) -> tuple[Document, tuple[Passage, ...], tuple[int, ...]]:
    document, read = read_document(
        reader,
        given.data,
        given.name,
        id=given.id,
        uri=given.uri,
        title=one_line(PurePath(given.name).stem),
        ingest_version=version,
        labels=given.labels,
    )
    return document, chunker(document, read), read.pages


@dataclass(frozen=True, slots=True)
class PageReader:
    """Reads and chunks a fetched page; its reader should be a `ReadWorker`: pages are untrusted."""

    reader: Reader
    chunker: Chunker = field(default_factory=Chunker)

    def __call__(self, data: bytes, name: str, *, uri: str, title: str) -> IndexedDocument:
        """Return the main text of the page as a document; `title` is used if the page has none."""
        document, read = read_document(
            self.reader,
            data,
            name,
            id=document_id(uri),
            uri=uri,
            title=one_line(title) or uri,
            ingest_version=ingest_version(self.chunker, None),
        )
        return IndexedDocument(document, self.chunker(document, read))

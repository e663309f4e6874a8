"""Read bytes as a `Document`: used for files, uploads, web pages and sources to verify."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from upheld.ingest.chunk import Chunker
from upheld.ingest.read import READERS_VERSION, ReadDocument
from upheld.ports import Embedder, IndexedDocument
from upheld.types import Document, Passage, content_hash

if TYPE_CHECKING:
    from upheld.ports import Vectors

Reader = Callable[[bytes, str], ReadDocument]


def read_document(
    reader: Reader,
    data: bytes,
    name: str,
    *,
    id: str,
    uri: str,
    title: str,
    ingest_version: str = "",
    labels: frozenset[str] = frozenset(),
) -> tuple[Document, ReadDocument]:
    """Read bytes as a document; also return the reader's result, for the chunker.

    `name` determines the format; `title` is used if the content has none. Raises `ReadError` or
    `MissingExtraError`, as the reader does.
    """
    read = reader(data, name)
    document = Document(
        id=id,
        uri=uri,
        title=read.title or title,
        text=read.text,
        source_hash=content_hash(data),
        ingest_version=ingest_version,
        labels=labels,
    )
    return document, read


def ingest_version(chunker: Chunker, embedder: Embedder | None) -> str:
    """Name the versions of reader, chunker and embedder; a change means to read again."""
    vectors = embedder.identity if embedder else "none"
    return f"read {READERS_VERSION}; chunk {chunker.version}; embed {vectors}"


def document_id(uri: str) -> str:
    """Derive the id from the address: new content at the same address replaces the document."""
    return content_hash(uri)[:16]


def with_vectors(
    documents: Sequence[tuple[Document, tuple[Passage, ...]]], vectors: Vectors | None
) -> list[IndexedDocument]:
    """Pair documents with vectors for the index; `vectors` has one row per passage, in order."""
    indexed: list[IndexedDocument] = []
    at = 0
    for document, passages in documents:
        end = at + len(passages)
        own = None if vectors is None else vectors[at:end]
        indexed.append(IndexedDocument(document, passages, own))
        at = end
    return indexed

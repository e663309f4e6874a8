"""The one way from bytes to a `Document`: files, uploads, web pages and sources to verify."""

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
    """Read bytes as a document, and return with it what the reader found, for the chunker.

    `name` tells the format; `title` is the document's title where its content has none.
    Raises `ReadError` or `MissingExtraError`, as the reader does.
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
    """Names all that passages are made with: if it changes, so must they."""
    vectors = embedder.identity if embedder else "none"
    return f"read {READERS_VERSION}; chunk {chunker.version}; embed {vectors}"


def document_id(uri: str) -> str:
    """A document is its address: new content at the same one replaces it."""
    return content_hash(uri)[:16]


def with_vectors(
    documents: Sequence[tuple[Document, tuple[Passage, ...]]], vectors: Vectors | None
) -> list[IndexedDocument]:
    """Documents as the index takes them; `vectors` has a row for each passage, in their order."""
    indexed: list[IndexedDocument] = []
    at = 0
    for document, passages in documents:
        end = at + len(passages)
        own = None if vectors is None else vectors[at:end]
        indexed.append(IndexedDocument(document, passages, own))
        at = end
    return indexed

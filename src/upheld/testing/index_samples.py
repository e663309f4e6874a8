"""Shared by the checks of an index: small documents, and helpers to open and query an index."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from upheld.ports import Index, IndexedDocument
from upheld.types import Document, Hit, Passage, Place, Scope, passage_id

EMBEDDER, DIMENSION = "test-embedder", 4
OWNER = Scope("shelf")


def made(
    id: str,
    *texts: str,
    title: str = "",
    labels: Iterable[str] = (),
    vectors: list[list[float]] | None = None,
    headings: tuple[str, ...] = (),
    ingest_version: str = "test",
    places: Iterable[tuple[int, int | None, tuple[str, ...]]] = (),
) -> IndexedDocument:
    """Make a document of these passages, one line each, with the places inside each of them."""
    import numpy as np

    text = "\n".join(texts)
    document = Document(
        id, f"file:{id}", title, text, f"source of {id}", ingest_version, frozenset(labels)
    )
    version, start = document.version, 0
    passages = []
    for page, each in enumerate(texts, 1):
        end = start + len(each)
        passages.append(
            Passage(
                passage_id(id, version, start, end),
                each,
                id,
                version,
                start,
                end,
                title,
                document.uri,
                page,
                headings,
                document.labels,
                tuple(Place(*place) for place in places if start < place[0] < end),
            )
        )
        start = end + 1
    rows: Any = vectors or [[1.0, 0.0, 0.0, 0.0]] * len(texts)
    return IndexedDocument(
        document, tuple(passages), np.asarray(rows, dtype=np.float32).reshape(-1, DIMENSION)
    )


def unit(*values: float) -> Any:
    """Return a query vector."""
    import numpy as np

    return np.asarray(values, dtype=np.float32)


OpenIndex = Callable[[str | None, int | None], Awaitable[Index]]
Check = Callable[[OpenIndex], Awaitable[None]]


def ids(hits: Iterable[Hit]) -> list[str]:
    """Return the documents of the hits, in order."""
    return [hit.passage.document_id for hit in hits]


async def opened(open_index: OpenIndex) -> Index:
    """Open the index with the embedder of the samples."""
    return await open_index(EMBEDDER, DIMENSION)


async def raises(kind: type[Exception], call: Awaitable[object]) -> Exception:
    """Return the error that the call must raise; fails if it does not."""
    try:
        await call
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised")

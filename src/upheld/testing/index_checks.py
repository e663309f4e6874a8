"""What the checks of an index share: how they open it, and what they expect."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

from upheld.ports import Index
from upheld.testing.index_samples import DIMENSION, EMBEDDER
from upheld.types import Hit

OpenIndex = Callable[[str | None, int | None], Awaitable[Index]]
Check = Callable[[OpenIndex], Awaitable[None]]


def ids(hits: Iterable[Hit]) -> list[str]:
    """The documents that were hit, in order."""
    return [hit.passage.document_id for hit in hits]


async def opened(open_index: OpenIndex) -> Index:
    """The index, with the embedder of the samples."""
    return await open_index(EMBEDDER, DIMENSION)


async def raises(kind: type[Exception], call: Awaitable[object]) -> Exception:
    """The error that the call must end with."""
    try:
        await call
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised")

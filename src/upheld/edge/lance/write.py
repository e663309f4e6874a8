"""Write to a collection: the commit protocol, step by step."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from upheld._internal.concurrency import together
from upheld.edge.lance import rows
from upheld.edge.lance.collection import Collection, has_places
from upheld.edge.lance.failures import commit, newest, rereading
from upheld.edge.lance.rows import all_of, one_of
from upheld.errors import EmbedderMismatchError, UsageError
from upheld.ports import IndexedDocument
from upheld.types import new_id

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb import AsyncTable


async def upsert(collection: Collection, documents: Sequence[IndexedDocument]) -> None:
    """Write texts and passages under a new commit, then document rows; then remove old rows."""
    batch = list({each.document.id: each for each in documents}.values())
    for each in batch:
        _check(collection, each)
    fresh = new_id()
    await add_rows(collection, batch, fresh)
    await acknowledge(collection, batch, fresh)


async def add_rows(collection: Collection, batch: Sequence[IndexedDocument], fresh: str) -> None:
    """Step 1: add rows, which are not visible yet."""
    # In a thread: thousands of passages take a tenth of a second.
    texts = await asyncio.to_thread(rows.text_rows, batch, fresh)
    dimension = collection.meta.dimension
    passages = await asyncio.to_thread(rows.passage_rows, batch, fresh, dimension)
    try:
        await _add_places(collection)
        await together(
            append("Writing texts", collection.texts, texts),
            append("Writing passages", collection.passages, passages),
        )
    finally:
        collection.wrote()


async def acknowledge(collection: Collection, batch: Sequence[IndexedDocument], fresh: str) -> None:
    """Steps 2 and 3: make the new rows visible in one atomic step, and remove the old ones."""
    replaced = await _named_now(collection, [each.document.id for each in batch])
    data = rows.document_rows(batch, fresh)
    try:
        await commit(
            "Acknowledging documents",
            collection.documents,
            lambda: (
                collection.documents.merge_insert("id")
                .when_matched_update_all()
                .when_not_matched_insert_all()
                .execute(data)
            ),
        )
    finally:
        collection.wrote()
    await drop(collection, replaced)


async def delete(collection: Collection, document_ids: Sequence[str]) -> int:
    """Delete documents and return their number; document rows go first, to hide the passages."""
    named = await _named_now(collection, document_ids)
    if not named:
        return 0
    await collection.prefix.owe_erasure(collection.meta.tables)
    try:
        result: Any = await commit(
            "Deleting documents",
            collection.documents,
            lambda: collection.documents.delete(one_of("id", named)),
        )
    finally:
        collection.wrote()
    await drop(collection, named, owed=True)
    return int(result.num_deleted_rows)


async def _add_places(collection: Collection) -> None:
    """Add the column `places` to a table that was created before it existed."""

    async def attempt() -> None:
        if not await has_places(collection.passages):
            await collection.passages.add_columns(rows.PLACES)

    if not collection.has_places:
        await commit("Adding a column", collection.passages, attempt)
        collection.has_places = True


async def append(doing: str, table: AsyncTable, data: pa.Table) -> None:
    """Add rows to a table."""
    if data.num_rows:
        await commit(doing, table, lambda: table.add(data))


@rereading
async def _named_now(collection: Collection, document_ids: Sequence[str]) -> dict[str, str]:
    """Return the commits that the newest document rows name."""
    await newest(collection.documents)
    collection.wrote()  # the handle may have moved
    return await collection.commits_of(document_ids)


async def drop(
    collection: Collection, superseded: Mapping[str, str], *, owed: bool = False
) -> None:
    """Remove the rows of commits that were live before: they can never become live again.

    Only these: rows of any other commit may belong to a writer that has yet to acknowledge.
    """
    if not superseded:
        return
    if not owed:
        await collection.prefix.owe_erasure(collection.meta.tables)
    condition = all_of(
        one_of("document_id", superseded), one_of("commit", sorted(set(superseded.values())))
    )
    try:
        await together(
            commit(
                "Removing old passages",
                collection.passages,
                lambda: collection.passages.delete(condition),
            ),
            commit(
                "Removing old texts", collection.texts, lambda: collection.texts.delete(condition)
            ),
        )
    finally:
        collection.wrote()


def _check(collection: Collection, each: IndexedDocument) -> None:
    document, dimension = each.document, collection.meta.dimension
    version = document.version
    for passage in each.passages:
        if passage.document_id != document.id or passage.document_version != version:
            raise UsageError(f"Passage {passage.id!r} is not of document {document.id!r} as given.")
    if dimension is None:
        return
    if each.vectors is None:
        if each.passages:
            raise EmbedderMismatchError(
                f"Collection {collection.name!r} needs vectors of {collection.meta.embedder}.",
                help="Open it with that embedder to add documents.",
            )
        return
    import numpy as np

    if each.vectors.shape != (len(each.passages), dimension):
        raise UsageError(
            f"Document {document.id!r} has vectors of shape {each.vectors.shape}; "
            f"expected ({len(each.passages)}, {dimension})."
        )
    if not np.isfinite(each.vectors).all():
        raise UsageError(f"Document {document.id!r} has vectors that are not finite.")

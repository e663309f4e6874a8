"""Maintain a collection: remove dead rows, update indexes, erase old bytes."""

from __future__ import annotations

import time
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from upheld.edge.lance.collection import Collection, text_index
from upheld.edge.lance.failures import commit, newest, rereading, translated
from upheld.edge.lance.rows import all_of, in_fragment, literal, now_ms, one_of
from upheld.ports import Maintained

if TYPE_CHECKING:
    from lancedb import AsyncTable

GRACE_SECONDS = 3600.0
# Below this, an exact scan takes at most 30 ms and finds everything; at 30,000 rows it takes 48 ms,
# and a search of the index 6 ms: docs/decisions/033-growth.md
ANN_ROWS = 20_000
# Rows that are indexed later are a segment of their own, and each costs a search about 1.2 ms; to
# join them, the index is built anew, which takes a minute for 100,000 rows.
MOST_SEGMENTS = 16
_PRUNE = timedelta(milliseconds=1)  # keeps only the newest version
_DELETE_TOGETHER = 500  # pairs in one condition


async def maintain(collection: Collection, grace: float, *, loading: bool = False) -> Maintained:
    """Implement `LanceIndex.maintain`; the order of steps keeps its guarantee if it is killed.

    Pending erasures are read first and cleared last, so a run that dies can simply be repeated.
    """
    started = time.monotonic()
    await collection.refresh()
    removed = 0
    for table in (collection.passages, collection.texts):
        removed += await _remove_dead(collection, table, grace)
    owed = await collection.prefix.owed_erasures(collection.meta.tables)
    built: list[str] = []
    for table in (collection.passages, collection.texts, collection.documents):
        if owed:
            await _rewrite_holed_fragments(collection, table)
        built += await _build_indexes(collection, table, again=bool(owed), loading=loading)
        # `optimize` prunes before it indexes, so what indexing leaves behind needs a second call.
        for _ in range(2):
            await commit(
                "Compacting",
                table,
                partial(table.optimize, cleanup_older_than=_PRUNE, delete_unverified=grace <= 0),
            )
    collection.wrote()
    await collection.refresh()
    await collection.prefix.clear_erasures(owed)
    await _remove_old_tables(collection, grace)
    return Maintained(removed, tuple(built), time.monotonic() - started)


async def _remove_dead(collection: Collection, table: AsyncTable, grace: float) -> int:
    """Remove rows whose document names another commit, if older than any write can take."""
    old = f"written_at <= {now_ms() - int(grace * 1000)}"
    pairs = await _commits_in(table, old)
    # Read after the rows: an older row is either acknowledged by now, or never will be.
    live = await _all_commits(collection)
    dead: dict[str, list[str]] = {}
    for document, its_commit in pairs:
        if live.get(document) != its_commit:
            dead.setdefault(its_commit, []).append(document)
    if not dead:
        return 0
    await collection.prefix.owe_erasure(collection.meta.tables)
    removed = 0
    for its_commit, documents in dead.items():
        for first in range(0, len(documents), _DELETE_TOGETHER):
            some = documents[first : first + _DELETE_TOGETHER]
            where = all_of(f"commit = {literal(its_commit)}", one_of("document_id", some), old)
            result: Any = await commit(
                "Removing dead rows",
                table,
                partial(table.delete, where),
            )
            removed += int(result.num_deleted_rows)
    collection.wrote()
    return removed


async def _remove_old_tables(collection: Collection, grace: float) -> None:
    """Remove tables that a re-embedding replaced, once no search in progress can read them."""
    prefix, switched_at = collection.prefix, collection.meta.switched_at
    if switched_at is None or now_ms() < switched_at + grace * 1000:
        return
    folders = await prefix.table_folders()
    # Read after the listing: tables are named in the log before they are created.
    meta = await prefix.newer_meta(collection.meta.generation) or collection.meta
    if meta.tables != collection.meta.tables:
        return
    used = {meta.tables, meta.building.tables if meta.building else ""}
    for folder in folders:
        if folder not in used:
            await prefix.discard(folder)
            await prefix.clear_erasures(await prefix.owed_erasures(folder))


@rereading
async def _commits_in(table: AsyncTable, where: str) -> set[tuple[str, str]]:
    """Return the pairs of document and commit in the rows of the table."""
    await newest(table)
    with translated("Looking for dead rows"):
        query = table.query().where(where).select(["document_id", "commit"])
        return {
            pair
            async for batch in await query.to_batches()
            for pair in zip(*(column.to_pylist() for column in batch.columns), strict=True)
        }


@rereading
async def _all_commits(collection: Collection) -> dict[str, str]:
    await newest(collection.documents)
    with translated("Reading documents"):
        table = await collection.documents.query().select(["id", "commit"]).to_arrow()
    collection.wrote()
    return dict(
        zip(table.column("id").to_pylist(), table.column("commit").to_pylist(), strict=True)
    )


async def _rewrite_holed_fragments(collection: Collection, table: AsyncTable) -> None:
    """Move the live rows out of fragments that contain removed ones.

    The engine's compaction skips a fragment while less than a tenth of it is removed: good for
    speed, but the removed bytes would stay.
    """
    for fragment in await collection.prefix.fragments_with_deletions(
        collection.meta.tables, table.name
    ):
        await commit(
            "Rewriting",
            table,
            partial(table.update, where=in_fragment(fragment), updates_sql={"commit": "commit"}),
        )


async def _build_indexes(
    collection: Collection, table: AsyncTable, *, again: bool, loading: bool
) -> list[str]:
    """Build missing indexes, or all of them `again` if rows were removed.

    An index keeps the words of removed rows until it is rebuilt. That of vectors takes long: while
    more rows are loading, it is neither built nor joined.
    """
    from lancedb.index import Bitmap, BTree, IvfHnswSq, LabelList

    wanted: dict[str, Any] = {"document_id": BTree()}
    if table is collection.documents:
        wanted = {"id": BTree()}
    elif table is collection.passages:
        wanted = {"searchable": text_index(), "id": BTree(), "document_id": BTree()}
        with translated("Counting rows"):
            large = await table.count_rows() >= ANN_ROWS
        if large:  # the labels of a few rows are read faster than an index
            wanted |= {"labels": LabelList(), "labelled": Bitmap()}
        if large and collection.meta.dimension and (again or not loading):
            wanted["vector"] = IvfHnswSq(distance_type="cosine")
    with translated("Listing indexes"):
        existing = {
            index.columns[0]: index.num_segments or 1 for index in await table.list_indices()
        }
    built = []
    for column, config in wanted.items():
        split = column == "vector" and existing.get(column, 1) > MOST_SEGMENTS
        if again or split or column not in existing:
            await commit(
                "Indexing",
                table,
                partial(table.create_index, column, config=config, replace=True),
            )
            built.append(f"{table.name}.{column}")
    return built

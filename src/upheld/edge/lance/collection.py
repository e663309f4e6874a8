"""One collection: its three tables, and which of their rows are live."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from upheld._internal.memory import memory
from upheld.edge.lance import rows
from upheld.edge.lance.engine import load_lancedb
from upheld.edge.lance.failures import READS, MovedError, VanishedError, newest, translated
from upheld.edge.lance.meta import Meta
from upheld.edge.lance.rows import one_of
from upheld.edge.lance.storage import TABLES, Prefix
from upheld.types import new_id

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb import AsyncConnection, AsyncTable
    from lancedb.index import FTS

FRESH_SECONDS = 1.0  # how long writes of other processes may stay invisible
KNOWN_DOCUMENTS = 50_000  # up to this many, all commits are in memory; above it, a bounded cache
WIDEN = 4
# The cache of indexes, per collection. An index that does not fit is read again for each search:
# at a million passages that took 0.7 s instead of 0.05.
LEAST_INDEX_CACHE = 256_000_000
INDEX_CACHE_SHARE = 8  # of the machine's memory
METADATA_CACHE_BYTES = 64_000_000

Fetch = Callable[[int], Awaitable["list[Found]"]]


@dataclass(slots=True)
class Found:
    """Rows that a query returned, and the indexes of the live ones."""

    table: pa.Table
    keep: list[int] = field(default_factory=list)

    @property
    def rows(self) -> int:
        count: int = self.table.num_rows
        return count


@dataclass(slots=True)
class Snapshot:
    """What is known about one pair of table versions; replaced, never updated to another pair."""

    live: dict[str, str] = field(default_factory=dict)  # document -> commit; "" for no document
    dead: set[tuple[str, str]] = field(default_factory=set)  # confirmed after a refresh
    complete: bool = False
    loaded: bool = False


@dataclass(slots=True)
class Collection:
    """Handles to the tables, which move to new versions together so that readers see one state."""

    name: str
    prefix: Prefix
    meta: Meta
    connection: AsyncConnection
    texts: AsyncTable
    passages: AsyncTable
    documents: AsyncTable
    has_places: bool = False  # whether `passages` has that column: see `rows.PLACES`
    in_use: bool = True  # False for tables that a re-embedding is still writing
    _snapshot: Snapshot = field(default_factory=Snapshot)
    _versions: tuple[int, int] = (0, 0)
    _refreshed_at: float = 0.0
    _followed_at: float = 0.0
    _moving: asyncio.Lock = field(default_factory=asyncio.Lock)

    @classmethod
    async def open(cls, name: str, prefix: Prefix, meta: Meta) -> Collection:
        """Open the tables that the collection's `meta.json` names."""
        connection = await _connect(prefix, meta)
        with translated(f"Opening {prefix.uri}"):
            texts, passages, documents = [
                await connection.open_table(table) for table in ("texts", "passages", "documents")
            ]
        return cls(name, prefix, meta, connection, texts, passages, documents)

    @classmethod
    async def make(cls, name: str, prefix: Prefix, meta: Meta) -> Collection:
        """Create a collection, or open the one that another process created at the same moment.

        Each process creates complete tables of its own and then tries to write the `meta.json` that
        names them, because the engine lets two creators of one table overwrite each other.
        """
        ours = replace(meta, tables=new_tables())
        made = await cls.build(name, prefix, ours)
        # Without an index the engine would scan new rows with another tokeniser.
        with translated(f"Making {prefix.uri}"):
            await made.passages.create_index("searchable", config=text_index())
        agreed = await prefix.make_meta(ours)
        if agreed == ours:
            return made
        await prefix.discard(ours.tables)
        agreed.check(meta, name)
        return await cls.open(name, prefix, agreed)

    @classmethod
    async def build(cls, name: str, prefix: Prefix, meta: Meta) -> Collection:
        """Create the tables that are not there yet, without any index, and open them."""
        connection = await _connect(prefix, meta)
        with translated(f"Making {prefix.uri}"):
            texts, passages, documents = [
                await connection.create_table(table, schema=schema, exist_ok=True)
                for table, schema in (
                    ("texts", rows.TEXTS),
                    ("passages", rows.passages_schema(meta.dimension)),
                    ("documents", rows.DOCUMENTS),
                )
            ]
        return cls(name, prefix, meta, connection, texts, passages, documents, has_places=True)

    def close(self) -> None:
        handles: list[Any] = [self.texts, self.passages, self.documents, self.connection]
        for handle in handles:
            handle.close()

    @property
    def passage_columns(self) -> list[str]:
        """The columns that a search reads to make passages."""
        return [*rows.PASSAGE_COLUMNS, *([rows.PLACES.name] if self.has_places else [])]

    def wrote(self) -> None:
        """Drop the snapshot after a write of this process, which moved a table."""
        self._snapshot = Snapshot()

    async def freshen(self) -> None:
        """Load writes of other processes if the last refresh is too long ago."""
        if time.monotonic() - self._refreshed_at >= FRESH_SECONDS:
            await self.refresh(older_than=FRESH_SECONDS)

    async def follow(self, *, older_than: float = 0.0) -> None:
        """Read what was added to the log of `meta.json`; raises `MovedError` for other tables."""
        started = time.monotonic()
        if not self.in_use or self._followed_at > started - older_than:
            return
        newer = await self.prefix.newer_meta(self.meta.generation)
        if newer is not None:
            if newer.tables != self.meta.tables:
                raise MovedError(f"Collection {self.name!r} was re-embedded.")
            self.meta = newer
        self._followed_at = started

    async def refresh(self, *, older_than: float = 0.0) -> None:
        """Move to the newest versions: documents first, so that the passages they name exist."""
        asked_at = time.monotonic()
        async with self._moving:
            if self._refreshed_at > asked_at - older_than:
                return  # another task did it while this one waited
            started = time.monotonic()
            await self.follow()
            await newest(self.documents)
            await newest(self.passages)
            with translated("Reading the newest version"):
                versions = (await self.documents.version(), await self.passages.version())
                self.has_places = self.has_places or await has_places(self.passages)
            if versions != self._versions:
                self._versions = versions
                self._snapshot = Snapshot()
            self._refreshed_at = started

    async def live_rows(self, fetch: Fetch, limit: int) -> list[Found]:
        """Search until each list has `limit` live rows or there are no more.

        A row may look dead only because a writer committed between two reads. So both tables are
        refreshed once before a row counts as dead.
        """
        await self.freshen()
        refreshed, lost = False, 0
        ask = limit
        while True:
            snapshot = self._snapshot
            try:
                found = await fetch(ask)
                doubtful = await self._judge(snapshot, found)
            except VanishedError:
                lost += 1
                if lost == READS:
                    raise
            else:
                if refreshed or not doubtful:
                    snapshot.dead |= doubtful
                    if all(len(each.keep) >= limit or each.rows < ask for each in found):
                        return found
                    ask *= WIDEN
                    continue
            await self.refresh()
            refreshed = True

    async def _judge(self, snapshot: Snapshot, found: list[Found]) -> set[tuple[str, str]]:
        """Keep the live rows of each list; returns dead rows that were not known to be dead."""
        named = [each.table.column("document_id").to_pylist() for each in found]
        live = await self._live(snapshot, itertools.chain.from_iterable(named))
        doubtful: set[tuple[str, str]] = set()
        for each, documents in zip(found, named, strict=True):
            ids = each.table.column("id").to_pylist()
            commits = each.table.column("commit").to_pylist()
            # A row can occur twice if storage accepted a commit but reported it as failed.
            seen: set[str] = set()
            each.keep = []
            for place, (id, document, commit) in enumerate(
                zip(ids, documents, commits, strict=True)
            ):
                if live.get(document) == commit:
                    if id not in seen:
                        seen.add(id)
                        each.keep.append(place)
                elif (document, commit) not in snapshot.dead:
                    doubtful.add((document, commit))
        return doubtful

    async def _live(self, snapshot: Snapshot, documents: Iterable[str]) -> dict[str, str]:
        """Return the live commits of these documents, from memory if known."""
        if not snapshot.loaded:
            with translated("Reading documents"):
                if await self.documents.count_rows() <= KNOWN_DOCUMENTS:
                    everything = await self.documents.query().select(["id", "commit"]).to_arrow()
                    snapshot.live.update(_pairs(everything))
                    snapshot.complete = True
            snapshot.loaded = True
        if not snapshot.complete:
            missing = {document for document in documents if document not in snapshot.live}
            if missing:
                if len(snapshot.live) > KNOWN_DOCUMENTS:
                    snapshot.live.clear()
                snapshot.live |= dict.fromkeys(missing, "") | await self.commits_of(missing)
        return snapshot.live

    async def commits_of(self, documents: Iterable[str]) -> dict[str, str]:
        """Read the live commits of these documents from the table."""
        with translated("Reading documents"):
            query = self.documents.query().where(one_of("id", documents))
            return _pairs(await query.select(["id", "commit"]).to_arrow())


def new_tables() -> str:
    """Return a name for a folder of tables."""
    return f"{TABLES}{new_id()}"


def text_index() -> FTS:
    """Configure BM25 for English: stemmed, without stop words or accents, words of any length."""
    from lancedb.index import FTS

    return FTS(
        language="English",
        stem=True,
        remove_stop_words=True,
        ascii_folding=True,
        with_position=False,
        max_token_length=None,
    )


async def has_places(passages: AsyncTable) -> bool:
    """Return whether the newest version known to this handle has the column."""
    return rows.PLACES.name in (await passages.schema()).names


def _pairs(table: pa.Table) -> dict[str, str]:
    return dict(
        zip(table.column("id").to_pylist(), table.column("commit").to_pylist(), strict=True)
    )


async def _connect(prefix: Prefix, meta: Meta) -> AsyncConnection:
    lancedb = load_lancedb()
    with translated(f"Opening {prefix.uri}"):
        connection: AsyncConnection = await lancedb.connect_async(
            f"{prefix.uri}/{meta.tables}",
            storage_options=dict(prefix.options) or None,
            # Each collection has its own cache, freed with it.
            session=lancedb.Session(
                index_cache_size_bytes=max(LEAST_INDEX_CACHE, memory() // INDEX_CACHE_SHARE),
                metadata_cache_size_bytes=METADATA_CACHE_BYTES,
            ),
        )
    return connection

"""The search engine: LanceDB on a folder or on object storage, behind the `Index` port.

A collection has a prefix of its own, `<root>/<collection>/`, with `meta.json` (the embedder it was
created with) and three tables. Rows of `texts` and `passages` have the commit that wrote them;
`documents` has one row per document, which names the live commit.

**Writes** of a batch of documents make one commit on each table for the whole batch:

1. `texts` (keyed by the hash of the text) and `passages` rows are added under a new commit id;
2. the `documents` rows are merged last, in one atomic step: this acknowledges the write;
3. rows of the replaced commits are removed.

**Reads** keep a row only if its document's row names the row's commit. A writer killed before step
2 leaves rows that are never visible; one killed before step 3 leaves rows that are no longer
visible; `maintain` removes both. Of two writers of one document the last to acknowledge wins. Step
3 removes only rows that were live before, never rows of a commit that is still in progress.

**Re-embedding** gives a collection other tables, with vectors of another embedder (`re_embed.py`).
An index that was opened with the old embedder then searches by words only.

**Maintenance** of a collection is done by one process at a time, which holds a lease (`lease.py`).

**Writes of other processes** become visible within a second; a process sees its own at once.

**Erasure**: before rows are removed, an empty object under `erase/` records that their bytes must
be erased; `maintain` rewrites and re-indexes the files with them, drops old versions, and only then
deletes that object.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from upheld.edge.lance import re_embed, search, upkeep, write
from upheld.edge.lance.collection import FRESH_SECONDS, Collection, Found
from upheld.edge.lance.failures import MovedError, newest, rereading, translated
from upheld.edge.lance.lease import Lease
from upheld.edge.lance.meta import Meta
from upheld.edge.lance.rows import (
    all_of,
    literal,
    one_of,
    seen_in,
    storable,
    to_document_infos,
    to_passages,
)
from upheld.edge.lance.storage import Root
from upheld.errors import NotFoundError, UsageError
from upheld.ports import (
    Embedder,
    Filter,
    IndexedDocument,
    Maintained,
    ReEmbedded,
    Statistics,
)
from upheld.types import DocumentInfo, Hit, Passage, Scope

if TYPE_CHECKING:
    from upheld.ports import Vector

T = TypeVar("T")


class LanceIndex:
    """Implements `upheld.ports.Index`."""

    def __init__(self, root: Root, meta: Meta) -> None:
        self._root = root
        self._meta = meta
        self._collections: dict[str, Collection] = {}
        self._accepted: set[str] = set()  # collections that had the embedder of this index
        self._opening = asyncio.Lock()

    @classmethod
    async def open(
        cls,
        root: str,
        *,
        storage_options: Mapping[str, str] | None = None,
        embedder_identity: str | None = None,
        dimension: int | None = None,
    ) -> LanceIndex:
        """Open a folder or `s3://bucket/prefix`; the first upsert creates the collection."""
        if (embedder_identity is None) != (dimension is None):
            raise UsageError("An embedder has both an identity and a dimension.")
        return cls(Root.at(root, storage_options), Meta(embedder_identity, dimension))

    async def close(self) -> None:
        for collection in self._collections.values():
            collection.close()
        self._collections.clear()

    async def upsert(self, collection: str, documents: Sequence[IndexedDocument]) -> None:
        async def work(found: Collection) -> None:
            found.meta.check(self._meta, collection)
            await write.upsert(found, documents)

        if documents:
            await self._write(collection, work, make=True)

    async def delete(self, collection: str, document_ids: Sequence[str]) -> int:
        deleted = 0

        async def work(found: Collection) -> None:
            nonlocal deleted
            deleted = max(deleted, await write.delete(found, document_ids))

        await self._write(collection, work, make=False)
        return deleted

    async def bm25(
        self, query: str, scope: Scope, limit: int, where: Filter = Filter()
    ) -> list[Hit]:
        async def work(found: Collection) -> list[Hit]:
            return await search.bm25(found, query, scope, limit, where)

        return await self._read(scope.collection, work, []) if limit else []

    async def nearest(
        self, vector: Vector, scope: Scope, limit: int, where: Filter = Filter(), *, query: str = ""
    ) -> list[Hit]:
        async def work(found: Collection) -> list[Hit]:
            found.meta.check(self._meta, scope.collection)
            return await search.nearest(found, vector, scope, limit, where, query)

        return await self._read(scope.collection, work, []) if limit else []

    async def hybrid(
        self, query: str, vector: Vector, scope: Scope, limit: int, where: Filter = Filter()
    ) -> list[Hit]:
        async def work(found: Collection) -> list[Hit]:
            found.meta.check(self._meta, scope.collection)
            return await search.hybrid(found, query, vector, scope, limit, where)

        return await self._read(scope.collection, work, []) if limit else []

    async def passages(self, ids: Sequence[str], scope: Scope) -> list[Passage]:
        if not ids:
            return []
        condition = all_of(one_of("id", set(ids)), seen_in(scope))
        passages = {each.id: each for each in await self._passages(scope.collection, condition)}
        return [passages[id] for id in ids if id in passages]

    async def document_passages(self, document_id: str, scope: Scope) -> list[Passage]:
        if not storable(document_id):
            return []
        condition = all_of(f"document_id = {literal(document_id)}", seen_in(scope))
        passages = await self._passages(scope.collection, condition)
        return sorted(passages, key=lambda each: (each.start, each.end))

    async def _passages(self, collection: str, condition: str) -> list[Passage]:
        """Return the live passages for which a condition holds."""

        async def work(found: Collection) -> list[Passage]:
            async def fetch(_: int) -> list[Found]:
                with translated("Fetching passages"):
                    query = found.passages.query().where(condition)
                    query = query.select(found.passage_columns)
                    return [Found(await query.to_arrow())]

            (rows,) = await found.live_rows(fetch, 0)
            return to_passages(rows.table, rows.keep)

        return await self._read(collection, work, [])

    async def documents(self, scope: Scope) -> list[DocumentInfo]:
        @rereading
        async def work(found: Collection) -> list[DocumentInfo]:
            await found.refresh()
            with translated("Reading documents"):
                query = found.documents.query()
                if condition := seen_in(scope):
                    query = query.where(condition)
                infos = to_document_infos(await query.to_arrow())
            return sorted(infos, key=lambda info: info.id)

        return await self._read(scope.collection, work, [])

    async def document_text(
        self, document_id: str, scope: Scope, version: str | None = None
    ) -> str:
        @rereading
        async def work(found: Collection) -> str | None:
            for _ in range(2):  # twice, in case it was replaced between the two reads
                await found.refresh()
                await newest(found.texts)  # after the document row, so that its text exists
                with translated("Reading a document"):
                    condition = all_of(f"id = {literal(document_id)}", seen_in(scope))
                    query = found.documents.query().where(condition)
                    rows = (await query.select(["commit", "version"]).to_arrow()).to_pylist()
                    if not rows or version not in (None, rows[0]["version"]):
                        return None
                    condition = all_of(
                        f"document_id = {literal(document_id)}",
                        one_of("commit", [rows[0]["commit"]]),
                    )
                    query = found.texts.query().where(condition)
                    texts = (await query.select(["text"]).limit(1).to_arrow()).column("text")
                if len(texts):
                    return str(texts[0].as_py())
            return None

        text = None
        if storable(document_id):
            text = await self._read(scope.collection, work, None)
        if text is None:
            raise NotFoundError(
                f"No document {document_id!r}{f' in version {version}' if version else ''} "
                f"can be seen in collection {scope.collection!r}."
            )
        return text

    async def statistics(self, collection: str) -> Statistics:
        @rereading
        async def work(found: Collection) -> Statistics:
            await found.refresh()
            with translated("Reading statistics"):
                counts = await found.documents.query().select(["passages"]).to_arrow()
                stats: Any = await found.passages.stats()  # a dict, whatever its annotation says
                index = await found.passages.index_stats("searchable_idx")
            return Statistics(
                documents=counts.num_rows,
                passages=sum(counts.column("passages").to_pylist()),
                rows=stats["num_rows"],
                unindexed=index.num_unindexed_rows if index else stats["num_rows"],
                fragments=stats["fragment_stats"]["num_fragments"],
                embedder=found.meta.embedder,
            )

        nothing = Statistics(0, 0, 0, 0, 0, self._meta.embedder)
        return await self._read(collection, work, nothing)

    async def maintain(
        self,
        collection: str,
        *,
        loading: bool = False,
        grace: float = upkeep.GRACE_SECONDS,
        wait: bool = True,
    ) -> Maintained:
        """Compact, index new rows, and erase every byte of what was deleted or replaced.

        Safe beside readers and writers. Rows that killed writers left are removed once they are
        older than `grace` seconds, their uncommitted files after a week; `grace=0` removes both at
        once, and may only be used while nobody writes. One process does it at a time: others wait,
        or do nothing without `wait`.
        """

        async def work(found: Collection) -> Maintained:
            async with Lease(found.prefix).held(wait=wait) as ours:
                if not ours:
                    return Maintained(by_another=True)
                done = await upkeep.maintain(found, grace, loading=loading)
            if done.removed_rows or done.indexes_built:
                # Its cache has words of removed rows. Searches in progress keep using it.
                self._forget(found)
            return done

        return await self._read(collection, work, Maintained())

    async def re_embed(
        self,
        collection: str,
        embedder: Embedder,
        progress: Callable[[int, int], None] | None = None,
    ) -> ReEmbedded:
        """Embed all passages again, in tables that replace those in use in one atomic step.

        Safe beside readers, writers and `maintain`; writers wait during the last step. If it is
        killed, the next call with the same embedder continues. `progress` is called with the
        number of passages that are embedded, and of those to embed.
        """
        prefix = self._root.prefix(collection)
        tell = progress or (lambda done, total: None)
        done = await re_embed.re_embed(collection, prefix, embedder, tell)
        if found := self._collections.get(collection):
            self._forget(found)  # a process sees its own change at once
        return done

    async def _read(self, name: str, work: Callable[[Collection], Awaitable[T]], nothing: T) -> T:
        """Use the collection, or return `nothing` if there is none: reading never creates one.

        If it was re-embedded meanwhile, the work is repeated on its new tables.
        """
        while (found := await self._found(name)) is not None:
            try:
                return await work(found)
            except MovedError:
                self._forget(found)
        return nothing

    async def _write(
        self, name: str, work: Callable[[Collection], Awaitable[None]], *, make: bool
    ) -> None:
        """Likewise; what was written to tables that were replaced meanwhile is written again."""
        while found := await (self._made(name) if make else self._found(name)):
            try:
                await found.follow(older_than=FRESH_SECONDS)
                await work(found)
                await re_embed.confirm_write(found)
                return
            except MovedError:
                self._forget(found)

    def _forget(self, collection: Collection) -> None:
        if self._collections.get(collection.name) is collection:
            del self._collections[collection.name]

    async def _found(self, name: str) -> Collection | None:
        """Return the collection, or None: reading never creates one."""
        return self._collections.get(name) or await self._opened(name, make=False)

    async def _made(self, name: str) -> Collection:
        """Return the collection, created if necessary."""
        opened = self._collections.get(name) or await self._opened(name, make=True)
        assert opened is not None
        return opened

    async def _opened(self, name: str, *, make: bool) -> Collection | None:
        prefix = self._root.prefix(name)
        async with self._opening:
            if name in self._collections:
                return self._collections[name]
            meta = await prefix.read_meta()
            if meta is not None:
                if name not in self._accepted:  # else it was re-embedded while this index was open
                    meta.check(self._meta, name)
                opened = await Collection.open(name, prefix, meta)
            elif make:
                opened = await Collection.make(name, prefix, self._meta)
            else:
                return None
            self._collections[name] = opened
            self._accepted.add(name)
            return opened

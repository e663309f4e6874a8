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

**Maintenance** of a collection is done by one process at a time, which holds a lease (`lease.py`).

**Writes of other processes** become visible within a second; a process sees its own at once.

**Erasure**: before rows are removed, an empty object under `erase/` records that their bytes must
be erased; `maintain` rewrites and re-indexes the files with them, drops old versions, and only then
deletes that object.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from upheld.edge.lance import search, upkeep, write
from upheld.edge.lance.collection import Collection, Found
from upheld.edge.lance.failures import newest, rereading, translated
from upheld.edge.lance.lease import Lease
from upheld.edge.lance.rows import (
    all_of,
    literal,
    one_of,
    seen_in,
    storable,
    to_document_infos,
    to_passages,
)
from upheld.edge.lance.storage import Meta, Root
from upheld.errors import NotFoundError, UsageError
from upheld.ports import Filter, IndexedDocument, Maintained, Statistics
from upheld.types import DocumentInfo, Hit, Passage, Scope

if TYPE_CHECKING:
    from upheld.ports import Vector


class LanceIndex:
    """Implements `upheld.ports.Index`."""

    def __init__(self, root: Root, meta: Meta) -> None:
        self._root = root
        self._meta = meta
        self._collections: dict[str, Collection] = {}
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
        if documents:
            await write.upsert(await self._made(collection), documents)

    async def delete(self, collection: str, document_ids: Sequence[str]) -> int:
        found = await self._found(collection)
        return await write.delete(found, document_ids) if found else 0

    async def bm25(
        self, query: str, scope: Scope, limit: int, where: Filter = Filter()
    ) -> list[Hit]:
        found = await self._found(scope.collection)
        return await search.bm25(found, query, scope, limit, where) if found and limit else []

    async def nearest(
        self, vector: Vector, scope: Scope, limit: int, where: Filter = Filter(), *, query: str = ""
    ) -> list[Hit]:
        found = await self._found(scope.collection)
        if not found or not limit:
            return []
        return await search.nearest(found, vector, scope, limit, where, query)

    async def hybrid(
        self, query: str, vector: Vector, scope: Scope, limit: int, where: Filter = Filter()
    ) -> list[Hit]:
        found = await self._found(scope.collection)
        if not found or not limit:
            return []
        return await search.hybrid(found, query, vector, scope, limit, where)

    async def passages(self, ids: Sequence[str], scope: Scope) -> list[Passage]:
        found = await self._found(scope.collection)
        if not found or not ids:
            return []
        condition = all_of(one_of("id", set(ids)), seen_in(scope))
        passages = {passage.id: passage for passage in await self._passages(found, condition)}
        return [passages[id] for id in ids if id in passages]

    async def document_passages(self, document_id: str, scope: Scope) -> list[Passage]:
        found = await self._found(scope.collection)
        if not found or not storable(document_id):
            return []
        condition = all_of(f"document_id = {literal(document_id)}", seen_in(scope))
        passages = await self._passages(found, condition)
        return sorted(passages, key=lambda each: (each.start, each.end))

    async def _passages(self, found: Collection, condition: str) -> list[Passage]:
        """Return the live passages for which a condition holds."""

        async def fetch(_: int) -> list[Found]:
            with translated("Fetching passages"):
                query = found.passages.query().where(condition)
                query = query.select(found.passage_columns)
                return [Found(await query.to_arrow())]

        (rows,) = await found.live_rows(fetch, 0)
        return to_passages(rows.table, rows.keep)

    @rereading
    async def documents(self, scope: Scope) -> list[DocumentInfo]:
        found = await self._found(scope.collection)
        if not found:
            return []
        await found.refresh()
        with translated("Reading documents"):
            query = found.documents.query()
            if condition := seen_in(scope):
                query = query.where(condition)
            infos = to_document_infos(await query.to_arrow())
        return sorted(infos, key=lambda info: info.id)

    @rereading
    async def document_text(
        self, document_id: str, scope: Scope, version: str | None = None
    ) -> str:
        found = await self._found(scope.collection)
        missing = NotFoundError(
            f"No document {document_id!r}{f' in version {version}' if version else ''} "
            f"can be seen in collection {scope.collection!r}."
        )
        if not found or not storable(document_id):
            raise missing
        for _ in range(2):  # twice, in case it was replaced between the two reads
            await found.refresh()
            await newest(found.texts)  # after the document row, so that the text it names exists
            with translated("Reading a document"):
                condition = all_of(f"id = {literal(document_id)}", seen_in(scope))
                query = found.documents.query().where(condition)
                rows = (await query.select(["commit", "version"]).to_arrow()).to_pylist()
                if not rows or version not in (None, rows[0]["version"]):
                    raise missing
                condition = all_of(
                    f"document_id = {literal(document_id)}", one_of("commit", [rows[0]["commit"]])
                )
                query = found.texts.query().where(condition)
                texts = (await query.select(["text"]).limit(1).to_arrow()).column("text")
            if len(texts):
                return str(texts[0].as_py())
        raise missing

    @rereading
    async def statistics(self, collection: str) -> Statistics:
        found = await self._found(collection)
        if not found:
            return Statistics(0, 0, 0, 0, 0, self._meta.embedder)
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
        found = await self._found(collection)
        if found is None:
            return Maintained()
        async with Lease(found.prefix).held(wait=wait) as ours:
            if not ours:
                return Maintained(by_another=True)
            done = await upkeep.maintain(found, grace, loading=loading)
        if (done.removed_rows or done.indexes_built) and self._collections.get(collection) is found:
            # Its cache has words of removed rows. Searches in progress keep using it.
            del self._collections[collection]
        return done

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
                meta.check(self._meta, name)
                opened = await Collection.open(name, prefix, meta)
            elif make:
                opened = await Collection.make(name, prefix, self._meta)
            else:
                return None
            self._collections[name] = opened
            return opened

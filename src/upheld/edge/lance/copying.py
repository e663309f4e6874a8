"""Copy documents to other tables, with vectors of another embedder.

The copy of a commit has its id and a suffix, so what differs between the tables is what is still to
be copied. The suffix is new for each group: if two processes copy the same documents, the copies of
one of them are never visible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from upheld._internal.concurrency import together
from upheld.edge.lance import rows, write
from upheld.edge.lance.collection import Collection
from upheld.edge.lance.failures import commit, newest, rereading, translated
from upheld.edge.lance.meta import Meta
from upheld.edge.lance.rows import all_of, now_ms, one_of
from upheld.edge.lance.storage import Prefix
from upheld.errors import ModelError
from upheld.ports import Embedder
from upheld.types import new_id

if TYPE_CHECKING:
    from lancedb import AsyncTable

    from upheld.ports import Vectors

GROUP_PASSAGES, GROUP_DOCUMENTS = 512, 256  # a killed run repeats at most one group

Tell = Callable[[int, int], None]  # passages embedded, passages to embed


@dataclass(frozen=True, slots=True)
class Difference:
    """What the copy lacks."""

    changed: dict[str, tuple[str, int]]  # document -> commit and number of passages
    gone: frozenset[str]  # documents that were deleted since they were copied
    copied: dict[str, str]  # document -> commit of its copy

    def __bool__(self) -> bool:
        return bool(self.changed or self.gone)

    def groups(self) -> Iterator[dict[str, str]]:
        """Cut the changed documents into groups: document -> commit."""
        group: dict[str, str] = {}
        passages = 0
        for id, (its_commit, count) in self.changed.items():
            if len(group) == GROUP_DOCUMENTS or (group and passages + count > GROUP_PASSAGES):
                yield group
                group, passages = {}, 0
            group[id] = its_commit
            passages += count
        if group:
            yield group


@dataclass(slots=True)
class Copying:
    """Copies documents from the tables in use to those that are to replace them."""

    old: Collection
    new: Collection
    embedder: Embedder
    tell: Tell
    documents: int = 0
    passages: int = 0

    @classmethod
    async def open(
        cls, name: str, prefix: Prefix, meta: Meta, embedder: Embedder, tell: Tell
    ) -> Copying:
        assert meta.building is not None
        old = await Collection.open(name, prefix, meta)
        new = await Collection.build(name, prefix, meta.building)
        new.in_use = False
        return cls(old, new, embedder, tell)

    def close(self) -> None:
        self.old.close()
        self.new.close()

    async def catch_up(self) -> int:
        """Copy what differs now; returns how many passages were copied."""
        before = self.passages
        await self.copy(await self.compare())
        return self.passages - before

    async def compare(self) -> Difference:
        """Return what is still to be copied; raises `MovedError` if the copy is in use already."""
        live = await _listed(self.old.documents)
        copies = await _listed(self.new.documents)
        await self.old.follow()  # after both reads: the copy was not in use when it was read
        copied = {id: its_commit for id, (its_commit, _) in copies.items()}
        changed = {id: row for id, row in live.items() if _source(copied.get(id, "")) != row[0]}
        return Difference(changed, frozenset(copied.keys() - live.keys()), copied)

    async def copy(self, difference: Difference) -> None:
        """Copy the documents that are there as compared; later comparisons show the others."""
        total = self.passages + sum(count for _, count in difference.changed.values())
        self.tell(self.passages, total)
        for group in difference.groups():
            texts, passages, documents = await self._whole(group)
            copied = set(documents.column("id").to_pylist())
            fresh = new_id()
            vectors = await self._embedded(passages.column("searchable").to_pylist(), total)
            await self.old.follow()
            await together(
                write.append("Copying texts", self.new.texts, _renewed(texts, fresh)),
                write.append(
                    "Copying passages",
                    self.new.passages,
                    _with_vectors(_renewed(passages, fresh), vectors, self.embedder.dimension),
                ),
            )
            replaced = {id: at for id, at in difference.copied.items() if id in copied}
            await self._acknowledge(_renewed(documents, fresh), replaced)
            self.documents += len(copied)
        await self._delete({id: difference.copied[id] for id in difference.gone})

    async def _whole(self, group: Mapping[str, str]) -> tuple[pa.Table, pa.Table, pa.Table]:
        """Return texts, passages and documents of a group, without those replaced meanwhile."""
        await self.old.refresh()  # a writer may have added the column of places
        commits = one_of("commit", set(group.values()))
        of_group = all_of(one_of("document_id", group), commits)
        columns = [name for name in rows.passages_schema(None).names if name != rows.PLACES.name]
        columns += [rows.PLACES.name] if self.old.has_places else []
        passages = await _rows(self.old.passages, of_group, columns)
        texts = await _rows(self.old.texts, of_group, rows.TEXTS.names)
        documents = await _rows(
            self.old.documents, all_of(one_of("id", group), commits), rows.DOCUMENTS.names
        )
        # A row can occur twice if storage accepted a commit but reported it as failed.
        passages, texts = _once(passages, "id", group), _once(texts, "document_id", group)
        counts = Counter(passages.column("document_id").to_pylist())
        with_text = set(texts.column("document_id").to_pylist())
        whole = {
            row["id"]: row["commit"]
            for row in documents.to_pylist()
            if row["passages"] == counts[row["id"]] and row["id"] in with_text
        }
        return (
            _once(texts, "document_id", whole),
            _once(passages, "id", whole),
            _once(documents, "id", whole, document="id"),
        )

    async def _embedded(self, texts: Sequence[str], total: int) -> Vectors:
        import numpy as np

        parts: list[Vectors] = []
        for first in range(0, len(texts), GROUP_PASSAGES):  # a document may have more
            part = await self.embedder.embed(texts[first : first + GROUP_PASSAGES])
            if not np.isfinite(part).all():
                raise ModelError("the embedder returned vectors that are not finite")
            parts.append(part)
            self.passages += len(part)
            self.tell(self.passages, max(total, self.passages))
        empty = np.empty((0, self.embedder.dimension), dtype=np.float32)
        return np.concatenate([empty, *parts]).astype(np.float32)

    async def _acknowledge(self, documents: pa.Table, replaced: Mapping[str, str]) -> None:
        """Make copies visible, each only if its document has the commit that was seen, or none."""
        table = self.new.documents
        seen = one_of("target.commit", set(replaced.values()))
        if documents.num_rows:
            await commit(
                "Acknowledging copies",
                table,
                lambda: (
                    table.merge_insert("id")
                    .when_matched_update_all(where=seen)
                    .when_not_matched_insert_all()
                    .execute(documents)
                ),
            )
            await write.drop(self.new, replaced)

    async def _delete(self, copies: Mapping[str, str]) -> None:
        """Delete copies of documents that were deleted."""
        table, ids = self.new.documents, sorted(copies)
        for first in range(0, len(ids), GROUP_DOCUMENTS):
            some = {id: copies[id] for id in ids[first : first + GROUP_DOCUMENTS]}
            where = all_of(one_of("id", some), one_of("commit", set(some.values())))
            await commit("Deleting copies", table, partial(table.delete, where))
            await write.drop(self.new, some)


def _source(copy: str) -> str:
    """Return the commit that this is a copy of."""
    return copy.rpartition(".")[0]


@rereading
async def _listed(documents: AsyncTable) -> dict[str, tuple[str, int]]:
    """Return commit and number of passages of each document."""
    await newest(documents)
    with translated("Reading documents"):
        query = documents.query().select(["id", "commit", "passages"])
        ids, commits, counts = [each.to_pylist() for each in (await query.to_arrow()).columns]
    return dict(zip(ids, zip(commits, counts, strict=True), strict=True))


@rereading
async def _rows(table: AsyncTable, where: str, columns: Sequence[str]) -> pa.Table:
    await newest(table)
    with translated("Reading rows to copy"):
        return await table.query().where(where).select(list(columns)).to_arrow()


def _once(
    table: pa.Table, key: str, commits: Mapping[str, str], *, document: str = "document_id"
) -> pa.Table:
    """Keep one row for each key, of these commits of their documents only."""
    seen: set[str] = set()
    keep = []
    columns = (table.column(name).to_pylist() for name in (key, document, "commit"))
    for place, (id, its_document, its_commit) in enumerate(zip(*columns, strict=True)):
        if commits.get(its_document) == its_commit and id not in seen:
            seen.add(id)
            keep.append(place)
    return table.take(keep) if len(keep) < table.num_rows else table


def _renewed(table: pa.Table, fresh: str) -> pa.Table:
    """Give rows the commit of their copy, and the time of writing."""
    commits = [f"{each}.{fresh}" for each in table.column("commit").to_pylist()]
    table = _set(table, "commit", commits)
    if "written_at" in table.column_names:
        table = _set(table, "written_at", [now_ms()] * table.num_rows)
    return table


def _set(table: pa.Table, name: str, values: Sequence[object]) -> pa.Table:
    at = table.schema.get_field_index(name)
    field = table.schema.field(at)
    return table.set_column(at, field, pa.array(values, type=field.type))


def _with_vectors(passages: pa.Table, vectors: Vectors, dimension: int) -> pa.Table:
    schema = rows.passages_schema(dimension)
    if rows.PLACES.name not in passages.column_names:
        passages = passages.append_column(rows.PLACES, pa.nulls(passages.num_rows, pa.string()))
    column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), dimension)
    return passages.append_column(schema.field("vector"), column).select(schema.names)

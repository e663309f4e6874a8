"""An in-memory index with the semantics of the port: for tests, and as a reference."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from upheld.errors import EmbedderMismatchError, NotFoundError, UsageError
from upheld.fusion import CANDIDATES, fuse
from upheld.ports import Filter, IndexedDocument, Maintained, Statistics
from upheld.types import DocumentInfo, Hit, Passage, Scope

if TYPE_CHECKING:
    from upheld.ports import Vector

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_WORD = re.compile(r"\w+")
_K1, _B = 1.2, 0.75
_STOP_WORDS = frozenset({"a", "an", "and", "are", "is", "of", "the", "to"})  # enough for tests


def _words(text: str) -> list[str]:
    plain = text
    if not text.isascii():
        folded = unicodedata.normalize("NFKD", text)
        plain = "".join(mark for mark in folded if not unicodedata.combining(mark))
    return [word for word in _WORD.findall(plain.lower()) if word not in _STOP_WORDS]


def _storable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@dataclass(slots=True)
class _Collection:
    embedder: str | None
    dimension: int | None
    documents: dict[str, IndexedDocument] = field(default_factory=dict)


@dataclass(slots=True)
class FakeIndex:
    """Implements `upheld.ports.Index`; `shared` is the storage that several instances may open."""

    embedder_identity: str | None = None
    dimension: int | None = None
    shared: dict[str, _Collection] = field(default_factory=dict)

    async def upsert(self, collection: str, documents: Sequence[IndexedDocument]) -> None:
        if not documents:
            return
        found = self._found(collection)
        if found is None:
            found = _Collection(self.embedder_identity, self.dimension)
            self.shared[collection] = found
        for each in documents:
            _check(collection, found, each)
        found.documents |= {each.document.id: each for each in documents}

    async def delete(self, collection: str, document_ids: Sequence[str]) -> int:
        found = self._found(collection)
        if found is None:
            return 0
        gone = set(document_ids) & found.documents.keys()
        for id in gone:
            del found.documents[id]
        return len(gone)

    async def bm25(
        self, query: str, scope: Scope, limit: int, where: Filter = Filter()
    ) -> list[Hit]:
        found = self._found(scope.collection)
        if found is None:
            return []
        counts = {passage: Counter(_words(passage.searchable)) for passage, _ in _all(found)}
        mean = sum(map(Counter.total, counts.values())) / len(counts) if counts else 1.0
        wanted = set(_words(query))
        weight = {
            word: math.log(1 + (len(counts) - holding + 0.5) / (holding + 0.5))
            for word in wanted
            for holding in (sum(word in count for count in counts.values()),)
        }
        hits = []
        for passage, count in counts.items():
            if _admitted(passage, scope, where) and wanted & count.keys():
                damping = _K1 * (1 - _B + _B * count.total() / (mean or 1.0))
                score = sum(
                    weight[word] * count[word] * (_K1 + 1) / (count[word] + damping)
                    for word in wanted
                )
                hits.append(Hit(passage, score, query))
        return _best(hits, limit)

    async def nearest(
        self, vector: Vector, scope: Scope, limit: int, where: Filter = Filter(), *, query: str = ""
    ) -> list[Hit]:
        found = self._found(scope.collection)
        if found is None:
            return []
        if found.dimension is None:
            raise EmbedderMismatchError(
                f"Collection {scope.collection!r} was made without an embedder: it has no vectors.",
                help="Search it with BM25, or index the documents again into a new collection.",
            )
        asked = [float(value) for value in vector]
        if len(asked) != found.dimension:
            raise UsageError(f"The query vector has {len(asked)} dimensions, not {found.dimension}")
        hits = [
            Hit(passage, _cosine(asked, own), query)
            for passage, own in _all(found)
            if _admitted(passage, scope, where)
        ]
        return _best(hits, limit)

    async def hybrid(
        self, query: str, vector: Vector, scope: Scope, limit: int, where: Filter = Filter()
    ) -> list[Hit]:
        depth = max(CANDIDATES, limit)
        lexical = await self.bm25(query, scope, depth, where)
        everything = await self.nearest(vector, scope, 10**9, where, query=query)
        cosines = {hit.passage.id: hit.score for hit in everything}
        return fuse(lexical, everything[:depth], limit, cosines=cosines)

    async def passages(self, ids: Sequence[str], scope: Scope) -> list[Passage]:
        found = self._found(scope.collection)
        if found is None:
            return []
        seen = {passage.id: passage for passage, _ in _all(found) if scope.admits(passage.labels)}
        return [seen[id] for id in ids if id in seen]

    async def documents(self, scope: Scope) -> list[DocumentInfo]:
        found = self._found(scope.collection)
        if found is None:
            return []
        return [
            DocumentInfo(
                id=each.document.id,
                uri=each.document.uri,
                title=each.document.title,
                version=each.document.version,
                source_hash=each.document.source_hash,
                ingest_version=each.document.ingest_version,
                passages=len(each.passages),
                labels=each.document.labels,
            )
            for _, each in sorted(found.documents.items())
            if scope.admits(each.document.labels)
        ]

    async def document_passages(self, document_id: str, scope: Scope) -> list[Passage]:
        found = self._found(scope.collection)
        each = found.documents.get(document_id) if found else None
        if each is None or not scope.admits(each.document.labels):
            return []
        return sorted(each.passages, key=lambda passage: (passage.start, passage.end))

    async def document_text(
        self, document_id: str, scope: Scope, version: str | None = None
    ) -> str:
        found = self._found(scope.collection)
        each = found.documents.get(document_id) if found else None
        if (
            each is None
            or not scope.admits(each.document.labels)
            or version not in (None, each.document.version)
        ):
            raise NotFoundError(
                f"No document {document_id!r}{f' in version {version}' if version else ''} "
                f"can be seen in collection {scope.collection!r}."
            )
        return each.document.text

    async def statistics(self, collection: str) -> Statistics:
        found = self._found(collection)
        if found is None:
            return Statistics(0, 0, 0, 0, 0, self.embedder_identity)
        count = sum(len(each.passages) for each in found.documents.values())
        return Statistics(len(found.documents), count, count, 0, 0, found.embedder)

    async def maintain(self, collection: str, *, loading: bool = False) -> Maintained:
        self._found(collection)
        return Maintained()

    async def close(self) -> None:
        return None

    def _found(self, name: str) -> _Collection | None:
        if not _NAME.fullmatch(name):
            raise UsageError(f"{name!r} cannot name a collection.")
        found = self.shared.get(name)
        wanted = (self.embedder_identity, self.dimension)
        if found and self.embedder_identity and wanted != (found.embedder, found.dimension):
            raise EmbedderMismatchError(
                f"Collection {name!r} was made with {found.embedder}, not {self.embedder_identity}",
                help="Open it with the embedder it was made with, or with none (BM25 only), "
                "or index the documents again into a new collection.",
            )
        return found


def _check(name: str, found: _Collection, each: IndexedDocument) -> None:
    document = each.document
    for passage in each.passages:
        if (passage.document_id, passage.document_version) != (document.id, document.version):
            raise UsageError(f"Passage {passage.id!r} is not of document {document.id!r} as given.")
    if not all(map(_storable, (document.id, document.title, document.text, *document.labels))):
        raise UsageError("A document holds half a surrogate pair, which is not Unicode text.")
    if found.dimension is None or not each.passages:
        return
    if each.vectors is None:
        raise EmbedderMismatchError(f"Collection {name!r} needs vectors of {found.embedder}.")
    if each.vectors.shape != (len(each.passages), found.dimension):
        raise UsageError(f"Document {document.id!r} has vectors of shape {each.vectors.shape}.")


def _all(found: _Collection) -> list[tuple[Passage, list[float]]]:
    pairs = []
    for each in found.documents.values():
        vectors = each.vectors.tolist() if each.vectors is not None else [[]] * len(each.passages)
        for passage, vector in zip(each.passages, vectors, strict=True):
            labelled = passage.labels == each.document.labels
            seen = passage if labelled else replace(passage, labels=each.document.labels)
            pairs.append((seen, vector))
    return pairs


def _admitted(passage: Passage, scope: Scope, where: Filter) -> bool:
    return (
        scope.admits(passage.labels)
        and (not where.document_ids or passage.document_id in where.document_ids)
        and (not where.titles or passage.title in where.titles)
        and (not where.labels or bool(where.labels & passage.labels))
    )


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    product = sum(a * b for a, b in zip(one, other, strict=True))
    return product / ((math.hypot(*one) * math.hypot(*other)) or 1.0)


def _best(hits: list[Hit], limit: int) -> list[Hit]:
    return sorted(hits, key=lambda hit: (-hit.score, hit.passage.id))[:limit]

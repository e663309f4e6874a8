"""One size of a collection: built, asked, changed and maintained."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from upheld.edge.lance.index import LanceIndex
from upheld.edge.objects import open_store
from upheld.types import Scope
from upheld_lab.bench.growth.mixed import BLOCK, FEW, Mixer
from upheld_lab.bench.growth.queries import COLLECTION, LIMIT
from upheld_lab.bench.report import Row, Watch

if TYPE_CHECKING:
    from upheld.ports import IndexedDocument, Vectors

VISIBLE_WITHIN = 60.0  # seconds after which a document counts as lost


@dataclass(frozen=True, slots=True)
class Asked:
    """Real questions, with their vectors."""

    texts: tuple[str, ...]
    vectors: Vectors

    def save(self, path: Path) -> None:
        np.savez(path, texts=np.array(self.texts), vectors=self.vectors)


@dataclass(slots=True)
class Nearest:
    """The exact nearest passages of each question, kept while vectors go by."""

    asked: Vectors
    ids: list[list[str]] = field(default_factory=list)
    cosines: np.ndarray | None = None

    def see(self, ids: list[str], vectors: Vectors) -> None:
        """Keep the best of what was seen so far and of these."""
        cosines = self.asked @ vectors.T
        if self.cosines is not None:
            cosines = np.concatenate([self.cosines, cosines], axis=1)
        best = np.argsort(-cosines, axis=1)[:, :LIMIT]
        before = self.ids or [[] for _ in self.asked]
        self.ids = [[(old + ids)[at] for at in row] for old, row in zip(before, best, strict=True)]
        self.cosines = np.take_along_axis(cosines, best, axis=1)

    def recall(self, found: list[list[str]]) -> float:
        """Return the share of the exact nearest passages that were found."""
        pairs = zip(self.ids, found, strict=True)
        return float(np.mean([len(set(exact) & set(got)) / LIMIT for exact, got in pairs]))


@dataclass(frozen=True, slots=True)
class Place:
    """Where collections are made: a folder, or object storage."""

    name: str
    root: str
    options: Mapping[str, str]
    embedder: str
    dimension: int

    async def open(self) -> LanceIndex:
        """Open the index at this place."""
        return await LanceIndex.open(
            self.root,
            storage_options=self.options,
            embedder_identity=self.embedder,
            dimension=self.dimension,
        )

    async def bytes(self) -> int:
        """Return the size of everything that is stored."""
        pages = open_store(self.root, self.options).list()
        return sum([entry["size"] async for page in pages for entry in page])


@dataclass(slots=True)
class Growing:
    """A collection that grows from size to size, so that a larger one includes the smaller."""

    place: Place
    mixer: Mixer
    asked: Asked
    watch: Watch
    exact: Nearest = field(init=False)
    exact_of_label: Nearest = field(init=False)
    blocks: int = 0
    writing: float = 0.0
    maintaining: float = 0.0

    def __post_init__(self) -> None:
        self.exact = Nearest(self.asked.vectors)
        self.exact_of_label = Nearest(self.asked.vectors)

    async def grow(self, passages: int) -> Row:
        """Grow to this many passages and measure everything."""
        await self._fill(passages)
        measured = await self._query()
        changed = await self._change()
        size = self.blocks * BLOCK
        both = measured["compared"]
        return {
            "place": self.place.name,
            "passages": size,
            "write s": self.writing,
            "maintain s": self.maintaining,
            "bytes a passage": await self.place.bytes() / size,
            "memory MB": measured["memory_bytes"] / 1e6,
            "first query s": measured["first_s"],
            **{
                f"{kind} p{share}": float(np.percentile(times, share)) * 1e3
                for kind, times in measured["times"].items()
                for share in (50, 95, 99)
            },
            "hybrid core ms": measured["hybrid_core_s"] * 1e3,
            "hybrid over bare": float(np.median(both["ours"]) / np.median(both["bare"])),
            "recall@10": self.exact.recall(measured["found"]["nearest"]),
            "recall@10, one label": self.exact_of_label.recall(
                measured["found"]["nearest, one label"]
            ),
            **measured["requests"],
            **changed,
        }

    async def _fill(self, passages: int) -> None:
        index = await self.place.open()
        while self.blocks * BLOCK < passages:
            documents = await asyncio.to_thread(self.mixer.documents, self.blocks)
            began = time.perf_counter()
            await index.upsert(COLLECTION, documents)
            self.writing += time.perf_counter() - began
            await asyncio.to_thread(self._see, documents)
            self.blocks += 1
            self.watch(f"passages on {self.place.name}", self.blocks * BLOCK, passages)
            if self.blocks % 50 == 0:  # as a long `add` does: fragments and tail stay short
                self.maintaining += await self._maintain(index, loading=True)
        self.maintaining += await self._maintain(index)
        await index.close()

    def _see(self, documents: list[IndexedDocument]) -> None:
        """Keep the exact neighbours, among all documents and among those of one label."""
        of_label = [each for each in documents if FEW in each.document.labels]
        for exact, some in ((self.exact, documents), (self.exact_of_label, of_label)):
            vectors = np.concatenate([each.vectors for each in some if each.vectors is not None])
            exact.see([passage.id for each in some for passage in each.passages], vectors)

    async def _maintain(self, index: LanceIndex, *, loading: bool = False) -> float:
        began = time.perf_counter()
        await index.maintain(COLLECTION, loading=loading)
        return time.perf_counter() - began

    async def _query(self) -> dict[str, Any]:
        """Ask in a process of its own, whose memory is that of a query process."""
        place = {
            "root": self.place.root,
            "options": dict(self.place.options),
            "embedder": self.place.embedder,
        }
        with tempfile.NamedTemporaryFile(suffix=".npz") as file:
            await asyncio.to_thread(self.asked.save, Path(file.name))
            child = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "upheld_lab.bench.growth.queries", file.name),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
            out, _ = await child.communicate(json.dumps(place).encode())
        if child.returncode:
            raise RuntimeError(f"the query process ended with status {child.returncode}")
        found: dict[str, Any] = json.loads(out)
        return found

    async def _change(self) -> Row:
        """Add a document beside an open reader, see it, delete it, and compact."""
        writer, reader = await self.place.open(), await self.place.open()
        await reader.bm25("anything", Scope(COLLECTION), 1)
        extra = self.mixer.documents(10_000_000)[:1]
        began = time.perf_counter()
        await writer.upsert(COLLECTION, extra)
        written = time.perf_counter() - began
        id = extra[0].document.id
        while not await reader.document_passages(id, Scope(COLLECTION)):
            if time.perf_counter() - began > VISIBLE_WITHIN:
                raise RuntimeError(f"a document is not visible after {VISIBLE_WITHIN} s")
            await asyncio.sleep(0.05)
        visible = time.perf_counter() - began
        began = time.perf_counter()
        await writer.delete(COLLECTION, [id])
        deleted = time.perf_counter() - began
        compacted = await self._maintain(writer)
        await writer.close()
        await reader.close()
        return {
            "append s": written,
            "visible after s": visible,
            "delete s": deleted,
            "maintain after a deletion s": compacted,
        }

"""Vectors on disk: a text is embedded once for each embedder, and an interrupted run resumes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from upheld._internal.disk_cache import DiskCache, user_cache_folder
from upheld.ports import Embedder
from upheld.types import content_hash

if TYPE_CHECKING:
    from upheld.ports import Vectors

BATCH = 512  # texts between two writes: what an interrupted run can lose


def default_cache() -> Path:
    """Where the bench keeps vectors, judgements and calls unless it is told another folder."""
    return user_cache_folder() / "bench"


@dataclass(frozen=True, slots=True)
class VectorCache:
    """Vectors by the hash of embedder and text, in a file of the folder `root`."""

    embedder: Embedder
    root: Path

    @property
    def _cache(self) -> DiskCache[bytes]:
        return DiskCache(self.root / "vectors.sqlite3", "vectors")

    async def vectors(
        self, texts: Sequence[str], progress: Callable[[int, int], None] = lambda done, total: None
    ) -> Vectors:
        """One vector a text; `progress` is told how many are there, of how many."""
        keys = [content_hash(f"{self.embedder.identity}\0{text}") for text in texts]
        known = self._load(keys)
        missing = sorted(
            {key: text for key, text in zip(keys, texts, strict=True) if key not in known}.items(),
            key=lambda item: len(item[1]),  # like lengths together: less padding
        )
        progress(len(known), len(known) + len(missing))
        for first in range(0, len(missing), BATCH):
            batch = dict(missing[first : first + BATCH])
            fresh = await self.embedder.embed(list(batch.values()))
            self._save(list(batch), fresh)
            known.update(zip(batch, fresh, strict=True))
            progress(len(known), len(known) + len(missing) - first - len(batch))
        return np.stack([known[key] for key in keys])

    def _load(self, keys: Sequence[str]) -> dict[str, Vectors]:
        found = self._cache.get(keys)
        return {key: np.frombuffer(vector, np.float32) for key, vector in found.items()}

    def _save(self, keys: Sequence[str], vectors: Vectors) -> None:
        rows = np.asarray(vectors, np.float32)
        self._cache.put({key: row.tobytes() for key, row in zip(keys, rows, strict=True)})

"""Vectors on disk: a text is embedded once for each embedder, and an interrupted run resumes."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from upheld.ports import Embedder
from upheld.types import content_hash

if TYPE_CHECKING:
    from upheld.ports import Vectors

SHARD = 512  # texts a file: what an interrupted run can lose


def default_cache() -> Path:
    """Where caches belong on this machine."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "upheld" / "bench"


@dataclass(frozen=True, slots=True)
class VectorCache:
    """Shards of (text hash, vector) under a folder named by the embedder."""

    embedder: Embedder
    root: Path

    @property
    def folder(self) -> Path:
        return self.root / self.embedder.identity.replace(":", "-").replace("/", "-")

    async def vectors(
        self, texts: Sequence[str], progress: Callable[[int, int], None] = lambda done, total: None
    ) -> Vectors:
        """One vector a text; `progress` is told how many are there, of how many."""
        keys = [content_hash(text) for text in texts]
        known = self._load(set(keys))
        missing = sorted(
            {key: text for key, text in zip(keys, texts, strict=True) if key not in known}.items(),
            key=lambda item: len(item[1]),  # like lengths together: less padding
        )
        progress(len(known), len(known) + len(missing))
        for first in range(0, len(missing), SHARD):
            shard = dict(missing[first : first + SHARD])
            fresh = await self.embedder.embed(list(shard.values()))
            self._save(list(shard), fresh)
            known.update(zip(shard, fresh, strict=True))
            progress(len(known), len(known) + len(missing) - first - len(shard))
        return np.stack([known[key] for key in keys])

    def _load(self, wanted: set[str]) -> dict[str, Vectors]:
        known: dict[str, Vectors] = {}
        for path in sorted(self.folder.glob("*.npz")):
            with np.load(path) as shard:
                keys, vectors = shard["keys"].tolist(), shard["vectors"]
            known.update(
                (key, vector) for key, vector in zip(keys, vectors, strict=True) if key in wanted
            )
        return known

    def _save(self, keys: list[str], vectors: Vectors) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{uuid.uuid4().hex}.npz"
        draft = path.with_suffix(".part")
        with draft.open("wb") as file:
            np.savez(file, keys=np.array(keys), vectors=vectors)
        draft.rename(path)  # whole or not at all

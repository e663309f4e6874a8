"""A fake embedder: hashed bags of words, so that texts that share words are similar."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from upheld.errors import ModelError

if TYPE_CHECKING:
    from upheld.ports import Vectors

_WORD = re.compile(r"\w+")


@dataclass(slots=True)
class FakeEmbedder:
    """Deterministic and fast; similarity means shared words only. `fail` makes it raise."""

    dimension: int = 64
    identity: str = "fake-bag-of-words"
    fail: bool = False
    embedded: list[str] = field(default_factory=list)  # all texts it embedded, in order

    async def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        if self.fail:
            raise ModelError("the fake embedder was told to fail")
        self.embedded += texts
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            # Words are signed, so that texts with nothing in common have a similarity near zero.
            for word in _WORD.findall(text.casefold()) or ["\0"]:
                digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
                place = int.from_bytes(digest[:4], "big") % self.dimension
                vectors[row, place] += 1.0 if digest[4] & 1 else -1.0
            if not vectors[row].any():  # words that cancel out
                vectors[row, 0] = 1.0
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    async def close(self) -> None:
        """Do nothing: there are no resources."""

"""Passages without end, made of real ones: texts of two halves, vectors mixed from the same two.

To embed a million passages takes hours. A mix of two real vectors costs nothing, and the shares of
the second one are chosen so that neighbours are as far apart as those of real passages are.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from upheld.ports import IndexedDocument
from upheld.types import Document, Passage, passage_id

if TYPE_CHECKING:
    from upheld.ports import Vectors

BLOCK = 2_000  # passages that are made, and written, together
IN_DOCUMENT = 20  # passages of one document
FEW, MOST = "few", "most"  # labels: a tenth of the documents has the first, the others the second
SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
QUANTILES = np.linspace(0.05, 0.95, 19)  # where two distributions of neighbours are compared
SAMPLE = 4_000  # passages whose nearest neighbour is looked up


@dataclass(frozen=True, slots=True)
class Mixer:
    """Makes the same passages for the same seed, block by block."""

    texts: Sequence[str]
    titles: Sequence[str]
    vectors: Vectors
    shares: tuple[float, float]  # of the second vector: each passage has its own, between these
    seed: int = 0

    def vectors_of(self, block: int) -> Vectors:
        """Return the vectors of a block alone, which is quick."""
        return mix(self.vectors, self._parents(block), self.shares, self._dice(block, 1))

    def documents(self, block: int) -> list[IndexedDocument]:
        """Return a block as documents, ready to be written."""
        first, second = self._parents(block)
        vectors = self.vectors_of(block)
        return [
            self._document(block, start, first, second, vectors)
            for start in range(0, BLOCK, IN_DOCUMENT)
        ]

    def _parents(self, block: int) -> np.ndarray:
        return self._dice(block, 0).integers(len(self.texts), size=(2, BLOCK))

    def _dice(self, block: int, use: int) -> np.random.Generator:
        return np.random.default_rng((self.seed, block, use))

    def _document(
        self, block: int, start: int, first: np.ndarray, second: np.ndarray, vectors: Vectors
    ) -> IndexedDocument:
        places = range(start, start + IN_DOCUMENT)
        parts = [_halves(self.texts[first[at]], self.texts[second[at]]) for at in places]
        number = (block * BLOCK + start) // IN_DOCUMENT
        label = FEW if number % 10 == 0 else MOST
        id, title = f"made-{number}", self.titles[first[start]]
        document = Document(
            id, f"made:{number}", title, "\n\n".join(parts), id, "growth", frozenset({label})
        )
        passages, at = [], 0
        for text in parts:
            end = at + len(text)
            passages.append(
                Passage(
                    passage_id(id, document.version, at, end),
                    text,
                    id,
                    document.version,
                    at,
                    end,
                    title=title,
                    uri=document.uri,
                    labels=document.labels,
                )
            )
            at = end + 2
        return IndexedDocument(document, tuple(passages), vectors[start : start + IN_DOCUMENT])


def mix(
    vectors: Vectors, parents: np.ndarray, shares: tuple[float, float], dice: np.random.Generator
) -> Vectors:
    """Return vectors of length one, each between two others."""
    first, second = parents
    share = dice.uniform(*shares, size=(len(first), 1))
    between: Vectors = (1 - share) * vectors[first] + share * vectors[second]
    lengths: Vectors = np.linalg.norm(between, axis=1, keepdims=True)
    unit: Vectors = (between / lengths).astype(np.float32)
    return unit


def fitting_shares(vectors: Vectors, seed: int) -> tuple[float, float]:
    """Return the shares at which neighbours of mixed vectors are as near as real ones are."""
    wanted = np.quantile(neighbours(vectors, seed), QUANTILES)

    def gap(shares: tuple[float, float]) -> float:
        made = np.quantile(neighbours(mixed_sample(vectors, shares, seed), seed), QUANTILES)
        return float(np.abs(made - wanted).mean())

    return min(itertools.combinations_with_replacement(SHARES, 2), key=gap)


def mixed_sample(vectors: Vectors, shares: tuple[float, float], seed: int) -> Vectors:
    """Return as many mixed vectors as there are real ones."""
    dice = np.random.default_rng(seed)
    return mix(vectors, dice.integers(len(vectors), size=(2, len(vectors))), shares, dice)


def neighbours(vectors: Vectors, seed: int) -> np.ndarray:
    """Return the cosine of the nearest other vector, for a sample of vectors."""
    dice = np.random.default_rng(seed)
    chosen = dice.choice(len(vectors), size=min(SAMPLE, len(vectors)), replace=False)
    best = np.empty(len(chosen), np.float32)
    for start in range(0, len(chosen), 500):
        some = chosen[start : start + 500]
        cosines = vectors[some] @ vectors.T
        cosines[np.arange(len(some)), some] = -1
        best[start : start + len(some)] = cosines.max(axis=1)
    return best


def _halves(one: str, other: str) -> str:
    """Return the first half of a text and the second half of another, cut between words."""
    words, more = one.split(), other.split()
    return " ".join([*words[: (len(words) + 1) // 2], *more[len(more) // 2 :]])

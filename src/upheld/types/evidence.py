"""A question, and the passages that searches found for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import zip_longest
from typing import overload

from upheld.types.documents import Passage, new_id


class SearchMode(StrEnum):
    """Which of the engine's indexes a search asks."""

    BM25 = "bm25"
    NEAREST = "nearest"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked; `parent` names the question that a sub-question serves."""

    text: str
    id: str = field(default_factory=new_id)
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that a search found; `score` compares only within one query."""

    passage: Passage
    score: float
    query: str
    relevance: float | None = None  # a grader's judgment, which does compare between queries

    def graded(self, relevance: float) -> Hit:
        """The same hit, as a grader sees it."""
        return Hit(self.passage, self.score, self.query, relevance)


@dataclass(frozen=True, slots=True)
class Evidence(Sequence[Hit]):
    """Hits in the order in which a reader should meet them; a sequence, and so is a slice of it."""

    hits: tuple[Hit, ...] = ()

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    @overload
    def __getitem__(self, at: int) -> Hit: ...

    @overload
    def __getitem__(self, at: slice) -> Evidence: ...

    def __getitem__(self, at: int | slice) -> Hit | Evidence:
        return Evidence(self.hits[at]) if isinstance(at, slice) else self.hits[at]

    def top(self, count: int) -> Evidence:
        """The first `count` hits."""
        return Evidence(self.hits[:count])

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The passages of the hits, in the same order."""
        return tuple(hit.passage for hit in self.hits)


def union(*parts: Evidence) -> Evidence:
    """Interleave evidence by rank: scores of different queries do not compare."""
    seen: dict[str, Hit] = {}
    for rank in zip_longest(*(part.hits for part in parts)):
        for hit in rank:
            if hit is not None:
                seen.setdefault(hit.passage.id, hit)
    return Evidence(tuple(seen.values()))

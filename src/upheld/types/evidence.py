"""A question, and the passages that searches found for it.

Docstrings of `Hit` and `Evidence` are descriptions in the output schema of the MCP tools.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import zip_longest
from typing import overload

from upheld.types.documents import Passage, new_id


class SearchMode(StrEnum):
    """How to search: by words (BM25), by the nearest vectors, or by both, fused.

    Example::

        kb = Upheld.open("kb", search=SearchMode.BM25)
    """

    BM25 = "bm25"
    NEAREST = "nearest"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True)
class Question:
    """A question; `parent` is the id of the question that a sub-question belongs to.

    Example::

        whole = Question("When does the lighthouse open, and who built it?")
        part = Question("Who built the lighthouse?", parent=whole.id)
    """

    text: str
    id: str = field(default_factory=new_id)
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that a search found; `score` compares only within one query."""

    passage: Passage
    score: float
    query: str
    relevance: float | None = None  # a grader's score, which is comparable between queries

    def graded(self, relevance: float) -> Hit:
        """Return a copy of the hit with a grader's score."""
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
        """Return the first `count` hits."""
        return Evidence(self.hits[:count])

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The passages of the hits, in the same order."""
        return tuple(hit.passage for hit in self.hits)


def union(*parts: Evidence) -> Evidence:
    """Merge evidence by rank, without repeated passages.

    By rank, because scores of different queries are not comparable.
    """
    seen: dict[str, Hit] = {}
    for rank in zip_longest(*(part.hits for part in parts)):
        for hit in rank:
            if hit is not None:
                seen.setdefault(hit.passage.id, hit)
    return Evidence(tuple(seen.values()))

"""Rerank: order candidates by a cross-encoder's relevance and the score of the search.

Both together are better than a small grader alone; the weight of the search score was fitted on
dev questions: docs/decisions/008-grader.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from upheld._internal.concurrency import all_of
from upheld._internal.probability import from_score, logit
from upheld.ports import Grader, Searcher
from upheld.retrieval.grade import relevances
from upheld.types import Evidence, Hit, Question, union

SEARCH_WEIGHT = 8.0  # of (search score / best score), added to the grader's log odds
_BOUND = 5e-10  # grades are clipped here: otherwise no search score could outweigh their log odds


@dataclass(frozen=True, kw_only=True)
class Order:
    """Orders given candidates for a question; without a grader, keeps their order.

    FaVe reranks the candidates of one search for every sub-question. There only the grader counts,
    because the search scores are for another query.
    """

    grader: Grader | None
    limit: int = 5
    search_weight: float = SEARCH_WEIGHT

    async def __call__(self, question: Question, candidates: Evidence) -> Evidence:
        once = union(candidates)  # a union has no passage twice
        scores = await relevances(
            self.grader, "rerank", question, once.passages, "passages are in search order"
        )
        if scores is None:
            return once.top(self.limit)
        hits = [hit.graded(score) for hit, score in zip(once, scores, strict=True)]
        shares = _shares(hits, question)
        worth = {
            hit.passage.id: logit(from_score(score), _BOUND) + self.search_weight * share
            for hit, score, share in zip(hits, scores, shares, strict=True)
        }
        hits.sort(key=lambda hit: -worth[hit.passage.id])  # stable: ties keep their order
        return Evidence(tuple(hits)).top(self.limit)

    async def each(
        self, questions: Iterable[Question], candidates: Evidence
    ) -> dict[str, Evidence]:
        """Rerank the same candidates for several questions concurrently; results by question id."""
        different = tuple(dict.fromkeys(questions))
        best = await all_of(self(question, candidates) for question in different)
        return {question.id: found for question, found in zip(different, best, strict=True)}


@dataclass(frozen=True, kw_only=True)
class Rerank:
    """A searcher that reranks the hits of another, which should return `candidates` hits."""

    search: Searcher
    grader: Grader | None
    candidates: int = 20  # FaVe's preset is 100, from BM25
    limit: int = 5
    search_weight: float = SEARCH_WEIGHT

    async def __call__(self, question: Question) -> Evidence:
        found = await self.search(question)
        order = Order(grader=self.grader, limit=self.limit, search_weight=self.search_weight)
        return await order(question, found.top(self.candidates))


def _shares(hits: Sequence[Hit], question: Question) -> list[float]:
    """Divide each hit's score by the best one; 0 for hits of a search for other words."""
    best = max((hit.score for hit in hits if hit.query == question.text), default=0.0)
    return [hit.score / best if best > 0 and hit.query == question.text else 0.0 for hit in hits]

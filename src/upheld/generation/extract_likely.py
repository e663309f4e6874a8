"""Quotes of the few passages that are likeliest to answer, and of what these name.

A reader is sent to the right places and to few others; where an answer stands in two, to both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from upheld.generation.extract import Candidate, QuoteWriter, quoted
from upheld.generation.select_passages import likely
from upheld.retrieval.bridge import Bridge
from upheld.run.trace import span
from upheld.types import Draft, Evidence, Passage, Question


@dataclass(frozen=True, kw_only=True)
class QuoteLikely:
    """A quote writer that is told where to look."""

    quote: QuoteWriter
    bridge: Bridge | None = None

    async def __call__(self, question: Question, evidence: Evidence) -> Draft:
        with span("write", note="quote"):
            picked = await self.first_half(question, evidence)
            if self.bridge is not None:
                named = await self.bridge(question, best_words(picked))
                half = replace(self.quote, max_sentences=self.quote.max_sentences // 2)
                picked += half.pick(await half.scored(question, named))
                known = evidence.passages
                evidence = Evidence((*evidence, *(h for h in named if h.passage not in known)))
            return Draft(question, tuple(map(quoted, picked)), evidence)

    async def first_half(self, question: Question, evidence: Evidence) -> list[Candidate]:
        """What is quoted of the passages that the question itself finds."""
        read = evidence.top(self.quote.max_passages)
        return self.quote.pick(of_likely(await self.quote.scored(question, read), read))


def of_likely(scored: Sequence[Candidate], evidence: Evidence) -> list[Candidate]:
    """The sentences of the passages that are worth a reader's time."""
    chosen = likely(evidence, best_sentences(scored))
    return [each for each in scored if each.passage in chosen]


def best_sentences(scored: Sequence[Candidate]) -> dict[Passage, float]:
    """By passage, the score of its best sentence."""
    best: dict[Passage, float] = {}
    for each in scored:
        best[each.passage] = max(each.score, best.get(each.passage, each.score))
    return best


def best_words(scored: Sequence[Candidate]) -> dict[Passage, str]:
    """By passage, its best sentence, under its title."""
    worst_first = sorted(scored, key=lambda each: each.score)
    return {each.passage: each.alone.searchable for each in worst_first}

"""The scores of one answer by an entailment model: of the whole answer, as published."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from upheld.types import Answer
from upheld_lab.bench.runs.records import Scores
from upheld_lab.bench.scores.citations import (
    Sentence,
    as_meant,
    as_published,
    citation_scores,
    marks_inside,
    to_ask,
)
from upheld_lab.bench.scores.entails import Held
from upheld_lab.bench.scores.knowledge_coverage import (
    Step,
    claim_recall,
    coverage,
    coverage_to_ask,
    recall_to_ask,
    steps_of,
)
from upheld_lab.bench.scores.shown import text_of
from upheld_lab.bench.suites.suite import Asked


@dataclass(frozen=True, slots=True)
class CitationCheck:
    """An answer's citations in both modes."""

    published: tuple[Sentence, ...]
    meant: tuple[Sentence, ...]

    @classmethod
    def of(cls, asked: Asked, answer: Answer) -> CitationCheck:
        question = asked.text if asked.parts and _is_list(answer) else None
        text = marks_inside(answer.text)
        return cls(as_published(text, answer.sources, question), as_meant(answer, question))

    def to_ask(self) -> Iterator[Held]:
        """All that the scores can depend on."""
        yield from to_ask((*self.published, *self.meant))

    def scores(self, entailed: AbstractSet[Held] | None, suffix: str = "") -> Scores:
        """By what is known to be entailed; None everywhere if nobody was asked."""
        names = ("alce_recall", "alce_precision", "strict_recall", "strict_precision")
        keys = [f"{name}{suffix}" for name in names]
        if entailed is None:
            return dict.fromkeys(keys)
        alce = citation_scores(self.published, entailed)
        strict = citation_scores(self.meant, entailed)
        values = [alce.recall, alce.precision, strict.recall, strict.precision]
        told: Scores = dict(zip(keys, values, strict=True))
        if not self.published:  # the published script leaves an empty answer out of its mean
            told.update(dict.fromkeys(keys[:2]))
        return told


@dataclass(frozen=True, slots=True)
class KnowledgeCheck:
    """Gold facts against an answer, its claims and what they cite."""

    facts: tuple[str, ...]
    text: str
    steps: tuple[Step, ...]

    @classmethod
    def of(cls, asked: Asked, answer: Answer) -> KnowledgeCheck:
        return cls(asked.facts, text_of(answer.claims), steps_of(answer))

    def to_ask(self) -> Iterator[Held]:
        """All that the scores can depend on."""
        yield from recall_to_ask(self.facts, self.text)
        yield from coverage_to_ask(self.facts, self.steps)

    def scores(self, entailed: AbstractSet[Held] | None) -> Scores:
        """By what is known to be entailed; None without facts, or if nobody was asked."""
        if entailed is None:
            return {"claim_recall": None, "knowledge": None}
        told = [held in entailed for held in recall_to_ask(self.facts, self.text)]
        return {
            "claim_recall": claim_recall(told),
            "knowledge": coverage(self.facts, self.steps, entailed),
        }


def _is_list(answer: Answer) -> bool:
    """Whether its claims are bare items: nothing that ends as a sentence does."""
    return not any(claim.text.rstrip().endswith((".", "!", "?")) for claim in answer.claims)

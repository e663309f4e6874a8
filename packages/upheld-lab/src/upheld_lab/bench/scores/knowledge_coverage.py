"""How much of the gold facts an answer has: claim recall, and FaVe's effective coverage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from upheld.types import Answer, Passage, located
from upheld_lab.bench.scores.entails import Held, as_passage

Table = Sequence[Sequence[bool]]  # a row for every step, in it every fact


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a search: the documents it found and what was answered from them."""

    documents: tuple[Passage, ...]
    answer: str


def steps_of(answer: Answer) -> tuple[Step, ...]:
    """A step for every claim, with the passages that it cites.

    The paper's step is a sub-question; an answer keeps which passages it used, not which it saw.
    """
    known = located(answer.sources)
    return tuple(
        Step(
            tuple(
                known[id]
                for id in dict.fromkeys(c.passage_id for c in claim.citations)
                if id in known
            ),
            claim.text,
        )
        for claim in answer.claims
    )


def claim_recall(entailed: Sequence[bool]) -> float | None:
    """The share of gold facts that the answer entails; None without facts."""
    return sum(entailed) / len(entailed) if entailed else None


def effective_coverage(in_documents: Table, in_answers: Table, facts: int) -> float | None:
    """|union_i (C_d,i and C_a,i)| / |C|: facts that some step both found and told."""
    if not facts:
        return None
    used = {
        fact
        for found, told in zip(in_documents, in_answers, strict=True)
        for fact in range(facts)
        if found[fact] and told[fact]
    }
    return len(used) / facts


def recall_to_ask(facts: Sequence[str], text: str) -> list[Held]:
    """Each fact held against the whole answer."""
    return [Held(fact, (as_passage(text),)) for fact in facts]


def coverage_to_ask(facts: Sequence[str], steps: Sequence[Step]) -> Iterator[Held]:
    """Each fact held against the documents of each step, and against its answer."""
    for step in steps:
        for fact in facts:
            yield Held(fact, step.documents)
            yield Held(fact, (as_passage(step.answer),))


def coverage(
    facts: Sequence[str], steps: Sequence[Step], entailed: AbstractSet[Held]
) -> float | None:
    """Effective knowledge coverage by what is known to be entailed."""
    return effective_coverage(
        [[Held(fact, step.documents) in entailed for fact in facts] for step in steps],
        [[Held(fact, (as_passage(step.answer),)) in entailed for fact in facts] for step in steps],
        len(facts),
    )

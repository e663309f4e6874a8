"""Passages, answers and an entailment rule for tests of scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from upheld.answer.render import marks, numbered
from upheld.types import Answer, Cause, Citation, Claim, Passage, Status, Support, Verdict
from upheld_lab.bench.scores.entails import Entails, Held


def passage(name: str, text: str = "", title: str = "") -> Passage:
    return Passage(name, text or f"What {name} says.", name, "v", 0, len(text), title)


A, B, C, D = (passage(name) for name in "abcd")


def cite(*passages: Passage) -> tuple[Citation, ...]:
    return tuple(
        Citation(each.id, each.document_id, "v", 0, len(each.text), each.text) for each in passages
    )


def claim(
    text: str,
    *cited: Passage,
    support: Support = Support.NOT_CHECKED,
    probability: float | None = None,
    cause: Cause | None = None,
    relevance: float | None = None,
) -> Claim:
    verdict = Verdict(support, probability, cause=cause)
    return Claim(text, cite(*cited), verdict, relevance=relevance)


def answer(*claims: Claim, sources: Iterable[Passage] = (A, B, C, D), **other: object) -> Answer:
    """Claims as an answer shows them, marks after the full stop."""
    known = tuple(sources)
    numbers = numbered(each.id for each in known)
    text = " ".join(f"{each.text} {marks(each.citations, numbers)}".strip() for each in claims)
    status = Status.ANSWERED if claims else Status.ABSTAINED
    made = Answer("id", "Who?", status, "rag", text, claims, known)
    return replace(made, **other)  # type: ignore[arg-type]


def entails_if(rule: Callable[[str, set[str]], bool], asked: list[Held] | None = None) -> Entails:
    """An entailment by claim and ids of passages; `asked` notes what was asked."""

    async def entails(held: Iterable[Held]) -> frozenset[Held]:
        every = list(held)
        if asked is not None:
            asked.extend(every)
        return frozenset(
            each for each in every if rule(each.claim, {one.id for one in each.against})
        )

    return entails

"""Join: answers to sub-questions, one after the other, as the answer to the question (FaVe)."""

from __future__ import annotations

from collections.abc import Iterable

from upheld.text.words import words
from upheld.types import Claim, Draft, Question, union


def join(question: Question, answers: Iterable[Draft]) -> Draft:
    """Claims in order, the same words once; an answer without claims adds what it was shown."""
    answers = tuple(answers)
    claims: dict[tuple[str, ...], Claim] = {}
    for each in answers:
        for claim in each.claims:
            claims.setdefault(tuple(words(claim.text)), claim)
    return Draft(
        question,
        tuple(claims.values()),
        union(*(each.evidence for each in answers)),
        # What went wrong with an answer that is left out is no fault of the rest.
        tuple(dict.fromkeys(note for each in answers if each.claims for note in each.notes)),
    )

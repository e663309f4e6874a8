"""Combine the answers to sub-questions: join their claims without repeats."""

from __future__ import annotations

from collections.abc import Iterable

from upheld.text.words import words
from upheld.types import Claim, Draft, Question, union


def join(question: Question, answers: Iterable[Draft]) -> Draft:
    """Join drafts into one: claims in order without repeats, and the evidence of all drafts."""
    answers = tuple(answers)
    alone = len(answers) == 1
    claims: dict[tuple[str, ...], Claim] = {}
    for each in answers:
        for claim in each.claims:
            claims.setdefault(tuple(words(claim.text)), claim)
    return Draft(
        question,
        tuple(claims.values()),
        union(*(each.evidence for each in answers)),
        # Notes of a draft without claims do not concern the joined answer.
        tuple(
            dict.fromkeys(note for each in answers if each.claims or alone for note in each.notes)
        ),
        p_right=answers[0].p_right if alone else None,  # that of a part says little of the whole
    )

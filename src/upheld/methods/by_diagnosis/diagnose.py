"""Diagnose: what is wrong with the drafts of a question's facets, one finding a fault.

Wrong and missing marks are not here: checking a draft mends them. Nor are conflicts between
documents: those are told to the reader, and no repair settles them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from upheld.answer.verdicts import is_checkworthy
from upheld.methods.by_diagnosis.offer import covered
from upheld.methods.by_diagnosis.unsupported_policy import conflict_of
from upheld.text.words import words
from upheld.types import Claim, Draft, Question, Support


@dataclass(frozen=True, slots=True)
class Unsupported:
    """No source says it: another search may find one, or the sentence must say less."""

    facet: Question
    claim: Claim

    def __str__(self) -> str:
        return f"unsupported: {self.claim.text}"


@dataclass(frozen=True, slots=True)
class Contradicted:
    """A source says otherwise, and none agrees."""

    facet: Question
    claim: Claim

    def __str__(self) -> str:
        return f"contradicted: {self.claim.text}"


@dataclass(frozen=True, slots=True)
class Unanswered:
    """Nothing was said about a facet."""

    facet: Question

    def __str__(self) -> str:
        return f"unanswered: {self.facet.text}"


Fault = Unsupported | Contradicted | Unanswered
_CHEAPEST_FIRST = (Unsupported, Contradicted, Unanswered)  # LLM calls: 0 or 1, 1, 2


def diagnose(drafts: Sequence[Draft]) -> tuple[Fault, ...]:
    """The faults of checked drafts, the one with the cheapest repair first.

    What could not be checked is no fault of the sentence. A facet whose sentences are at fault is
    repaired through them.
    """
    answered = covered(drafts)
    faults: dict[object, Fault] = {}
    for draft in drafts:
        for claim in draft.claims:
            if conflict_of(claim) is not None:
                continue
            told = tuple(words(claim.text))  # the same words twice are one fault
            if claim.verdict.support is Support.UNSUPPORTED:
                faults.setdefault(told, Unsupported(draft.question, claim))
            elif claim.verdict.support is Support.CONTRADICTED:
                faults.setdefault(told, Contradicted(draft.question, claim))
        if draft.question not in answered and not any(map(is_checkworthy, draft.claims)):
            faults[draft.question] = Unanswered(draft.question)
    return tuple(sorted(faults.values(), key=lambda fault: _CHEAPEST_FIRST.index(type(fault))))

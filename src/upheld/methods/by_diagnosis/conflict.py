"""Conflicts: what one document says and another denies, for the reader to weigh."""

from __future__ import annotations

from dataclasses import replace

from upheld.types import Claim, Conflict, Draft


def conflict_of(claim: Claim) -> Conflict | None:
    """The first pair of different documents that stand for and against a claim."""
    for one in claim.verdict.evidence_for:
        for other in claim.verdict.evidence_against:
            if one.document_id != other.document_id:
                return Conflict(claim.text, one, other)
    return None


def with_conflicts(draft: Draft) -> Draft:
    """The draft, with the conflicts that its verdicts show."""
    found = map(conflict_of, draft.claims)
    return replace(draft, conflicts=tuple(each for each in found if each is not None))

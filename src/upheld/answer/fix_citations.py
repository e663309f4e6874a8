"""Mend: citations that agree with the verdict on their claim."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from upheld.types import Citation, Claim, Support


def mend(claim: Claim) -> Claim:
    """Citations that support the claim, where it has some; else the verifier's own evidence."""
    if claim.verdict.support is not Support.SUPPORTED:
        return claim
    good = tuple(each for each in claim.citations if each.support is Support.SUPPORTED)
    return replace(claim, citations=good or claim.verdict.evidence_for)


def withdrawn(citations: Iterable[Citation]) -> tuple[Citation, ...]:
    """Citations of a claim that is no longer called supported: none of them supports it."""
    return tuple(
        replace(each, support=Support.UNSUPPORTED) if each.support is Support.SUPPORTED else each
        for each in citations
    )

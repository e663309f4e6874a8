"""Mend: a claim that is supported, but not by what it cites, gets the citations that support it."""

from __future__ import annotations

from dataclasses import replace

from upheld.types import Claim, Support


def mend(claim: Claim) -> Claim:
    """Citations that support the claim, where it has some; else the verifier's own evidence."""
    if claim.verdict.support is not Support.SUPPORTED:
        return claim
    good = tuple(each for each in claim.citations if each.support is Support.SUPPORTED)
    return replace(claim, citations=good or claim.verdict.evidence_for)

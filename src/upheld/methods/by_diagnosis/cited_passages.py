"""Which passages claims rest on, and which are new."""

from __future__ import annotations

from collections.abc import Iterable

from upheld.types import Claim, Evidence


def resting_on(claims: Iterable[Claim], evidence: Evidence) -> Evidence:
    """Of the evidence, what the claims cite and what their verdicts point at."""
    named = {
        each.passage_id
        for claim in claims
        for each in (
            *claim.citations,
            *claim.verdict.evidence_for,
            *claim.verdict.evidence_against,
        )
    }
    return Evidence(tuple(hit for hit in evidence if hit.passage.id in named))


def unseen(found: Evidence, seen: Evidence) -> Evidence:
    """What was found and is not at hand already."""
    known = {passage.id for passage in seen.passages}
    return Evidence(tuple(hit for hit in found if hit.passage.id not in known))

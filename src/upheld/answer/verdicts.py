"""What a claim's verdict means for what is shown: its citations, and what is guaranteed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from upheld.types import Cause, Citation, Claim, Draft, Guarantee, Support


def is_checkworthy(claim: Claim) -> bool:
    """ALCE counts every sentence; we leave out those that say nothing to check."""
    return claim.verdict.support is not Support.NOT_CHECKWORTHY


def is_supported(claim: Claim) -> bool:
    """Whether some passage at hand says it; what could not be checked does not count."""
    return claim.verdict.support is Support.SUPPORTED


def fix_citations(claim: Claim) -> Claim:
    """Citations that support the claim, where it has some; else the verifier's own evidence."""
    if claim.verdict.support is not Support.SUPPORTED:
        return claim
    good = tuple(each for each in claim.citations if each.support is Support.SUPPORTED)
    return replace(claim, citations=good or claim.verdict.evidence_for)


def downgrade(citations: Iterable[Citation]) -> tuple[Citation, ...]:
    """Citations of a claim that is no longer called supported: none of them supports it."""
    return tuple(
        replace(each, support=Support.UNSUPPORTED) if each.support is Support.SUPPORTED else each
        for each in citations
    )


def apply_guarantee(draft: Draft, guarantee: Guarantee) -> Draft:
    """The draft, in which a supported claim below the certified threshold is `unsupported`."""
    return replace(draft, claims=tuple(_held(claim, guarantee) for claim in draft.claims))


def stated_guarantee(guarantee: Guarantee | None, amiss: Sequence[str]) -> Guarantee | None:
    """The guarantee, unless anything went amiss on the way to the answer.

    A lesser part that stood in (words for vectors, quotes for the language model, a judge that was
    silent) makes it another pipeline than the one that was labelled. Some labels tell of less than
    that; to hold the promise back then is a loss, to give it wrongly would be worse.
    """
    return None if amiss else guarantee


def _held(claim: Claim, guarantee: Guarantee) -> Claim:
    verdict = claim.verdict
    if verdict.support is not Support.SUPPORTED:
        return claim
    if verdict.probability is not None and verdict.probability >= guarantee.threshold:
        return claim
    return replace(
        claim,
        citations=downgrade(claim.citations),
        verdict=replace(
            verdict,
            support=Support.UNSUPPORTED,
            evidence_for=downgrade(verdict.evidence_for),
            reason="its score is below the calibrated threshold",
            cause=Cause.BELOW_GUARANTEE,
        ),
    )

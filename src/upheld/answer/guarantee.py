"""Promise: what a calibrated guarantee lets through as supported, and when it may be given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from upheld.answer.fix_citations import withdrawn
from upheld.types import Cause, Claim, Draft, Guarantee, Support


def sure_enough(draft: Draft, guarantee: Guarantee) -> Draft:
    """The draft, in which a supported claim below the certified threshold is `unsupported`."""
    return replace(draft, claims=tuple(_held(claim, guarantee) for claim in draft.claims))


def promised(guarantee: Guarantee | None, amiss: Sequence[str]) -> Guarantee | None:
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
        citations=withdrawn(claim.citations),
        verdict=replace(
            verdict,
            support=Support.UNSUPPORTED,
            evidence_for=withdrawn(verdict.evidence_for),
            reason="its score is below the calibrated threshold",
            cause=Cause.BELOW_GUARANTEE,
        ),
    )

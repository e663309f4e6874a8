"""What a verdict means for the rendered answer: its citations and its guarantee."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from upheld.types import Cause, Citation, Claim, Draft, Guarantee, Support


def is_checkworthy(claim: Claim) -> bool:
    """Return whether a claim states something to check. (ALCE counts every sentence.)"""
    return claim.verdict.support is not Support.NOT_CHECKWORTHY


def is_supported(claim: Claim) -> bool:
    """Return whether a passage supports the claim; a claim that was not checked does not count."""
    return claim.verdict.support is Support.SUPPORTED


def fix_citations(claim: Claim) -> Claim:
    """Keep the citations that support the claim; if none does, cite the verifier's evidence."""
    if claim.verdict.support is not Support.SUPPORTED:
        return claim
    good = tuple(each for each in claim.citations if each.support is Support.SUPPORTED)
    return replace(claim, citations=good or claim.verdict.evidence_for)


def with_fixed_citations(draft: Draft) -> Draft:
    """Return the draft with the citations of each supported claim fixed."""
    return replace(draft, claims=tuple(map(fix_citations, draft.claims)))


def downgrade(citations: Iterable[Citation]) -> tuple[Citation, ...]:
    """Mark supporting citations as unsupported, for a claim that is no longer called supported."""
    return tuple(
        replace(each, support=Support.UNSUPPORTED) if each.support is Support.SUPPORTED else each
        for each in citations
    )


def apply_guarantee(draft: Draft, guarantee: Guarantee) -> Draft:
    """Return the draft with supported claims below the guarantee's threshold made `unsupported`."""
    return replace(draft, claims=tuple(_held(claim, guarantee) for claim in draft.claims))


def stated_guarantee(guarantee: Guarantee | None, amiss: Sequence[str]) -> Guarantee | None:
    """Return the guarantee, or None if anything failed while the answer was made.

    A fallback (word search instead of vectors, quotes instead of the language model, a judge that
    did not answer) makes it another pipeline than the one that was labelled. Some entries of
    `amiss` mean less than that; to withhold the guarantee then is a loss, but to state it wrongly
    would be worse.
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

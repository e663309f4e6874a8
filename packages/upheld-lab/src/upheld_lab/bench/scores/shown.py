"""What of an answer is shown without a warning, and how sure the method is of it."""

from __future__ import annotations

from collections.abc import Iterable

from upheld.types import Answer, Cause, Claim, Support


def method_of(variant: str) -> str:
    """The method of a variant's name: "fave" of "fave:sessions=2", "rag" of "rag+gate"."""
    return variant.partition(":")[0].partition("+")[0]


def verifies(variant: str) -> bool:
    """Whether a variant marks what it could not uphold: `upheld`, and any behind the gate.

    All others show every sentence alike.
    """
    return method_of(variant) == "upheld" or variant.partition(":")[0].endswith("+gate")


def shown_claims(answer: Answer, variant: str) -> tuple[Claim, ...]:
    """The claims that carry no warning of their own."""
    if not verifies(variant):
        return answer.claims
    return tuple(each for each in answer.claims if each.verdict.support is Support.SUPPORTED)


def is_shown(answer: Answer, variant: str) -> bool:
    """Whether anything is shown without a warning.

    That an answer is doubtful, and a reported conflict, warn of the whole.
    """
    warned = answer.doubtful or (verifies(variant) and bool(answer.conflicts))
    return bool(shown_claims(answer, variant)) and not warned


def told_claims(answer: Answer, variant: str) -> tuple[Claim, ...]:
    """What would be shown if it had to be: the upheld claims, or all if none is."""
    return shown_claims(answer, variant) or answer.claims


def text_of(claims: Iterable[Claim]) -> str:
    """Their words, without marks."""
    return " ".join(claim.text for claim in claims)


def confidence(answer: Answer, variant: str) -> float | None:
    """How sure the method is of what it would show; None if there is nothing to show.

    That is P(right) where it is known. Otherwise a method without verification is equally sure of
    everything, whatever a verdict that was put on its answer later says.
    """
    told = told_claims(answer, variant)
    if not told:
        return None
    if answer.p_right is not None:
        return answer.p_right
    return max(map(_sureness, told)) if verifies(variant) else 1.0


def _sureness(claim: Claim) -> float:
    """P(support) x relevance; nobody vouches for what was not checked."""
    verdict = claim.verdict
    supported = verdict.support is Support.SUPPORTED
    probability = verdict.probability
    if verdict.cause is Cause.QUOTED or (supported and probability is None):
        probability = 1.0
    return (probability or 0.0) * (1.0 if claim.relevance is None else claim.relevance)

"""Strict: only what the sources uphold is said, and what is left out is counted.

Beside it stand greetings and questions. Headings, hedges and remarks about the documents go: they
need no check, but what they say was not upheld either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from upheld.types import Cause, Claim, Support

_HARMLESS = (Cause.GREETING, Cause.QUESTION, Cause.NO_WORDS)


def only_upheld(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """The supported claims; with them, but never alone, what says nothing."""
    if not any(claim.verdict.support is Support.SUPPORTED for claim in claims):
        return ()
    return tuple(filter(_passes, claims))


def left_out(claims: Sequence[Claim]) -> tuple[str, ...]:
    """What a strict answer does not say, for its reader: how many claims, with which verdicts."""
    counts = Counter(claim.verdict.support for claim in claims if not _passes(claim))
    if not counts:
        return ()
    verdicts = ", ".join(f"{n} {verdict.value.replace('_', ' ')}" for verdict, n in counts.items())
    total = counts.total()
    told = (
        "1 claim was not upheld and is" if total == 1 else f"{total} claims were not upheld and are"
    )
    return (f"strict: {told} left out ({verdicts})",)


def _passes(claim: Claim) -> bool:
    verdict = claim.verdict
    return verdict.support is Support.SUPPORTED or (
        verdict.support is Support.NOT_CHECKWORTHY and verdict.cause in _HARMLESS
    )

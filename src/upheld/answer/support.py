"""What a claim's verdict says of it, as questions that every stage asks alike."""

from __future__ import annotations

from upheld.types import Claim, Support


def is_checkworthy(claim: Claim) -> bool:
    """ALCE counts every sentence; we leave out those that say nothing to check."""
    return claim.verdict.support is not Support.NOT_CHECKWORTHY


def is_supported(claim: Claim) -> bool:
    """Whether some passage at hand says it; what could not be checked does not count."""
    return claim.verdict.support is Support.SUPPORTED

"""What an answer cost, by the prices that the user pays."""

from __future__ import annotations

from dataclasses import dataclass

from upheld.types import Usage

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """For a million tokens, in any currency; cached prompt tokens are often cheaper."""

    prompt: float
    cached_prompt: float
    completion: float


def cost(usage: Usage, prices: Prices) -> float:
    """Prompt tokens that the server had cached are a part of the prompt tokens."""
    fresh = usage.prompt_tokens - usage.cached_tokens
    return (
        fresh * prices.prompt
        + usage.cached_tokens * prices.cached_prompt
        + usage.completion_tokens * prices.completion
    ) / _MILLION


def cached_share(usage: Usage) -> float | None:
    """The share of prompt tokens that the server had cached; None without a prompt."""
    return usage.cached_tokens / usage.prompt_tokens if usage.prompt_tokens else None

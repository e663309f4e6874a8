"""One retry layer: full jitter, Retry-After, a retry budget, and never past the run's deadline.

tenacity and stamina provide a loop and a sleep; the four rules that matter here would all be
callbacks of ours, so the loop is ours too.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from upheld.errors import BudgetExceededError, LLMTimeoutError, LLMUnavailableError
from upheld.run.budget import Meter, Reservation
from upheld.run.trace import span
from upheld.types import Usage

T = TypeVar("T")


@dataclass(slots=True)
class RetryBudget:
    """A token bucket shared by all calls to one endpoint, so that a dead server is not overloaded.

    Each call adds `ratio` of a token, each retry takes one: once the reserve is used up, retries
    are at most that share of the traffic.
    """

    ratio: float = 0.2
    reserve: float = 10.0  # retries that a new client may make before the ratio applies
    tokens: float = field(init=False)

    def __post_init__(self) -> None:
        self.tokens = self.reserve

    def deposit(self) -> None:
        self.tokens = min(self.reserve, self.tokens + self.ratio)

    def withdraw(self) -> bool:
        if self.tokens < 1:
            return False
        self.tokens -= 1
        return True


@dataclass(slots=True)
class Tally:
    """The usage of one call to the port so far, and what it reserved beyond its first request."""

    meter: Meter
    usage: Usage = field(default_factory=Usage)
    held: list[Reservation] = field(default_factory=list)

    def reserve(self, *, calls: int, tokens: int = 0) -> None:
        """Reserve budget for further requests: the caller has reserved only one."""
        self.held.append(self.meter.reserve(calls=calls, tokens=tokens))

    def release(self) -> None:
        """Release the reservations; the caller charges the usage."""
        while self.held:
            self.meter.charge(self.held.pop(), Usage())


@dataclass(frozen=True, slots=True)
class Retry:
    """How often to retry, and how long to wait."""

    attempts: int = 4
    first_pause: float = 0.5
    longest_pause: float = 20.0
    longest_retry_after: float = 120.0
    budget: RetryBudget = field(default_factory=RetryBudget)

    async def __call__(self, work: Callable[[], Awaitable[T]], tally: Tally) -> T:
        """Do the work, with retries where they may help; raises the last error otherwise."""
        self.budget.deposit()
        attempt = 0
        while True:
            attempt += 1
            tally.usage += Usage(requests=1)
            try:
                return await work()
            except LLMTimeoutError:
                raise  # a server that stalls would take the whole timeout again
            except LLMUnavailableError as error:
                pause = self.pause(attempt, error.retry_after)
                if attempt >= self.attempts or not self._may_wait(pause, tally):
                    raise
                reason = f"after attempt {attempt}: {error.args[0]}"
            with span("retry", note=reason):
                await asyncio.sleep(pause)

    def pause(self, attempt: int, after: float | None) -> float:
        """Return a random pause up to the exponential step (full jitter), after any Retry-After."""
        step = min(self.longest_pause, self.first_pause * 2 ** (attempt - 1))
        return (after or 0.0) + random.uniform(0, step)  # noqa: S311 -- spreads load, hides nothing

    def _may_wait(self, pause: float, tally: Tally) -> bool:
        if pause > self.longest_retry_after or pause >= tally.meter.seconds_left:
            return False
        try:
            tally.reserve(calls=1)
        except BudgetExceededError:
            return False
        return self.budget.withdraw()

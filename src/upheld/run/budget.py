"""Budgets: a call reserves its worst case before it starts, and is charged for what it used."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from upheld.errors import BudgetExceededError
from upheld.types import Usage


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one run; None means no limit.

    Example::

        kb.ask("When does the lighthouse open?", budget=Budget(seconds=20, llm_calls=5))
    """

    seconds: float | None = None
    llm_calls: int | None = None  # requests, not completions
    tokens: int | None = None  # prompt and completion together
    rounds: int | None = None


@dataclass(slots=True)
class Reservation:
    """The calls and tokens that are reserved for a call until it is charged."""

    calls: int
    tokens: int
    open: bool = True


@dataclass(slots=True)
class Meter:
    """Counts what one run uses against its budget; not thread-safe, for one event loop."""

    budget: Budget = Budget()
    clock: Callable[[], float] = time.monotonic
    started: float = field(init=False)
    used: Usage = field(default_factory=Usage, init=False)
    rounds: int = field(default=0, init=False)
    reserved_calls: int = field(default=0, init=False)
    reserved_tokens: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.started = self.clock()

    @property
    def seconds_left(self) -> float:
        if self.budget.seconds is None:
            return math.inf
        return self.budget.seconds - (self.clock() - self.started)

    def reserve(self, *, calls: int = 1, tokens: int = 0) -> Reservation:
        """Reserve the worst case of a call; raise `BudgetExceededError` if it does not fit."""
        self.check_time()
        limit = self.budget.llm_calls
        if limit is not None and self.used.requests + self.reserved_calls + calls > limit:
            raise BudgetExceededError(f"the budget of {limit} LLM calls is used up")
        limit = self.budget.tokens
        if limit is not None and self.used.tokens + self.reserved_tokens + tokens > limit:
            raise BudgetExceededError(f"the budget of {limit} tokens cannot hold {tokens} more")
        self.reserved_calls += calls
        self.reserved_tokens += tokens
        return Reservation(calls, tokens)

    def charge(self, reservation: Reservation, usage: Usage) -> None:
        """Replace a reservation by the actual usage; a second charge has no effect."""
        if reservation.open:
            reservation.open = False
            self.reserved_calls -= reservation.calls
            self.reserved_tokens -= reservation.tokens
            self.used += usage

    def spend(self, usage: Usage) -> None:
        """Count usage that needs no reservation: searches and scored pairs."""
        self.used += usage

    def next_round(self) -> bool:
        """Start another round and return True, or return False if no round is left."""
        if self.budget.rounds is not None and self.rounds >= self.budget.rounds:
            return False
        self.rounds += 1
        return True

    def check_time(self) -> None:
        if self.seconds_left <= 0:
            raise BudgetExceededError(f"the budget of {self.budget.seconds} seconds is used up")

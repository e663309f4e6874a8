"""The one way to ask an entailment model: each pair once, in time, and its scores looked at."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

from upheld._internal.concurrency import within
from upheld.errors import UpheldError
from upheld.ports import Entailment, Judgement, Pair
from upheld.run.trace import Span, current_run
from upheld.types import Cause, Usage
from upheld.verification.source import CheckFailure

T = TypeVar("T")

_SLACK = 0.01  # how far probabilities may be from a sum of one


async def judge(
    model: Entailment, pairs: Sequence[Pair], step: Span, deadline: Deadline
) -> Mapping[Pair, Judgement] | CheckFailure:
    """Judgements by pair, or why there are none: one doubtful score spoils the whole reply.

    A run asks for each pair once, however often its drafts are checked.
    """
    known: dict[Pair, Judgement] = current_run().known.setdefault(("judge", id(model)), {})
    new = [pair for pair in dict.fromkeys(pairs) if pair not in known]
    if new:
        judgements = await deadline.before_deadline(
            lambda seconds: within(seconds, model.judge(new))
        )
        if isinstance(judgements, CheckFailure):
            return judgements
        if len(judgements) != len(new):
            return CheckFailure(
                Cause.BAD_SCORES, "the verifier gave another number of scores than asked"
            )
        if not all(map(_sound, judgements)):
            return CheckFailure(
                Cause.BAD_SCORES, "the verifier gave scores that are no probabilities"
            )
        used = Usage(pairs_checked=len(new))
        step.usage += used
        current_run().meter.spend(used)
        known |= zip(new, judgements, strict=True)
    return known


class Deadline:
    """How the work on one check is done: off the event loop, and before the run's deadline.

    Splitting and comparing a long source takes seconds, which no other request may wait for. Work
    on a few short passages is done sooner than a thread takes it over, so that stays where it is.
    There is no other limit than the run's budget; a run without one waits for the check to end.
    """

    def __init__(self, *, grace: float = 0.0, small: bool = False) -> None:
        self.small = small
        self._stopped = threading.Event()
        self._meter = current_run().meter
        left = self._meter.seconds_left
        self._last_call = self._meter.clock() + max(left, 0.0) + grace  # all steps share the grace

    async def __call__(self, work: Callable[[], T], *, late: bool = False) -> T | CheckFailure:
        """The result, or why there is none; `late`: it is worth the grace after the deadline."""

        async def step(seconds: float) -> T:
            if self.small:
                return work()
            try:
                return await within(seconds, asyncio.to_thread(work))
            except (TimeoutError, asyncio.CancelledError):
                self._stopped.set()
                raise

        return await self.before_deadline(step, late=late)

    def go_on(self) -> None:
        """Raise TimeoutError in a thread that nobody waits for any more; for long loops."""
        if self._stopped.is_set():
            raise TimeoutError

    async def before_deadline(
        self, work: Callable[[float], Awaitable[T]], *, late: bool = False
    ) -> T | CheckFailure:
        """What the work comes to in the seconds that it is told it has."""
        meter = self._meter
        seconds = self._last_call - meter.clock() if late else meter.seconds_left
        if seconds <= 0:
            return CheckFailure(Cause.OUT_OF_TIME, f"no time was left to check it{self._limit}")
        try:
            return await work(seconds)
        except TimeoutError:
            return CheckFailure(
                Cause.OUT_OF_TIME, f"time ran out while it was checked{self._limit}"
            )
        except UpheldError as error:
            return failed(error)

    @property
    def seconds_left(self) -> float:
        return self._meter.seconds_left

    @property
    def _limit(self) -> str:
        seconds = self._meter.budget.seconds
        return "" if seconds is None else f" (limit: {seconds:g} s)"


def failed(error: UpheldError) -> CheckFailure:
    """A model that raised, as the reason of a verdict."""
    return CheckFailure(Cause.MODEL_FAILED, f"the verifier failed: {error.first_line}")


def _sound(judgement: Judgement) -> bool:
    scores = (judgement.entails, judgement.contradicts, judgement.neutral)
    if not all(math.isfinite(score) and -_SLACK <= score <= 1 + _SLACK for score in scores):
        return False
    return abs(sum(scores) - 1) <= _SLACK

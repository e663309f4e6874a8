"""Ask an entailment model: each pair once, before the deadline, with its scores validated."""

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

_SLACK = 0.01  # how far the sum of the probabilities may be from one


async def judge(
    model: Entailment, pairs: Sequence[Pair], step: Span, deadline: Deadline
) -> Mapping[Pair, Judgement] | CheckFailure:
    """Return judgements by pair, or a failure: one invalid score rejects the whole reply.

    Within a run each pair is scored once, however often its drafts are checked.
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
    """Runs the work of one check off the event loop and before the run's deadline.

    Splitting and comparing a long source takes seconds, which would block other requests, so it
    runs in a thread. Work on a few short passages takes less time than starting a thread, so it
    runs in place. The only limit is the run's budget; a run without one waits for the check to end.
    """

    def __init__(self, *, grace: float = 0.0, small: bool = False) -> None:
        self.small = small
        self._stopped = threading.Event()
        self._meter = current_run().meter
        left = self._meter.seconds_left
        self._last_call = self._meter.clock() + max(left, 0.0) + grace  # all steps share the grace

    async def __call__(self, work: Callable[[], T], *, late: bool = False) -> T | CheckFailure:
        """Return the result, or the failure; `late` allows the grace period after the deadline."""

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
        """Raise TimeoutError if the caller has stopped waiting; for long loops in threads."""
        if self._stopped.is_set():
            raise TimeoutError

    async def before_deadline(
        self, work: Callable[[float], Awaitable[T]], *, late: bool = False
    ) -> T | CheckFailure:
        """Run the work with the seconds that are left, and return its result or the failure."""
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
    """Turn an error of the model into the reason of a verdict."""
    return CheckFailure(Cause.MODEL_FAILED, f"the verifier failed: {error.first_line}")


def _sound(judgement: Judgement) -> bool:
    scores = (judgement.entails, judgement.contradicts, judgement.neutral)
    if not all(math.isfinite(score) and -_SLACK <= score <= 1 + _SLACK for score in scores):
        return False
    return abs(sum(scores) - 1) <= _SLACK

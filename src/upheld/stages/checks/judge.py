"""The one way to ask an entailment model: each pair once, in time, and its scores looked at."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

from upheld.concurrency import within
from upheld.errors import UpheldError
from upheld.ports import Entailment, Judgement, Pair
from upheld.stages.checks.source import Trouble
from upheld.trace import Span, current_run
from upheld.types import Cause, Usage

T = TypeVar("T")

_SLACK = 0.01  # how far probabilities may be from a sum of one


async def judge(
    model: Entailment, pairs: Sequence[Pair], step: Span, patience: float
) -> Mapping[Pair, Judgement] | Trouble:
    """Judgements by pair, or why there are none: one doubtful score spoils the whole reply."""
    distinct = list(dict.fromkeys(pairs))
    if not distinct:
        return {}
    meter = current_run().meter
    judgements = await _before_deadline(lambda: model.judge(distinct), patience)
    if isinstance(judgements, Trouble):
        return judgements
    if len(judgements) != len(distinct):
        return Trouble(Cause.BAD_SCORES, "the verifier gave another number of scores than asked")
    if not all(map(_sound, judgements)):
        return Trouble(Cause.BAD_SCORES, "the verifier gave scores that are no probabilities")
    used = Usage(pairs_checked=len(distinct))
    step.usage += used
    meter.spend(used)
    return dict(zip(distinct, judgements, strict=True))


async def in_time(work: Callable[[], T], patience: float, grace: float = 0.0) -> T | Trouble:
    """Work that takes a while, off the event loop and before the deadline.

    With some grace, it has so many seconds even where the run has fewer left.
    """
    return await _before_deadline(lambda: asyncio.to_thread(work), patience, grace)


async def _before_deadline(
    work: Callable[[], Awaitable[T]], patience: float, grace: float = 0.0
) -> T | Trouble:
    seconds = max(min(current_run().meter.seconds_left, patience), grace)
    if seconds <= 0:
        return Trouble(Cause.OUT_OF_TIME, "no time was left to check it")
    try:
        return await within(seconds, work())
    except TimeoutError:
        return Trouble(Cause.OUT_OF_TIME, "time ran out while it was checked")
    except UpheldError as error:
        return failed(error)


def failed(error: UpheldError) -> Trouble:
    """A model that raised, as the reason of a verdict."""
    return Trouble(Cause.MODEL_FAILED, f"the verifier failed: {str(error).splitlines()[0]}")


def _sound(judgement: Judgement) -> bool:
    scores = (judgement.entails, judgement.contradicts, judgement.neutral)
    if not all(math.isfinite(score) and -_SLACK <= score <= 1 + _SLACK for score in scores):
        return False
    return abs(sum(scores) - 1) <= _SLACK

"""Calls of stages to models: each is traced, charged to the budget and limited by its deadline.

Also helpers for work that a run can do without when the budget is exhausted.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from upheld._internal.concurrency import all_of, within
from upheld.errors import BudgetExceededError, LLMError, ModelError
from upheld.ports import LLM, Embedder, Grader, Message, Output, QueryPassagePair, Reply, Sampling
from upheld.run.trace import current_run, span
from upheld.types import Usage

if TYPE_CHECKING:
    from upheld.ports import Vector


async def generate(
    llm: LLM,
    stage: str,
    messages: Sequence[Message],
    output: type[Output],
    sampling: Sampling = Sampling(),
) -> Reply[Output]:
    """Call the language model within the run's budget and deadline.

    Greedy replies (temperature 0) are cached for the run: the same request is paid for once.
    Raises `BudgetExceededError` if the budget is exhausted, and `LLMError` if the call fails.
    """

    async def ask() -> Reply[Output]:
        return await _ask(llm, stage, messages, output, sampling)

    if sampling.temperature > 0:
        return await ask()
    return await current_run().once((id(llm), tuple(messages), output, sampling), ask)


async def _ask(
    llm: LLM, stage: str, messages: Sequence[Message], output: type[Output], sampling: Sampling
) -> Reply[Output]:
    meter = current_run().meter
    worst = 0
    if meter.budget.tokens is not None:  # counting tokens is slow: only where they are limited
        worst = llm.count_tokens(messages) + sampling.samples * sampling.max_tokens
    reservation = meter.reserve(calls=1, tokens=worst)
    used = Usage(requests=1)  # a call that fails or is cancelled counts as well
    with span(stage) as step:
        try:
            reply = await within(meter.seconds_left, llm.generate(messages, output, sampling))
            used = reply.usage
            return reply
        except TimeoutError as late:
            raise BudgetExceededError("time ran out while the language model wrote") from late
        except LLMError as error:
            used = error.usage if error.usage.requests else used
            raise
        finally:
            step.usage = used
            meter.charge(reservation, used)


async def embed(embedder: Embedder, texts: Sequence[str]) -> list[Vector]:
    """Embed texts within the run's deadline; vectors are cached for the run.

    Raises `BudgetExceededError` on a timeout, and `ModelError` if a vector is not finite.
    """
    known: dict[str, Vector] = current_run().known.setdefault(("embed", id(embedder)), {})
    new = [text for text in dict.fromkeys(texts) if text not in known]
    if new:
        with span("embed"):
            try:
                vectors = await within(current_run().meter.seconds_left, embedder.embed(new))
            except TimeoutError as late:
                raise BudgetExceededError("time ran out while texts were embedded") from late
            if not math.isfinite(vectors.sum()):
                raise ModelError("it gave vectors that are not finite")
        known |= zip(new, vectors, strict=True)
    return [known[text] for text in texts]


async def grade(grader: Grader, stage: str, pairs: Sequence[QueryPassagePair]) -> list[float]:
    """Grade pairs of query and passage within the run's deadline; scores are cached for the run.

    Raises `BudgetExceededError` on a timeout. Raises `ModelError` for all pairs if one score is
    not a probability, since the others cannot be trusted then.
    """
    known: dict[QueryPassagePair, float] = current_run().known.setdefault(("grade", id(grader)), {})
    new = [pair for pair in dict.fromkeys(pairs) if pair not in known]
    if new:
        known |= zip(new, await _grade(grader, stage, new), strict=True)
    return [known[pair] for pair in pairs]


async def _grade(grader: Grader, stage: str, pairs: Sequence[QueryPassagePair]) -> list[float]:
    meter = current_run().meter
    meter.check_time()
    with span(stage) as step:
        try:
            scores = await within(meter.seconds_left, grader.grade(pairs))
        except TimeoutError as late:
            raise BudgetExceededError("time ran out while passages were graded") from late
        if len(scores) != len(pairs):
            raise ModelError("it gave another number of scores than asked")
        if not all(0 <= score <= 1 for score in scores):  # this also rejects NaN
            raise ModelError("it gave scores that are no probabilities")
        step.usage = Usage(pairs_checked=len(pairs))
        meter.spend(step.usage)
    return scores


T = TypeVar("T")


async def or_default_if_over_budget(work: Awaitable[T], instead: T) -> T:
    """Await the work; if calls or tokens are used up, mark the run degraded and return `instead`.

    If the time is used up, the error is raised, because nothing else can be done either.
    """
    try:
        return await work
    except BudgetExceededError as error:
        current_run().meter.check_time()
        current_run().degrade("a call was skipped", error)
        return instead


async def gather_partial(
    work: Iterable[Coroutine[Any, Any, T]], take: Callable[[T], object]
) -> None:
    """Run coroutines concurrently and pass each result to `take` when it is there.

    If one of them exceeds the budget, the others still finish, and their results are used; then
    the first `BudgetExceededError` is raised.
    """
    spent: list[BudgetExceededError] = []

    async def one(each: Coroutine[Any, Any, T]) -> None:
        try:
            take(await each)
        except BudgetExceededError as error:
            spent.append(error)

    await all_of(one(each) for each in work)
    if spent:
        raise spent[0]

"""What a run can do without: calls over budget, and results that come too late."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, TypeVar

from upheld._internal.concurrency import all_of
from upheld.errors import BudgetExceededError
from upheld.run.trace import current_run

T = TypeVar("T")


async def or_default_if_over_budget(work: Awaitable[T], instead: T) -> T:
    """What the work gives; `instead`, and a label, where calls or tokens are used up.

    When it is the time that ran out, nothing else can be done either.
    """
    try:
        return await work
    except BudgetExceededError as error:
        current_run().meter.check_time()
        current_run().degrade("done without a call", error)
        return instead


async def gather_partial(
    work: Iterable[Coroutine[Any, Any, T]], take: Callable[[T], object]
) -> None:
    """Run everything at once; one that finds the budget spent does not undo what others paid for.

    The budget's error passes on when the others are done.
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

"""Fan-out in which each result is taken in as it comes, so that an early end keeps what is done."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeVar

from upheld._internal.concurrency import all_of
from upheld.errors import BudgetExceededError

T = TypeVar("T")


async def as_they_come(work: Iterable[Coroutine[Any, Any, T]], take: Callable[[T], object]) -> None:
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

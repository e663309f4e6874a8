"""Calls that one can do without: when the budget has none left for them, the run still goes on."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeVar

from upheld.errors import BudgetExceededError
from upheld.run.trace import current_run

T = TypeVar("T")


async def if_affordable(work: Awaitable[T], instead: T) -> T:
    """What the work gives; `instead`, and a label, where calls or tokens are used up.

    When it is the time that ran out, nothing else can be done either.
    """
    try:
        return await work
    except BudgetExceededError as error:
        current_run().meter.check_time()
        current_run().degrade(f"done without a call: {str(error).splitlines()[0]}")
        return instead

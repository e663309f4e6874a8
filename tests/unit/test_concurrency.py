"""Fan-out: order kept, one error instead of a group, the rest cancelled."""

from __future__ import annotations

import asyncio
import math

import pytest

from upheld.concurrency import all_of, together, within


async def value(result: int) -> int:
    await asyncio.sleep(0)
    return result


async def failing() -> int:
    raise ValueError("the real error")


async def test_results_keep_their_order() -> None:
    assert await all_of(value(n) for n in range(5)) == [0, 1, 2, 3, 4]
    assert await together(value(1), value(2)) == (1, 2)


async def test_the_first_real_error_is_raised_bare_and_stops_the_rest() -> None:
    cancelled = asyncio.Event()

    async def waits() -> int:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return 0

    with pytest.raises(ValueError, match="the real error"):
        await all_of([waits(), failing()])
    assert cancelled.is_set()


async def test_a_deadline_ends_waiting_and_no_deadline_does_not() -> None:
    with pytest.raises(TimeoutError):
        await within(0.01, asyncio.Event().wait())
    assert await within(math.inf, value(3)) == 3

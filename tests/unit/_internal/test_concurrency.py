"""Fan-out: order kept, one error instead of a group, the rest cancelled."""

from __future__ import annotations

import asyncio
import math

import pytest

from upheld._internal import concurrency
from upheld._internal.concurrency import (
    all_of,
    meanwhile,
    request_sent,
    together,
    while_waiting,
    within,
)


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


async def test_a_deadline_that_strikes_after_a_failure_is_still_a_deadline() -> None:
    async def goes_on() -> None:
        with pytest.raises(ValueError, match="the real error"):
            await together(value(1), failing())
        await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await within(0.01, goes_on())
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_who_cancels_is_not_told_of_an_error_instead() -> None:
    async def fails_when_cancelled() -> int:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as error:
            raise ValueError("on the way out") from error
        return 0

    task = asyncio.create_task(all_of([fails_when_cancelled(), value(1)]))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_meanwhile_is_awaited_by_who_needs_it_and_ends_with_the_block() -> None:
    async def five() -> int:
        return 5

    async with meanwhile(five()) as task:
        assert await task == 5
    async with meanwhile(asyncio.sleep(60)) as idle:
        pass
    assert idle.cancelled()


async def test_an_error_of_what_went_on_meanwhile_reaches_only_who_awaits_it() -> None:
    async def fails() -> None:
        raise ValueError("lost")

    async with meanwhile(fails()) as task:
        await asyncio.sleep(0)
    assert task.done()
    with pytest.raises(ValueError, match="lost"):
        async with meanwhile(fails()) as task:
            await task


async def test_work_for_the_wait_begins_when_the_request_has_been_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(concurrency, "LATEST_SECONDS", 60)
    done: list[str] = []
    both = asyncio.Event()

    async def work(name: str) -> None:
        done.append(name)
        if len(done) == 3:
            both.set()

    async with while_waiting(lambda: work("outer")), while_waiting(lambda: work("inner")):
        for _ in range(20):
            await asyncio.sleep(0.001)
        done.append("request")  # nothing came before
        await all_of([asyncio.to_thread(int), signalled()])
        await both.wait()
    assert (done[0], set(done)) == ("request", {"request", "outer", "inner"})


async def signalled() -> int:
    """As a model does, in a task of its own."""
    request_sent()
    return 0


async def test_work_begins_by_itself_after_the_latest_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(concurrency, "LATEST_SECONDS", 0.01)
    done = asyncio.Event()

    async def work() -> None:
        done.set()

    async with while_waiting(work), asyncio.timeout(60):
        await done.wait()


async def test_work_that_was_not_begun_ends_with_the_block() -> None:
    async def work() -> None:
        pytest.fail("nobody waited")

    async with while_waiting(work):
        pass
    request_sent()  # of nobody's

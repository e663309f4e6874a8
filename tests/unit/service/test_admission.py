"""Admission: bounded, fair, and no place is ever lost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.service.test_rate import Clock
from upheld.errors import AdmissionError, ServiceFullError, TenantLimitError
from upheld.settings import load_settings
from upheld_service.admission.admission import Admission, Limits


def limits(**given: Any) -> Limits:
    chosen: dict[str, Any] = {
        "at_once": 3,
        "waiting": 6,
        "wait_seconds": 60.0,
        "tenant_at_once": 2,
        "tenant_waiting": 4,
        "tenant_per_second": 1e9,
        "tenant_burst": 10**9,
    }
    return Limits(**{**chosen, **given})


class Visit:
    """One request: it enters, stays until it is told to leave, and says how it went."""

    def __init__(self, admission: Admission, tenant: str, note: Callable[[str], None]) -> None:
        self.tenant, self.inside, self.refused = tenant, False, False
        self.leave = asyncio.Event()
        self.task = asyncio.create_task(self._run(admission, note))

    async def _run(self, admission: Admission, note: Callable[[str], None]) -> None:
        try:
            async with admission.admitted(self.tenant):
                self.inside = True
                note(self.tenant)
                await self.leave.wait()
        except AdmissionError:
            self.refused = True
        finally:
            self.inside = False


async def settled() -> None:
    for _ in range(20):  # tasks that were woken run, and those that they wake, one after another
        await asyncio.sleep(0)


OPERATION = st.tuples(
    st.sampled_from(["come", "come", "leave", "cancel", "all leave, cancel"]),
    st.integers(0, 30),
)


@settings(max_examples=300, deadline=None)
@given(
    operations=st.lists(OPERATION, max_size=60),
    at_once=st.integers(1, 4),
    tenant_at_once=st.integers(1, 4),
    waiting=st.integers(0, 8),
    tenant_waiting=st.integers(0, 5),
)
def test_bounds_hold_and_no_place_is_lost(
    operations: list[tuple[str, int]],
    at_once: int,
    tenant_at_once: int,
    waiting: int,
    tenant_waiting: int,
) -> None:
    chosen = limits(
        at_once=at_once,
        tenant_at_once=tenant_at_once,
        waiting=waiting,
        tenant_waiting=tenant_waiting,
    )

    async def play() -> None:
        admission = Admission(chosen)
        visits: list[Visit] = []
        for what, number in operations:
            here = [visit for visit in visits if not visit.task.done()]
            if what == "come":
                visits.append(Visit(admission, "abc"[number % 3], lambda _: None))
            elif here:
                visit = here[number % len(here)]
                if what == "all leave, cancel":
                    for inside in here:
                        inside.leave.set()
                    if number % 2:  # given up after it was handed over; otherwise just before
                        await asyncio.sleep(0)
                if what == "leave":
                    visit.leave.set()
                else:
                    visit.task.cancel()
            await settled()
            check(admission, chosen, [visit for visit in visits if not visit.task.done()])
        for visit in visits:
            visit.leave.set()
        ends = await asyncio.gather(*(visit.task for visit in visits), return_exceptions=True)
        assert all(end is None or isinstance(end, asyncio.CancelledError) for end in ends)
        assert (admission.in_progress, admission.waiting) == (0, 0)
        async with AsyncExitStack() as places:  # as many as if nothing had happened
            for each in range(at_once):
                await places.enter_async_context(admission.admitted(each))
        assert await admission.drain(0.1)

    asyncio.run(play())


def check(admission: Admission, chosen: Limits, here: list[Visit]) -> None:
    inside = [visit for visit in here if visit.inside]
    outside = [visit for visit in here if not visit.inside]
    assert admission.in_progress == len(inside) <= chosen.at_once
    assert admission.waiting == len(outside) <= chosen.waiting
    for tenant in "abc":
        own = sum(visit.tenant == tenant for visit in inside)
        queued = sum(visit.tenant == tenant for visit in outside)
        assert own <= chosen.tenant_at_once
        assert queued <= chosen.tenant_waiting
        # Nobody waits for a place that is free.
        assert not queued or own == chosen.tenant_at_once or len(inside) == chosen.at_once


@given(crowd=st.integers(1, 20), others=st.integers(1, 5))
@settings(max_examples=30, deadline=None)
def test_a_crowd_of_one_tenant_delays_another_by_one_turn(crowd: int, others: int) -> None:
    async def play() -> list[str]:
        order: list[str] = []
        admission = Admission(limits(at_once=1, waiting=99, tenant_waiting=99, tenant_at_once=9))
        visits = [Visit(admission, "crowd", order.append) for _ in range(crowd + 1)]
        await settled()
        visits += [Visit(admission, f"other {each}", order.append) for each in range(others)]
        await settled()
        for turn in range(len(visits)):
            (inside,) = [visit for visit in visits if visit.inside]
            assert len(order) == turn + 1
            inside.leave.set()
            await settled()
        return order

    order = asyncio.run(play())
    assert len(order) == crowd + 1 + others
    # One of the crowd was inside, and one more stood first in line.
    assert {f"other {each}" for each in range(others)} <= set(order[: others + 2])


@pytest.mark.parametrize("handed_over", [False, True])
async def test_a_place_that_is_given_up_as_it_comes_free_is_not_lost(handed_over: bool) -> None:
    admission = Admission(limits(at_once=1))
    inside, quits, waits = (Visit(admission, tenant, lambda _: None) for tenant in "abc")
    await settled()
    inside.leave.set()
    if handed_over:
        await asyncio.sleep(0)
    assert admission.waiting == (1 if handed_over else 2)
    quits.task.cancel()
    await inside.task
    await settled()
    assert waits.inside
    assert (admission.in_progress, admission.waiting) == (1, 0)
    waits.leave.set()
    await settled()
    assert admission.in_progress == 0


async def test_beyond_the_bounds_requests_are_refused_at_once_and_told_why() -> None:
    admission = Admission(limits())
    own = [Visit(admission, "a", lambda _: None) for _ in range(6)]  # 2 inside, 4 wait
    await settled()
    started = time.thread_time()
    with pytest.raises(TenantLimitError, match=r"Try again in 1 second\.") as refused:
        await admission._enter("a", 60)
    assert time.thread_time() - started < 0.05
    assert (refused.value.retry_after, refused.value.retryable) == (1, True)
    others = [Visit(admission, tenant, lambda _: None) for tenant in "bcd"]  # 1 inside, 2 wait
    await settled()
    started = time.thread_time()
    with pytest.raises(ServiceFullError):
        await admission._enter("e", 60)
    assert time.thread_time() - started < 0.05
    for visit in (*own, *others):
        visit.task.cancel()
    await asyncio.gather(*(visit.task for visit in (*own, *others)), return_exceptions=True)
    assert (admission.in_progress, admission.waiting) == (0, 0)


async def test_thousands_of_refusals_take_under_50_ms_each() -> None:
    admission = Admission(limits(at_once=1, waiting=0))
    async with admission.admitted("a"):
        slowest = 0.0
        for number in range(2000):
            started = time.thread_time()  # a busy machine is not our delay
            with pytest.raises(ServiceFullError):
                await admission._enter(number, 60)
            slowest = max(slowest, time.thread_time() - started)
    assert slowest < 0.05


@pytest.mark.parametrize(("mine", "kind"), [("a", TenantLimitError), ("b", ServiceFullError)])
async def test_waiting_ends_with_the_deadline(mine: str, kind: type[AdmissionError]) -> None:
    admission = Admission(limits(at_once=1, tenant_at_once=1))
    async with admission.admitted("a"):
        with pytest.raises(kind):
            async with admission.admitted(mine, seconds=0.01):
                pytest.fail("there is no place")
        assert (admission.in_progress, admission.waiting) == (1, 0)
    async with admission.admitted(mine, seconds=0):  # a free place needs no wait
        assert admission.in_progress == 1


async def test_whoever_fails_inside_leaves_the_place() -> None:
    admission = Admission(limits(at_once=1))
    with pytest.raises(ValueError, match="inside"):
        async with admission.admitted("a"):
            raise ValueError("inside")
    assert admission.in_progress == 0


async def test_whoever_watches_is_told_of_every_change() -> None:
    told: list[tuple[int, int]] = []
    admission = Admission(limits(at_once=1), changed=lambda run, wait: told.append((run, wait)))
    inside, waits, quits = (Visit(admission, "a", lambda _: None) for _ in range(3))
    await settled()
    assert told == [(1, 0), (1, 1), (1, 2)]
    quits.task.cancel()
    await settled()
    inside.leave.set()
    await settled()
    waits.leave.set()
    await settled()
    assert told[3:] == [(1, 1), (1, 0), (0, 0)]


async def test_draining_refuses_new_ones_and_waits_for_the_others() -> None:
    admission = Admission(limits(at_once=1))
    inside, waits = (Visit(admission, "a", lambda _: None) for _ in range(2))
    await settled()
    assert not await admission.drain(0.01)
    assert admission.draining
    with pytest.raises(ServiceFullError, match="shutting down") as refused:
        await admission._enter("b", 60)
    assert refused.value.retry_after == 5
    drained = asyncio.create_task(admission.drain(60))
    inside.leave.set()
    await settled()
    assert waits.inside
    assert not drained.done()
    waits.leave.set()
    assert await drained


async def test_a_tenant_has_a_burst_and_then_its_rate() -> None:
    clock = Clock()
    admission = Admission(limits(tenant_per_second=0.5, tenant_burst=3), clock)

    async def ask(tenant: str) -> None:
        async with admission.admitted(tenant):
            pass

    for _ in range(3):
        await ask("a")
    with pytest.raises(TenantLimitError) as refused:
        await ask("a")
    assert refused.value.retry_after == 2
    await ask("b")  # has a bucket of its own
    clock.now += 2
    await ask("a")
    with pytest.raises(TenantLimitError):
        await ask("a")


def test_processes_divide_a_tenants_rate() -> None:
    of = Limits.of(load_settings(processes=4, tenant_per_minute=240, tenant_burst=60))
    assert (of.tenant_per_second, of.tenant_burst) == (1, 15)
    assert Limits.of(load_settings(processes=100)).tenant_burst == 1

"""Rates: a burst after a rest, then so many a second, and no more."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from upheld_service.admission.admission import FORGET_ABOVE, Rates


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@given(gaps=st.lists(st.floats(0, 3), min_size=1, max_size=200))
@settings(deadline=None)
def test_over_any_time_a_tenant_gets_its_burst_and_its_rate_and_no_more(gaps: list[float]) -> None:
    clock = Clock()
    rates = Rates(per_second=0.7, burst=4, clock=clock)
    taken: list[float] = []
    for gap in gaps:
        clock.now += gap
        if rates.wait("a") <= 0:
            rates.take("a")
            taken.append(clock.now)
        else:  # the wait that is told is enough
            clock.now += rates.wait("a") + 1e-9
            assert rates.wait("a") <= 0
    for first, start in enumerate(taken):
        for last, end in enumerate(taken[first:], start=first):
            assert last - first + 1 <= 4 + (end - start) * 0.7 + 1e-6


def test_buckets_of_those_who_rest_are_forgotten() -> None:
    clock = Clock()
    rates = Rates(per_second=1, burst=1, clock=clock)
    for tenant in range(5 * FORGET_ABOVE):
        clock.now += 1
        rates.take(tenant)
    assert len(rates._full_at) <= FORGET_ABOVE + 1

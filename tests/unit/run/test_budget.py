"""Budgets: reserve the worst case, charge the real one, never exceed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from upheld.errors import BudgetExceededError
from upheld.run.budget import Budget, Meter
from upheld.types import Usage


def test_a_call_that_does_not_fit_is_refused_before_it_starts() -> None:
    meter = Meter(Budget(llm_calls=1))
    first = meter.reserve()
    with pytest.raises(BudgetExceededError, match="1 LLM calls"):
        meter.reserve()
    meter.charge(first, Usage(requests=1))
    with pytest.raises(BudgetExceededError):
        meter.reserve()


def test_what_was_reserved_but_not_used_comes_back() -> None:
    meter = Meter(Budget(tokens=100))
    call = meter.reserve(tokens=90)
    with pytest.raises(BudgetExceededError):
        meter.reserve(tokens=20)
    meter.charge(call, Usage(requests=1, prompt_tokens=10, completion_tokens=5))
    assert meter.reserve(tokens=85).open


def test_settling_twice_counts_once() -> None:
    meter = Meter(Budget(llm_calls=5))
    call = meter.reserve()
    meter.charge(call, Usage(requests=1))
    meter.charge(call, Usage(requests=1))
    assert meter.used.requests == 1
    assert meter.reserved_calls == 0


def test_time_runs_out_by_the_clock() -> None:
    now = [0.0]
    meter = Meter(Budget(seconds=2), clock=lambda: now[0])
    assert meter.seconds_left == 2
    now[0] = 2.5
    with pytest.raises(BudgetExceededError, match="seconds"):
        meter.reserve()


def test_rounds_end() -> None:
    meter = Meter(Budget(rounds=2))
    assert [meter.next_round() for _ in range(3)] == [True, True, False]


@given(
    st.integers(0, 6),
    st.integers(0, 300),
    st.lists(st.tuples(st.integers(1, 2), st.integers(0, 80), st.integers(0, 80)), max_size=20),
)
def test_no_order_of_calls_exceeds_the_budget(
    calls: int, tokens: int, wanted: list[tuple[int, int, int]]
) -> None:
    meter = Meter(Budget(llm_calls=calls, tokens=tokens))
    for number, worst, real in wanted:
        try:
            call = meter.reserve(calls=number, tokens=worst)
        except BudgetExceededError:
            continue
        meter.charge(call, Usage(requests=number, prompt_tokens=min(real, worst)))
    assert meter.used.requests <= calls
    assert meter.used.tokens <= tokens

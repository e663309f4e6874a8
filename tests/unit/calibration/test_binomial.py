"""Binomial tails against worked examples and against sums of whole fractions."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from upheld.calibration.learn_then_test import fewest_trials, most_errors, tail, upper_bound


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    trials = draw(st.integers(1, 200))
    return draw(st.integers(0, trials)), trials


@settings(deadline=None)  # a busy machine is no error
@given(counts(), st.integers(1, 99))
def test_the_tail_is_the_exact_sum(count: tuple[int, int], percent: int) -> None:
    errors, trials = count
    rate = Fraction(percent, 100)
    exact = sum(comb(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in range(errors + 1))
    assert tail(errors, trials, percent / 100) == pytest.approx(float(exact), rel=1e-9)


@settings(deadline=None)  # a busy machine is no error
@given(counts(), st.sampled_from([0.01, 0.05, 0.1, 0.2, 0.5]), st.sampled_from([0.01, 0.1, 0.3]))
def test_test_bound_and_count_agree(count: tuple[int, int], alpha: float, delta: float) -> None:
    errors, trials = count
    passed = errors <= most_errors(trials, alpha, delta)
    assert passed == (tail(errors, trials, alpha) <= delta)
    assert passed == (upper_bound(errors, trials, delta) <= alpha)
    assert passed == (trials >= fewest_trials(errors, alpha, delta))


def test_worked_examples() -> None:
    assert most_errors(0, 0.1, 0.1) == -1
    assert (most_errors(21, 0.1, 0.1), most_errors(22, 0.1, 0.1)) == (-1, 0)  # 0.9^22 = 0.098
    assert fewest_trials(0, 0.1, 0.1) == 22
    assert upper_bound(0, 22, 0.1) == pytest.approx(1 - 0.1 ** (1 / 22))
    assert upper_bound(7, 7, 0.1) == upper_bound(0, 0, 0.1) == 1
    assert tail(5000, 50_000, 0.1) == pytest.approx(0.504, abs=0.001)  # no underflow

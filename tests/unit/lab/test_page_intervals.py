"""Intervals and tests over questions, against values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from upheld_lab.bench.page.intervals import (
    between,
    difference_interval,
    mean_interval,
    means,
    median_interval,
    p_value,
    resampled_totals,
    totals,
)
from upheld_lab.bench.page.run_data import Strata


def one(*values: float) -> Strata:
    return {"short": np.array(values, float)[:, None]}


def two(ours: list[float], theirs: list[float]) -> Strata:
    return {"short": np.array([ours, theirs], float).T}


def test_a_mean_is_over_the_questions_of_a_set_and_then_over_sets() -> None:
    values = {"large": np.array([[1.0], [0], [1], [1]]), "small": np.array([[0.0], [0]])}
    assert means(values)[0] == pytest.approx((0.75 + 0) / 2)  # and not 3/6
    assert mean_interval(values).mean == pytest.approx(0.375)


def test_what_is_always_the_same_is_certain() -> None:
    found = mean_interval(one(1, 1, 1, 1))
    assert (found.mean, found.low, found.high) == (1, 1, 1)


def test_a_coin_thrown_a_hundred_times() -> None:
    found = mean_interval(one(*([1] * 50 + [0] * 50)))
    # 2.5 and 97.5 per cent of Binomial(100, 0.5) are 40 and 60.
    assert found.low == pytest.approx(0.40, abs=0.011)
    assert found.high == pytest.approx(0.60, abs=0.011)
    narrower = mean_interval(one(*([1] * 50 + [0] * 50)), level=90)  # 42 and 58
    assert narrower.low == pytest.approx(0.42, abs=0.011)
    assert narrower.high == pytest.approx(0.58, abs=0.011)


def test_sets_are_drawn_inside_themselves() -> None:
    # Two sets without any spread: the mean over sets has none, however different they are.
    values = {"easy": np.ones((20, 1)), "hard": np.zeros((5, 1))}
    found = mean_interval(values)
    assert (found.mean, found.low, found.high) == (0.5, 0.5, 0.5)


def test_a_difference_is_paired() -> None:
    hard_and_easy = [0.0, 0.1, 0.5, 0.8]
    found = difference_interval(two([each + 0.2 for each in hard_and_easy], hard_and_easy))
    assert (found.mean, found.low, found.high) == pytest.approx((0.2, 0.2, 0.2))


def test_the_same_values_give_the_same_interval() -> None:
    values = one(*np.linspace(0, 1, 37))
    assert mean_interval(values) == mean_interval(values)


def test_a_median_is_of_all_questions() -> None:
    values = {"a": np.array([[1.0], [2]]), "b": np.array([[3.0], [100], [101]])}
    found = median_interval(values)
    assert found.mean == 3
    assert 1 <= found.low <= 3 <= found.high <= 101


def test_totals_are_of_all_questions() -> None:
    values = {"a": np.array([[1.0, 0], [1, 1]]), "b": np.array([[1.0, 1]])}
    assert totals(values).tolist() == [3, 2]
    drawn = resampled_totals(values)
    assert set(drawn[:, 0].tolist()) == {3}  # as many are drawn as there are
    assert set(drawn[:, 1].tolist()) == {1, 2, 3}


@pytest.mark.parametrize(
    ("ours", "theirs", "p"),
    [
        ([1, 1, 1, 1, 1], [0, 0, 0, 0, 0], 2 / 32),  # only all swapped, or none
        ([1, 1, 0], [0, 0, 1], 1.0),  # an odd sum is never nearer to 0 than 1
        ([1, 1, 1, 0], [0, 0, 0, 1], 10 / 16),  # of 16 swaps 6 have the sum 0
        ([1, 0, 1], [1, 0, 1], 1.0),
    ],
)
def test_few_questions_have_all_their_swaps_tried(
    ours: list[float], theirs: list[float], p: float
) -> None:
    assert p_value(two(ours, theirs)) == pytest.approx(p)


def test_a_set_weighs_the_same_however_few_questions_it_has() -> None:
    # Weights 1/2, 1/4, 1/4: as far as 1 only when all signs agree, 2 of 8.
    values = {"a": np.array([[1.0, 0]]), "b": np.array([[1.0, 0], [1, 0]])}
    assert p_value(values) == pytest.approx(2 / 8)
    # As far as 1/2: +-(1/2 + 1/4 - 1/4) twice each, and the two where all agree.
    mixed = {"a": np.array([[1.0, 0]]), "b": np.array([[1.0, 0], [0, 1]])}
    assert p_value(mixed) == pytest.approx(6 / 8)


def test_many_questions_have_some_of_their_swaps_tried() -> None:
    assert p_value(two([1.0] * 40, [0.0] * 40)) == pytest.approx(1 / 10_001)
    # 25 against 15 of 40: twice the upper tail of Binomial(40, 1/2) from 25 on, 0.154.
    ours, theirs = [1.0] * 25 + [0.0] * 15, [0.0] * 25 + [1.0] * 15
    assert p_value(two(ours, theirs)) == pytest.approx(0.154, abs=0.012)
    # Questions without a difference add nothing.
    assert p_value(two(ours + [1.0] * 60, theirs + [1.0] * 60)) == pytest.approx(0.154, abs=0.012)


def test_rounds_without_a_figure_are_left_out() -> None:
    low, high = between(np.array([np.nan, 1.0, 2.0, 3.0, np.inf]), 100)
    assert (low, high) == (1, np.inf)
    assert np.isnan(between(np.array([np.nan]))).all()

"""Probability, log odds and CRAG's score: one scale, there and back."""

from __future__ import annotations

import math

import pytest

from upheld._internal.probability import (
    GRADE_BOUND,
    from_score,
    grade_logit,
    logit,
    sigmoid,
    to_score,
)


@pytest.mark.parametrize("probability", [0.001, 0.2, 0.5, 0.9, 0.999])
def test_every_scale_leads_back_to_the_probability(probability: float) -> None:
    assert sigmoid(logit(probability, 1e-4)) == pytest.approx(probability)
    assert from_score(to_score(probability)) == pytest.approx(probability)


def test_a_probability_counts_as_no_nearer_to_0_and_1_than_the_bound() -> None:
    assert logit(0.0, 0.25) == logit(0.25, 0.25) == pytest.approx(-math.log(3))
    assert logit(1.0, 0.25) == logit(0.75, 0.25) == pytest.approx(math.log(3))
    assert grade_logit(1.0) == grade_logit(1 - GRADE_BOUND) > grade_logit(0.98)


def test_log_odds_without_bound_are_still_probabilities() -> None:
    assert sigmoid(-math.inf) == sigmoid(-1e6) == 0.0
    assert sigmoid(math.inf) == sigmoid(1e6) == 1.0


def test_scores_go_from_minus_one_to_one() -> None:
    assert [to_score(each) for each in (0.0, 0.5, 1.0)] == [-1.0, 0.0, 1.0]

"""Random halves of documents: what is counted as broken, and how claims weigh."""

from __future__ import annotations

import time

import numpy as np
import pytest

from upheld.calibration.splits import try_splits
from upheld.errors import CalibrationError


def pool(documents: int, each: int, seed: int = 1) -> tuple[list[float], list[bool], list[str]]:
    dice = np.random.default_rng(seed)
    score = dice.random(documents * each)
    wrong = dice.random(documents * each) < 0.03 + 0.6 * (1 - score) ** 2
    names = [f"d{i}" for i in range(documents) for _ in range(each)]
    return score.tolist(), (~wrong).tolist(), names


def test_a_thousand_splits_of_eight_thousand_claims_hold_and_are_fast() -> None:
    began = time.perf_counter()
    found = try_splits(*pool(2000, 4), alpha=0.1, delta=0.1, splits=1000)
    assert time.perf_counter() - began < 30
    assert found.broken <= 0.1 + 2 * 0.0095
    assert found.broken_in_all <= 0.1
    assert found.kept > 0.3
    assert found.documents == 2000
    assert found.broken_error == pytest.approx((found.broken * (1 - found.broken) / 1000) ** 0.5)


def test_the_same_seed_gives_the_same_splits() -> None:
    data = pool(300, 2)
    once = try_splits(*data, alpha=0.2, delta=0.1, splits=20, seed=5)
    assert once == try_splits(*data, alpha=0.2, delta=0.1, splits=20, seed=5)
    assert once != try_splits(*data, alpha=0.2, delta=0.1, splits=20, seed=6)


def test_where_nothing_is_right_nothing_is_certified_and_nothing_broken() -> None:
    scores, supported, names = pool(300, 2)
    found = try_splits(scores, [False] * len(supported), names, alpha=0.2, delta=0.1, splits=20)
    assert (found.certified, found.kept, found.broken) == (0, 0, 0)


def test_a_document_counts_once_however_many_claims_it_has() -> None:
    """One document has as many claims as all others together, all wrong: it weighs one claim."""
    names = [f"d{i}" for i in range(400)] + ["long"] * 400
    supported = [True] * 400 + [False] * 400
    found = try_splits([0.9] * 800, supported, names, alpha=0.1, delta=0.1, splits=50)
    assert (found.certified, found.kept, found.broken) == (1, 1, 0)


def test_splits_need_documents() -> None:
    with pytest.raises(CalibrationError):
        try_splits([0.5, 0.6], [True, True], ["d", "d"], alpha=0.1, delta=0.1)
    with pytest.raises(CalibrationError):
        try_splits([0.5], [True, True], ["d", "e"], alpha=0.1, delta=0.1)

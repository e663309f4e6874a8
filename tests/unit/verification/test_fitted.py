"""A fit is read strictly, and for its own weights only."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from upheld.errors import ModelError
from upheld.verification.decide import fitted

GOOD: dict[str, Any] = {
    "verifier": "model:1",
    "aggregate": {"best": 0.5, "overlap": 1.0, "bias": -1.0},
    "supported_above": 0.5,
    "contradicted_above": 2.0,
    "fitted_on": {"dev": 100},
}


def test_what_was_written_is_what_weighs() -> None:
    decide = fitted(json.dumps(GOOD), "model:1")
    assert (decide.aggregate.best, decide.aggregate.bias) == (0.5, -1.0)
    assert decide.supported_above == 0.5


def test_weights_of_0_1_name_the_aggregation_otherwise() -> None:
    old = {"pool" if name == "aggregate" else name: value for name, value in GOOD.items()}
    assert fitted(json.dumps(old), "model:1") == fitted(json.dumps(GOOD), "model:1")


def test_the_fingerprint_follows_the_values_and_nothing_else() -> None:
    decide = fitted(json.dumps(GOOD), "model:1")
    # Part of what a guarantee is bound to: a new one here means that all must be fitted again.
    assert decide.fingerprint == "fdf3d553"
    assert replace(decide, supported_above=0.6).fingerprint != decide.fingerprint
    lighter = replace(decide.aggregate, best=0.4)
    assert replace(decide, aggregate=lighter).fingerprint != decide.fingerprint


@pytest.mark.parametrize(
    "wrong",
    [
        {"verifier": "model:2"},
        {"supported_above": 0.0},  # everything would be supported
        {"supported_above": 1.5},
        {"supported_above": float("nan")},
        {"aggregate": {"best": float("inf")}},
        {"aggregate": {"unheard_of": 1.0}},
        {"aggregate": None},
        {"more": 1},
    ],
)
def test_anything_else_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ModelError):
        fitted(json.dumps({**GOOD, **wrong}), "model:1")


def test_junk_is_refused() -> None:
    with pytest.raises(ModelError):
        fitted("not json", "model:1")

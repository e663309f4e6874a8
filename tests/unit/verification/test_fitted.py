"""A fit is read strictly, and for its own weights only."""

from __future__ import annotations

import json
from typing import Any

import pytest

from upheld.errors import ModelError
from upheld.verification.decide import fitted

GOOD: dict[str, Any] = {
    "verifier": "model:1",
    "pool": {"best": 0.5, "overlap": 1.0, "bias": -1.0},
    "supported_above": 0.5,
    "contradicted_above": 2.0,
    "fitted_on": {"dev": 100},
}


def test_what_was_written_is_what_weighs() -> None:
    conclude = fitted(json.dumps(GOOD), "model:1")
    assert (conclude.pool.best, conclude.pool.bias) == (0.5, -1.0)
    assert (conclude.supported_above, conclude.contradicted_above) == (0.5, 2.0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"verifier": "model:2"},
        {"supported_above": 0.0},  # everything would be supported
        {"supported_above": 1.5},
        {"supported_above": float("nan")},
        {"contradicted_above": 0.0},
        {"pool": {"best": float("inf")}},
        {"pool": {"unheard_of": 1.0}},
        {"pool": None},
        {"more": 1},
    ],
)
def test_anything_else_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ModelError):
        fitted(json.dumps({**GOOD, **wrong}), "model:1")


def test_junk_is_refused() -> None:
    with pytest.raises(ModelError):
        fitted("not json", "model:1")

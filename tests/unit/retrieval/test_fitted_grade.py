"""The grader's fit.json: read whole, or refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from upheld.errors import ModelError
from upheld.retrieval.grade import Action, fitted_grade
from upheld_lab.testing.fake_grader import FakeGrader


def write(folder: Path, **changed: object) -> Path:
    file = folder / "fit.json"
    fit = {"grader": "fake-grader", "upper": 0.4, "lower": -0.6, "fitted_on": "two cases"}
    file.write_text(json.dumps(fit | changed), encoding="utf-8")
    return file


def test_the_stage_has_the_thresholds_of_the_file(tmp_path: Path) -> None:
    grade = fitted_grade(write(tmp_path), FakeGrader())
    assert (grade.upper, grade.lower) == (0.4, -0.6)
    assert grade.action([0.5]) is Action.CORRECT


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"grader": "other"}, "belongs to other"),
        ({"upper": 7.0}, "cannot be read"),
        ({"upper": -0.7}, "cannot be read"),  # below the lower
        ({"more": 1}, "cannot be read"),
    ],
)
def test_a_fit_of_another_model_or_a_spoilt_one_is_refused(
    changed: dict[str, object], why: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match=why):
        fitted_grade(write(tmp_path, **changed), FakeGrader())


def test_a_missing_fit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        fitted_grade(tmp_path / "none.json", FakeGrader())

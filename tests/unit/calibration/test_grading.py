"""Thresholds of the grader: two cases a question, and the most accurate pair that decides."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from upheld.calibration.grading import (
    Case,
    GradedRow,
    cases_of,
    decisions,
    fit_thresholds,
    read_graded,
)
from upheld.errors import CalibrationError


def row(question: str, relevant: bool) -> GradedRow:
    return GradedRow(question=question, passage="Some text.", relevant=relevant)


def test_a_question_counts_with_what_helps_and_without_it() -> None:
    rows = [row("Who?", True), row("who? ", False), row("Who?", False), row("When?", False)]
    found = cases_of(rows, [0.9, 0.1, -0.3, 0.7])
    assert sorted(found, key=lambda case: case.best) == [
        Case(0.1, helps=False),
        Case(0.7, helps=False),
        Case(0.9, helps=True),
    ]


def test_decisions_are_balanced_over_the_two_kinds() -> None:
    cases = [Case(0.9, True), Case(0.8, True), Case(-0.9, True), Case(-0.8, False), Case(0, False)]
    on = decisions(cases, upper=0.5, lower=-0.5)
    assert on.cases == 5
    assert on.decided == pytest.approx(0.8)
    assert on.accuracy == pytest.approx((2 / 3 + 1) / 2)  # the one in the middle is no error


def test_nothing_decided_is_no_accuracy() -> None:
    assert decisions([Case(0.0, True), Case(0.0, False)], 0.5, -0.5).accuracy == 0.0


def test_the_fit_leaves_out_the_middle_where_the_kinds_mix() -> None:
    dice = random.Random(1)
    good = [Case(dice.uniform(-0.2, 1.0), True) for _ in range(300)]
    bad = [Case(dice.uniform(-1.0, 0.2), False) for _ in range(300)]
    found = fit_thresholds(good + bad, decide=0.6)
    assert found.on.accuracy > 0.97
    assert found.on.decided >= 0.6
    assert found.lower < 0.0 < found.upper


def test_all_decided_is_one_threshold_at_best_accuracy() -> None:
    cases = [Case(i / 100, i >= 50) for i in range(100)]
    found = fit_thresholds(cases, decide=0.95)
    assert found.on.accuracy == 1.0


def test_too_few_of_a_kind_are_refused() -> None:
    with pytest.raises(CalibrationError, match="0 questions with none that helps"):
        fit_thresholds([Case(0.5, True)] * 50)


def test_rows_are_read_and_a_wrong_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    good = '{"question": "Who?", "passage": "She.", "relevant": true}'
    file.write_text(good + "\n\n", encoding="utf-8")
    assert read_graded(file) == (GradedRow(question="Who?", passage="She.", relevant=True),)
    file.write_text(good + '\n{"question": "Who?"}\n', encoding="utf-8")
    with pytest.raises(CalibrationError, match="line 2, does not fit: passage"):
        read_graded(file)
    with pytest.raises(CalibrationError, match="cannot be read"):
        read_graded(tmp_path / "none.jsonl")

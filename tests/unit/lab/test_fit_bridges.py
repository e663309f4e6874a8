"""When what a passage names is worth quoting: fitted on what was right, and judged on others."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.unit.suite_packs import text_row, titles, write_corpus, write_rows
from upheld.errors import UsageError
from upheld_lab.bench.split import Split
from upheld_lab.bench.suites.bridges import FILE
from upheld_lab.bench.suites.choose import load_suite
from upheld_lab.fits.bridges import Crossed, crossing_row, fitted, worth_it


def made(number: int) -> Crossed:
    """Two named passages, of which the better graded one is mostly right."""
    dice = random.Random(number)
    right, wrong = dice.gauss(1.0, 1.0), dice.gauss(-3.0, 1.0)
    return Crossed("made", (True,), ((right, True), (wrong, False)), gold=2)


def test_grades_that_tell_have_weight() -> None:
    grade, _ = fitted([made(number) for number in range(100)])
    assert grade > 0.5


def test_without_right_and_wrong_there_is_nothing_to_fit() -> None:
    with pytest.raises(UsageError, match="right and to wrong"):
        fitted([Crossed("made", (True,), ((1.0, True),), gold=2)])


def test_what_reaches_the_floor_is_quoted() -> None:
    crossed = Crossed("made", (True,), ((2.0, True), (-2.0, False)), gold=2)
    assert worth_it(crossed, (1.0, 0.0), 0.5) == [True]
    assert worth_it(crossed, (1.0, 0.0), 0.0) == [True, False]
    assert worth_it(crossed, (1.0, 0.0), 1.0) == []


def test_a_row_tells_what_a_floor_is_worth() -> None:
    """By hand: one of two gold passages cited has F1 2/3; both have 1; one stranger beside: 0.8."""
    crossed = [made(number) for number in range(50)]
    none, some, all_of_them = (crossing_row(crossed, floor) for floor in (1.0, 0.5, 0.0))
    assert none["gold_f1"] == pytest.approx(2 / 3)
    assert none["bridges"] == 0
    assert some["gold_f1"] > 0.9
    assert all_of_them["gold_f1"] == pytest.approx(0.8)
    assert all_of_them["bridges"] == 2
    assert all_of_them["made"] == all_of_them["gold_f1"]


def test_its_questions_are_dev_unless_they_are_test(tmp_path: Path) -> None:
    """Nothing was trained on them, so that train's side is for fitting, too."""
    sides = {side: titles(side, 1)[0] for side in Split}
    write_corpus(tmp_path, [text_row(title, title) for title in sides.values()])
    rows = [
        {"qid": side.value, "question": "Who?", "answers": [], "gold_pids": [title]}
        for side, title in sides.items()
    ]
    write_rows(tmp_path / FILE, rows)
    dev = load_suite("bridges", tmp_path, split=Split.DEV)
    assert {each.id for each in dev.questions} == {"2wiki/train", "2wiki/dev"}
    [test] = load_suite("bridges", tmp_path, split=Split.TEST).questions
    assert (test.id, test.answers) == ("2wiki/test", ())
    assert test.gold == {sides[Split.TEST]}

"""Where time went: each stage's own work."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.page_run import questions, run
from upheld.types import Event
from upheld_lab.bench.page.run_data import fair_cut
from upheld_lab.bench.page.stage_plot import segments
from upheld_lab.bench.page.stage_times import own_seconds, stage_seconds


def test_a_stage_works_when_none_of_its_children_does() -> None:
    events = (
        Event(2, 1, "search", 0.0, 2.0),
        Event(3, 1, "search", 1.0, 2.0),  # side by side with the first: 0 to 3 is covered
        Event(4, 1, "write", 4.0, 1.0),
        Event(5, 4, "quote", 4.5, 0.25),
        Event(1, None, "answer", 0.0, 6.0),
    )
    assert own_seconds(events) == pytest.approx(
        {"answer": 6 - 3 - 1, "search": 2 + 2, "write": 0.75, "quote": 0.25}
    )


def test_a_child_that_outlives_its_parent_takes_no_more_than_there_is() -> None:
    events = (Event(1, None, "plan", 0.0, 1.0), Event(2, 1, "search", 0.5, 5.0))
    assert own_seconds(events) == pytest.approx({"plan": 0.5, "search": 5.0})


def test_seconds_are_a_question_and_leave_resumed_answers_out() -> None:
    made = run(questions(2), {"rag": [{}, {}]})
    whole = {"rag": pytest.approx({"rag": 0.3, "search": 0.2, "write": 0.5})}
    assert stage_seconds(fair_cut(made)) == whole
    first, second = made.outcomes
    assert first.answer is not None
    slow = replace(first, untimed=True, answer=replace(first.answer, trace=()))
    assert stage_seconds(fair_cut(replace(made, outcomes=(slow, second)))) == whole
    gone = replace(second, untimed=True)
    assert stage_seconds(fair_cut(replace(made, outcomes=(slow, gone)))) == {}


def test_small_stages_share_a_bar() -> None:
    spent = {"rag": {f"s{number}": 9.0 - number for number in range(9)}, "upheld": {"s8": 0.5}}
    parts = segments(spent, ["rag", "upheld"])
    assert list(parts) == [*(f"s{number}" for number in range(7)), "other"]
    assert parts["other"] == [2.0 + 1.0, 0.5]
    assert segments({}, ["rag"]) == {}

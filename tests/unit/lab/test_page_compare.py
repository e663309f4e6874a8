"""Two runs: what changed, and whether it is noise; and the commands that say so."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.unit.page_run import answer, outcome, questions, run
from upheld.cli import app
from upheld.errors import UsageError
from upheld_lab.bench.page.browse import Came
from upheld_lab.bench.page.compare import Comparison, as_rows, compare
from upheld_lab.bench.page.run_data import Run, fair_cut
from upheld_lab.bench.runs.records import Scores
from upheld_lab.bench.runs.store import RunFolder


def rows(*values: float) -> list[Scores]:
    return [{"correct": each, "shown": 1.0, "wrong_if_shown": 1 - each} for each in values]


def compared(before: Run, after: Run) -> Comparison:
    return compare(fair_cut(before), fair_cut(after))


def test_a_change_on_every_question_is_no_noise() -> None:
    before = run(questions(20), {"rag": rows(*[0.0] * 20)}, commit="one")
    after = run(questions(20), {"rag": rows(*[1.0] * 20)}, commit="two")
    found = compared(before, after)
    change = next(each for each in found.changes if each.score == "correct")
    assert (change.before, change.after, change.difference, change.n) == (0, 1, 1, 20)
    assert change.p < 0.001
    assert not change.noise
    assert as_rows(found)[0][""] == "changed"
    assert found.says[1].startswith("rag: more than noise: correct rose from 0.000 to 1.00")
    assert found.settings == {"commit": ("one", "two")}


def test_a_change_on_every_one_of_few_questions_is_neither_sure_nor_noise() -> None:
    found = compared(
        run(questions(12), {"rag": rows(*[0.0] * 12)}),
        run(questions(12), {"rag": rows(*[1.0] * 12)}),
    )
    change = next(each for each in found.changes if each.score == "correct")
    assert change.p == pytest.approx(2 / 2**12)
    assert (change.noise, change.too_few) == (False, True)
    assert found.says[1].startswith("rag: too few questions (under 20) to be sure: correct rose")
    assert as_rows(found)[0][""] == "too few"


def test_a_change_on_one_question_is_noise() -> None:
    before = run(questions(12), {"rag": rows(*[0.0] * 12)})
    after = run(questions(12), {"rag": rows(1, *[0.0] * 11)})
    found = compared(before, after)
    assert all(each.noise for each in found.changes)
    for words in ("rag: ", "noise", "correct rose from 0.000 to 0.083", "p = 1.0000"):
        assert words in found.says[1]
    assert [row["figure"] for row in as_rows(found)] == ["correct"]


def test_the_same_run_twice() -> None:
    same = run(questions(3), {"rag": rows(1, 0, 1)})
    found = compared(same, same)
    both, rag = found.says
    assert "0 of 3 answers changed" in both
    assert "no figure changed" in rag
    assert (found.answers, as_rows(found), found.settings) == ((), (), {})


def test_only_what_both_have_finished_counts() -> None:
    before = run(questions(4), {"rag": rows(1, 1, 1), "crag": rows(1, 1, 1)})
    after = run(questions(4)[1:], {"rag": rows(0, 0, 0), "upheld": rows(0, 0, 0)})
    found = compared(before, after)
    assert (found.questions, found.variants) == (2, ("rag",))


def test_answers_that_changed_are_named() -> None:
    before = run(questions(3), {"rag": rows(1, 1, 0)})
    after = run(questions(3), {"rag": rows(1, 0, 0)})
    other = answer("", "rag", "It takes an hour.")
    changed = [outcome(after.questions[0], "rag", other), *after.outcomes[1:]]
    found = compared(before, replace(after, outcomes=tuple(changed)))
    words, fate = found.answers
    assert (words.question, words.before, words.after) == (
        "short/0",
        "It takes 35 minutes.",
        "It takes an hour.",
    )
    assert (fate.question, fate.came_before, fate.came_after) == (
        "short/1",
        Came.RIGHT,
        Came.WRONG,
    )
    assert "2 of 3 answers changed, 0 to right, 1 from right" in found.says[0]


def test_runs_that_share_nothing_do_not_compare() -> None:
    one = run(questions(1, "a"), {"rag": rows(1)})
    for other in (
        run(questions(1, "b"), {"rag": rows(1)}),
        run(questions(1, "a"), {"uoq": rows(1)}),
    ):
        with pytest.raises(UsageError, match="no question that a method answered in both"):
            compared(one, other)
    reworded = replace(one, questions=(replace(one.questions[0], text="Another question?"),))
    with pytest.raises(UsageError, match="no question"):
        compared(one, reworded)


def kept(folder: Path, made: Run) -> Path:
    store = RunFolder(folder)
    store.keep_facts(made.manifest, made.questions)
    for each in made.outcomes:
        store.add_outcome(each)
    store.add_scored(made.scores)
    return folder


def told(*words: str | Path) -> str:
    result = CliRunner().invoke(app, ["bench", *map(str, words)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_commands(tmp_path: Path) -> None:
    one = kept(tmp_path / "one", run(questions(2), {n: rows(1, 0) for n in ("rag", "upheld")}))
    two = kept(tmp_path / "two", run(questions(2), {n: rows(1, 1) for n in ("rag", "upheld")}))
    report = json.loads(told("report", one, "--json"))
    assert report["bars"]["correctness_gain"] == 0
    assert report["intervals"][0]["n"] == 2
    assert report["verdicts"]["correctness_gain"] == "too few"
    assert set(report["bars"]) == set(report["verdicts"])
    assert report["rows"][0]["cells"]["correct"]["value"] == 0.5
    assert not (one / "report.html").exists()  # figures were asked for, and no page
    assert "| correct | 0.500" in told("report", one, "--markdown")
    assert "correct" in told("report", one)
    assert (one / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    elsewhere = tmp_path / "page.html"
    told("report", one, "--json", "--out", elsewhere)
    assert elsewhere.exists()
    changes = json.loads(told("compare", one, two, "--json"))
    assert (changes["questions"], changes["variants"]) == (2, ["rag", "upheld"])
    assert "rag: all differences may be noise" in told("compare", one, two)
    methods = json.loads(told("compare", one, "--methods", "rag,upheld", "--json"))
    assert (methods["questions"], methods["variants"]) == (2, ["rag → upheld"])
    assert methods["settings"] == {}
    with pytest.raises(UsageError, match="second run"):
        told("compare", one)
    with pytest.raises(UsageError, match="not two methods"):
        told("compare", one, "--methods", "rag")
    with pytest.raises(UsageError, match="no method 'fave'"):
        told("compare", one, "--methods", "rag,fave")


def test_a_folder_without_a_run_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no run"):
        told("report", tmp_path)

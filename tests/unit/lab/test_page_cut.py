"""Only questions that every variant has finished count."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.page_run import questions, run
from upheld.errors import NotFoundError, UsageError
from upheld_lab.bench.page.run_data import fair_cut, read_run
from upheld_lab.bench.runs.store import RunFolder

RIGHT, WRONG = {"correct": 1.0}, {"correct": 0.0}


def test_a_question_counts_when_the_slowest_variant_has_it() -> None:
    cut = fair_cut(run(questions(4), {"rag": [RIGHT] * 4, "upheld": [WRONG, RIGHT]}))
    assert [asked.id for asked in cut.questions] == ["short/0", "short/1"]
    assert cut.asked == 4
    assert set(cut.scores) == {(id, name) for id in ("short/0", "short/1") for name in cut.variants}


def test_an_answer_without_scores_is_not_finished() -> None:
    made = run(questions(2), {"rag": [RIGHT] * 2, "upheld": [RIGHT] * 2})
    kept = fair_cut(replace(made, scores=made.scores[:-1]))
    assert [asked.id for asked in kept.questions] == ["short/0"]
    kept = fair_cut(replace(made, outcomes=made.outcomes[1:]))
    assert [asked.id for asked in kept.questions] == ["short/1"]


def test_a_variant_of_the_manifest_that_has_done_nothing_yet_counts_too() -> None:
    made = run(questions(2), {"rag": [RIGHT] * 2}, variants=["rag", "fave"])
    with pytest.raises(UsageError, match="No question"):
        fair_cut(made)


def test_variants_stand_in_the_order_of_the_manifest() -> None:
    rows = {"upheld": [RIGHT], "rag": [RIGHT]}
    assert fair_cut(run(questions(1), rows, variants=["rag", "upheld"])).variants == (
        "rag",
        "upheld",
    )
    assert fair_cut(run(questions(1), rows, variants=None)).variants == ("upheld", "rag")


def test_a_method_is_stood_for_by_its_default_or_else_its_first_variant() -> None:
    rows = {"rag:search=bm25": [RIGHT], "rag": [RIGHT], "fave:sessions=2": [RIGHT]}
    cut = fair_cut(run(questions(1), rows))
    assert cut.named("rag") == "rag"
    assert cut.named("fave") == "fave:sessions=2"
    assert cut.named("crag") is None


def test_a_run_is_read_from_its_folder(tmp_path: Path) -> None:
    made = run(questions(2), {"rag": [RIGHT, WRONG], "upheld": [RIGHT, {"correct": None}]})
    folder = RunFolder(tmp_path)
    folder.keep_facts(made.manifest, made.questions)
    for outcome in made.outcomes:
        folder.add_outcome(outcome)
    folder.add_scored(made.scores)
    assert read_run(tmp_path) == made


def test_a_folder_without_a_run(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        read_run(tmp_path)

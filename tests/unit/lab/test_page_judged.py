"""A judge's figures in a report: reckoned by hand, never without its name, never of a failure."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.unit.page_run import questions, run
from upheld._internal.to_json import to_json
from upheld_lab.bench.page.compare import compare
from upheld_lab.bench.page.html import page
from upheld_lab.bench.page.judged import Judging
from upheld_lab.bench.page.run_data import Cut, fair_cut
from upheld_lab.bench.page.run_report import as_markdown, chain_rows, in_brief, run_report, told
from upheld_lab.bench.runs.records import Judged, Scores
from upheld_lab.bench.scores.chain import Quality

FLAWLESS = Quality(1, 1, 1, 0.1, 0.9)
CARELESS = Quality(0.5, 1, 1, 0.1, 0.9)
BIASED = Quality(1, 1, 0.5, 0.8, 0.6)
FAILED = "LLMOutputError: cut off"
JUDGEMENTS = (
    Judged("short/0", "qwen", {"rag": CARELESS, "upheld": FLAWLESS, "fave": BIASED}),
    Judged("short/1", "qwen", {"rag": FLAWLESS, "upheld": FLAWLESS, "fave": BIASED}),
    Judged("short/2", "qwen", None, FAILED),
    Judged("short/9", "qwen", None, FAILED),  # not of this run
)
SHOWN: Scores = {"correct": 1.0, "shown": 1.0, "wrong_if_shown": 0.0, "confidence": 1.0}


def judged(*judgements: Judged) -> Cut:
    rows = {name: [SHOWN] * 4 for name in ("rag", "upheld", "fave")}
    return fair_cut(replace(run(questions(4), rows), judgements=judgements))


def test_mean_ranks_and_high_quality_of_what_was_judged() -> None:
    lines = {line.variant: line.cells for line in run_report(judged(*JUDGEMENTS)).rows}
    names = ("citation", "correctness", "truthfulness", "bias", "conciseness")
    ranks = {
        variant: [cells[f"judge_rank_{name}"].value for name in names]
        for variant, cells in lines.items()
    }
    # citation: rag third behind two firsts, then all first; by the others fave is third twice
    assert ranks["rag"] == [(3 + 1) / 2, 1, 1, 1, 1]
    assert ranks["upheld"] == [1, 1, 1, 1, 1]
    assert ranks["fave"] == [1, 1, 3, 3, 3]
    high = {variant: cells["judge_high_quality"] for variant, cells in lines.items()}
    assert [high[each].value for each in ("rag", "upheld", "fave")] == [0.5, 1, 0]
    # A failure counted as a score, of whatever height, would make these three of four.
    assert {cell.n for cells in lines.values() for cell in cells.values()} == {4, 2}
    assert all(cell.n == 2 for cell in high.values())


def test_good_revisions_are_a_share_of_those_that_were_made() -> None:
    first, second, *rest = JUDGEMENTS
    made = (
        replace(first, good_revisions={"rag": True, "fave": False}),
        replace(second, good_revisions={"rag": False}),
        *rest,
    )
    lines = {line.variant: line.cells for line in run_report(judged(*made)).rows}
    assert lines["rag"]["judge_good_revision"].value == 0.5
    assert lines["fave"]["judge_good_revision"].value == 0
    assert "judge_good_revision" not in lines["upheld"]


def test_failures_alone_are_no_figures() -> None:
    report = run_report(judged(*JUDGEMENTS[2:]))
    assert report.judging == Judging("qwen", judged=0, failed=1)
    assert not any(name.startswith("judge_") for line in report.rows for name in line.cells)


def test_the_judge_is_named_and_its_failures_stand_beside_it() -> None:
    cut = judged(*JUDGEMENTS)
    report = run_report(cut)
    assert to_json(report)["judging"] == {"judge": "qwen", "judged": 2, "failed": 1}
    assert "qwen judged 2 of these 4 questions, and failed on 1 more" in told(report)
    labels = [row["all (n = 4)"] for row in in_brief(report).rows if "all (n = 4)" in row]
    assert "citation rank, by qwen" in labels
    assert "high-quality rate, by qwen" in labels
    assert "| high-quality rate, by qwen | 0.500 [" in as_markdown(report)
    made = page(cut, report)
    assert "high-quality rate, by qwen" in made
    assert "1 questions failed" not in made
    assert "1 question failed" in made
    assert not re.search(r"(high-quality rate|citation rank)(?!, by qwen)", made)


def test_without_a_judge_nothing_of_it_is_there() -> None:
    cut = judged()
    report = run_report(cut)
    assert report.judging is None
    made = page(cut, report)
    assert all(word not in made for word in ("high-quality", "citation rank", "judge_"))
    assert told(report).endswith("too few.")


def test_places_of_two_runs_do_not_compare() -> None:
    found = compare(judged(*JUDGEMENTS), judged(*JUDGEMENTS))
    assert not any(change.score.startswith("judge_") for change in found.changes)


def chained(judgement: float | None, revision: float | None, delta: float | None) -> Scores:
    scores: Scores = {**SHOWN, "chain_judgement": judgement, "chain_revision": revision}
    return {**scores, "chain_format": 1.0, "chain_reference_delta": delta}


def test_the_chain_has_a_small_table_where_there_is_one() -> None:
    rows = {
        "rag": [SHOWN] * 4,
        "cov_rag": [
            chained(1, 1, 1), chained(1, 0, -1), chained(0, 1, 1), chained(None, None, None)
        ],
    }  # fmt: skip
    cut = fair_cut(run(questions(4), rows))
    report = run_report(cut)
    (row,) = chain_rows(report)
    assert row["chain of verification"] == "cov_rag"
    starts = {
        "judgement accuracy": (2 / 3, 3),
        "revision accuracy": (2 / 3, 3),
        "format accuracy": (1.0, 4),
        "reference delta": (1 / 3, 3),
    }
    for name, (value, n) in starts.items():
        assert row[name].startswith(f"{value:.3f}"[: 4 if value == 1 else 5])
        assert row[name].endswith(f", n = {n}")
    assert in_brief(report).rows[-1] == row
    assert "| chain of verification | judgement accuracy |" in as_markdown(report)
    made = page(cut, report)
    assert made.count('id="chain"') == 1
    assert made.count("<td>0.667 [") == 2
    assert report.rows[1].cells["chain_reference_delta"].value == pytest.approx(1 / 3)


def test_a_run_without_a_chain_has_no_table_of_it() -> None:
    cut = judged()
    report = run_report(cut)
    assert chain_rows(report) == []
    assert "hain of verification" not in page(cut, report)

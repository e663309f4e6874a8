"""The thresholds of CRAG's paper on another grader's scale, and that of strips, on made-up sets."""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from upheld.retrieval.grade import Action, Grade
from upheld.types import Passage, content_hash
from upheld_lab.bench.corpus import SETS, BenchQuestion
from upheld_lab.bench.prepared import Choice
from upheld_lab.bench.split import Split
from upheld_lab.fits.crag import (
    PUBLISHED,
    Published,
    cut_at,
    fit_crag,
    fitted_cut,
    labelled_strips,
    on_our_scale,
)
from upheld_lab.testing.fake_embedder import FakeEmbedder
from upheld_lab.testing.fake_grader import FakeGrader

ASKED = BenchQuestion("made", "q", "Who built it?", ("Ada Brook",), frozenset({"gold"}), Split.DEV)
BUILT = "It was built by Ada Brook."
ASIDE = "The stairs are steep. The lamp is old."


def passage(id: str, text: str) -> Passage:
    return Passage(id, text, id, content_hash(text), 0, len(text))


# --- thresholds by quantile ----------------------------------------------------------------------


def test_the_published_thresholds_and_shares() -> None:
    """Thresholds of the paper's appendix; 754 correct, 379 ambiguous, 252 incorrect on PopQA."""
    by_name = {each.preset: each for each in PUBLISHED}
    assert (by_name["paper"].upper, by_name["paper"].lower) == (0.59, -0.99)
    assert (by_name["paper_pubhealth"].upper, by_name["paper_pubhealth"].lower) == (0.5, -0.91)
    ambiguous = 1 - by_name["paper"].correct - by_name["paper"].incorrect
    assert ambiguous == pytest.approx(379 / (754 + 379 + 252))


def test_a_scale_that_is_only_bent_gives_the_bent_thresholds() -> None:
    """Where one grader's score is a function of the other's, both take the same actions."""
    dice = random.Random(1)
    theirs = [dice.uniform(-1, 1) for _ in range(5000)]
    correct = sum(score > 0.59 for score in theirs) / len(theirs)
    incorrect = sum(score < -0.91 for score in theirs) / len(theirs)
    known = Published("made", 0.59, -0.91, correct, incorrect)
    ours = [score**3 for score in theirs]
    upper, lower = on_our_scale(known, ours)
    assert (upper, lower) == pytest.approx((0.59**3, (-0.91) ** 3), abs=0.005)
    before = Grade(grader=None, upper=0.59, lower=-0.91)
    after = Grade(grader=None, upper=upper, lower=lower)
    changed = [
        before.action([one]) is not after.action([other])
        for one, other in zip(theirs, ours, strict=True)
    ]
    assert sum(changed) <= 2  # quantiles lie between two scores


# --- strips --------------------------------------------------------------------------------------


def labels(**passages: str) -> list[tuple[str, bool]]:
    found = [passage(id, text) for id, text in passages.items()]
    return [(strip.text, answers) for strip, answers in labelled_strips(ASKED, found)]


def test_the_strip_with_the_answer_and_those_beside_it() -> None:
    assert labels(gold=f"{BUILT} It has a door. {ASIDE}") == [
        (f"{BUILT} It has a door.", True),
        (ASIDE, False),
    ]
    assert labels(other=ASIDE) == [(ASIDE, False)]


def test_strips_that_nobody_can_label_are_left_out() -> None:
    assert labels(gold=f"{BUILT} It has a door. Ada Brook was tall. The lamp is old.") == []
    assert labels(gold=ASIDE) == []  # a first hop, perhaps
    assert labels(other=f"{BUILT} It has a door. {ASIDE}") == []
    yes = replace(ASKED, answers=("yes",))
    assert list(labelled_strips(yes, [passage("other", ASIDE)])) == []


def test_the_threshold_that_tells_best() -> None:
    strips = [(0.9, True), (0.4, True), (-0.8, True), *[(-0.7, False)] * 8, *[(0.5, False)] * 2]
    cut = fitted_cut(strips)
    assert (cut.kept, cut.dropped) == pytest.approx((2 / 3, 0.8))
    assert -0.7 < cut.drop_below < -0.6  # up to 0.4 it would be the same: the least is taken
    assert cut_at(-0.8, strips).accuracy == 0.5  # nothing is dropped


# --- the whole -----------------------------------------------------------------------------------


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


async def test_the_fit_on_a_small_pack(tmp_path: Path) -> None:
    folder = tmp_path / "pack" / "a_corpus"
    folder.mkdir(parents=True)
    towns = [
        {
            "pid": f"p{i}",
            "title": f"Town {i}",
            "text": f"Town number{i} lies by a river. Its mayor is person{i}. {ASIDE}",
            "source": "wiki",
        }
        for i in range(100)
    ]
    write(folder / "passages.jsonl.gz", towns)
    for file in SETS.values():
        questions = [
            {
                "qid": f"{file}-{i}",
                "question": f"Who is the mayor of town number{i}?",
                "answers": [f"person{i}"],
                "answerable": True,
                "gold_pids": [f"p{i}"],
            }
            for i in range(100)
        ]
        write(folder / f"{file}.jsonl.gz", questions)
    choice = Choice(tmp_path / "pack", tmp_path / "cache", None, 10, Split.DEV)
    report = await fit_crag(choice, FakeEmbedder(), FakeGrader(), lambda *_: None)
    assert report.bars.keys() == {"drop_below"} | {
        f"{each.preset}.{side}" for each in PUBLISHED for side in ("upper", "lower")
    }
    all_of = [row for row in report.rows if row.get("set") == "all"]
    assert [row["preset"] for row in all_of] == [each.preset for each in PUBLISHED]
    for row in all_of:
        assert sum(row[action] for action in Action) == pytest.approx(1)
    cuts = [row for row in report.rows if "strips dropped below" in row]
    best = max(cuts, key=lambda row: row["balanced accuracy"])
    assert best["balanced accuracy"] > 0.9
    assert report.bars["drop_below"] in [row["strips dropped below"] for row in cuts]

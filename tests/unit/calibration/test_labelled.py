"""Labels on disk: what goes in comes out, and what cannot be used is named."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from upheld.calibration.labelled import (
    LabelledClaim,
    append_label,
    draw,
    read_labels,
    the_pipeline,
)
from upheld.errors import CalibrationError
from upheld.types import Answer, Claim, Status, Support, Verdict


def label(**changes: Any) -> LabelledClaim:
    given: dict[str, Any] = {
        "question": "When does it open?",
        "answer": "a1",
        "claim": "It opens at nine.\u2028Daily.",  # a line separator is no end of a line
        "evidence": ("It opens at nine.",),
        "score": 0.8,
        "verdict": Support.SUPPORTED,
        "supported": True,
        "pipeline": "rag | setup | model:1",
        "who": "ann",
        "when": datetime(2025, 5, 1, tzinfo=UTC),
    }
    return LabelledClaim(**(given | changes))


def answer(*scores: float | None) -> Answer:
    claims = tuple(
        Claim(f"Claim {i}.", verdict=Verdict(probability=score)) for i, score in enumerate(scores)
    )
    return Answer("a", "Q?", Status.ANSWERED, "rag", "text", claims)


def test_what_is_added_is_read(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    labels = (label(), label(supported=False, question="Où ?"))
    for each in labels:
        append_label(path, each)
    assert read_labels(path) == labels
    assert path.read_bytes().count(b"\n") == 2


def test_a_file_without_its_last_line_end_is_added_to(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text("\ufeff" + label().model_dump_json(), encoding="utf-8")
    append_label(path, label(answer="a2"))
    assert [each.answer for each in read_labels(path)] == ["a1", "a2"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"score":0.8', '"score":1.8', "score"),
        ('"score":0.8', '"score":"high"', "score"),
        ('"score":0.8', '"score":NaN', "score"),
        ('"supported":true', '"supported":"yes"', "supported"),
        ('"supported":true', '"suported":true', "suported"),
        ('"verdict":"supported"', '"verdict":"fine"', "verdict"),
        ("}", "", "JSON"),
    ],
)
def test_a_line_that_does_not_fit_is_named(tmp_path: Path, old: str, new: str, told: str) -> None:
    path = tmp_path / "labels.jsonl"
    good = label().model_dump_json()
    assert old in good
    path.write_text(f"{good}\n\n{good.replace(old, new)}\n", encoding="utf-8")
    with pytest.raises(CalibrationError, match=rf"line 3.*{told}"):
        read_labels(path)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(CalibrationError, match=r"none\.jsonl"):
        read_labels(tmp_path / "none.jsonl")
    (tmp_path / "junk").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CalibrationError, match="junk"):
        read_labels(tmp_path / "junk")


def test_scores_of_two_pipelines_are_refused_with_their_counts() -> None:
    one, other = label(), label(pipeline="rag | setup | model:2")
    with pytest.raises(CalibrationError, match=r"2 of rag \| setup \| model:1"):
        the_pipeline([one, one, other])
    with pytest.raises(CalibrationError, match="no labels"):
        the_pipeline([])
    assert the_pipeline([one, one]) == "rag | setup | model:1"


def test_a_question_asked_again_is_the_same_cluster() -> None:
    assert label(answer="a2", question=" when does IT open? ").cluster == label().cluster


def test_what_was_not_called_supported_is_never_shown() -> None:
    assert label().shown_score == 0.8
    assert label(verdict=Support.UNSUPPORTED).shown_score < 0


def test_a_claim_is_drawn_from_those_that_were_checked() -> None:
    assert draw(answer(None, None)) is None
    mixed = answer(None, 1.0, 0.5, None)
    assert draw(mixed) == draw(mixed)
    assert {draw(mixed, seed) for seed in range(20)} == set(mixed.claims[1:3])

"""A batch that is continued: what was checked stays, what failed is tried again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from upheld import check_batch as batches
from upheld.bulk import Bulk
from upheld.check_batch import BatchReport, check_batch
from upheld.errors import UsageError
from upheld.settings import load_settings
from upheld_lab.testing.fake_bulk import FakeBulk

SOURCE = "The tower of Skarvik was built in 1869."
GOOD: dict[str, Any] = {"id": "a", "answer": SOURCE, "sources": [SOURCE]}


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def fake(on: str) -> Bulk:
        return FakeBulk()

    monkeypatch.setattr(batches, "open_bulk", fake)


def checked(folder: Path, *answers: dict[str, Any]) -> BatchReport:
    """Check these answers without a model: an exact quote is supported."""
    (folder / "in.jsonl").write_text("".join(json.dumps(each) + "\n" for each in answers))
    settings = load_settings(local_models=False)
    return check_batch(folder / "in.jsonl", folder / "out.jsonl", settings)


def results(folder: Path) -> list[tuple[str, bool | None]]:
    lines = map(json.loads, (folder / "out.jsonl").read_text().splitlines())
    return [(each["id"], each.get("supported")) for each in lines]


def test_a_line_that_failed_is_tried_again(tmp_path: Path) -> None:
    first = checked(tmp_path, GOOD, {"id": "b", "answer": SOURCE}, {**GOOD, "id": "c"})
    assert (first.checked, first.failed) == (2, ("b: there is no 'sources'",))
    assert results(tmp_path) == [("a", True), ("b", None), ("c", True)]
    mended = checked(tmp_path, GOOD, {**GOOD, "id": "b"}, {**GOOD, "id": "c"})
    assert (mended.already_checked, mended.checked, mended.failed) == (2, 1, ())
    assert results(tmp_path) == [("a", True), ("c", True), ("b", True)]


def test_a_line_that_fails_again_is_reported_again_and_is_there_once(tmp_path: Path) -> None:
    answers = (GOOD, {"id": "b", "answer": SOURCE})
    assert checked(tmp_path, *answers).failed == checked(tmp_path, *answers).failed
    assert results(tmp_path) == [("a", True), ("b", None)]


@pytest.mark.parametrize(
    "held", [b"notes", b'{"a": 1}\n', b'[1]\n{"id"', b"\n", b'{"id": "a", "answer": "x"}']
)
def test_a_file_of_something_else_is_left_alone(tmp_path: Path, held: bytes) -> None:
    (tmp_path / "out.jsonl").write_bytes(held)
    with pytest.raises(UsageError, match="no file of verdicts"):
        checked(tmp_path, GOOD)
    assert (tmp_path / "out.jsonl").read_bytes() == held


def test_verdicts_do_not_go_into_the_file_of_answers(tmp_path: Path) -> None:
    answers = tmp_path / "in.jsonl"
    answers.write_text(json.dumps(GOOD))
    with pytest.raises(UsageError, match="the file of answers"):
        check_batch(answers, answers, load_settings(local_models=False))
    assert answers.read_text() == json.dumps(GOOD)


def test_a_line_that_was_half_written_is_checked_anew(tmp_path: Path) -> None:
    checked(tmp_path, GOOD)
    with (tmp_path / "out.jsonl").open("ab") as torn:
        torn.write(b'{"id": "b", "supp')
    report = checked(tmp_path, GOOD, {**GOOD, "id": "b"})
    assert (report.already_checked, report.checked) == (1, 1)
    assert results(tmp_path) == [("a", True), ("b", True)]


@pytest.mark.parametrize("count", [0, 1, 5, 40, 1_000])
def test_items_have_every_line_once_and_get_smaller_at_the_end(count: int) -> None:
    lines = [batches._Line(str(number), number, 1) for number in range(count)]
    items = list(batches._items(lines))
    assert [line for item in items for line in item] == lines
    sizes = [len(item) for item in items]
    assert sizes == sorted(sizes, reverse=True)
    assert count < 1_000 or (sizes[0], sizes[-1]) == (batches.TOGETHER, 1)

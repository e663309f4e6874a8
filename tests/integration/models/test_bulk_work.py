"""Indexing and checking in several processes: the same result as in one, with the real models."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from upheld import Upheld
from upheld.check_batch import check_batch
from upheld.errors import UsageError
from upheld.settings import load_settings
from upheld_lab.bench.batch.command import BatchFiles
from upheld_lab.bench.batch.kills import run_killed
from upheld_lab.bench.verify.made_answers import AnswerWriter

SOURCE = "The tower of Skarvik was built in 1869. It opens to visitors at nine."
TRUE, FALSE = "The tower was built in 1869.", "The tower was built in 1911."


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    for number in range(70):
        (folder / f"{number}.txt").write_text(f"Ferry {number} leaves the pier at noon.")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 no more than that")
    return folder


def stored(kb: Upheld) -> dict[str, Any]:
    found = [kb.document_passages(info.id) for info in kb.documents()]
    return {passage.id: passage for passages in found for passage in passages}


def test_several_processes_index_what_one_does(files: Path, tmp_path: Path) -> None:
    with Upheld.open(tmp_path / "one") as one, Upheld.open(tmp_path / "many") as many:
        alone, together = one.add(files), many.add(files, on="local:2")
        assert stored(one) == stored(many)
        assert (together.added, together.passages) == (alone.added, alone.passages)
        assert [Path(each.path).name for each in together.failed] == ["broken.pdf"]
        question = "When does ferry 33 leave?"
        hits, others = one.search(question), many.search(question)
        assert next(iter(hits)).passage == next(iter(others)).passage
        # Vectors depend a little on the texts that they were embedded together with.
        assert np.allclose([hit.score for hit in hits], [hit.score for hit in others], atol=0.05)
        again = many.add(files, on="local:2")
        assert (again.added, again.unchanged) == (0, 70)


def lines(path: Path, answers: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in answers))
    return path


def test_a_batch_is_checked_once(tmp_path: Path) -> None:
    answers = [
        {"id": f"a{number}", "answer": TRUE if number % 2 else FALSE, "sources": [SOURCE]}
        for number in range(20)
    ]
    batch, out = lines(tmp_path / "answers.jsonl", answers), tmp_path / "out.jsonl"
    settings = load_settings()
    first = check_batch(lines(tmp_path / "half.jsonl", answers[:12]), out, settings, on="local:2")
    assert (first.checked, first.supported, first.failed) == (12, 6, ())
    with out.open("ab") as torn:
        torn.write(b'{"id": "a12", "supp')  # as a run leaves it that was killed
    told: list[tuple[int, int]] = []
    rest = check_batch(
        batch, out, settings, on="local:2", progress=lambda *counts: told.append(counts)
    )
    assert (rest.checked, rest.already_checked) == (8, 12)
    assert told[0] == (12, 20)
    assert told[-1] == (20, 20)
    results = [json.loads(line) for line in out.read_text().splitlines()]
    assert Counter(each["id"] for each in results) == Counter(each["id"] for each in answers)
    supported = {each["id"] for each in results if each["supported"]}
    assert supported == {each["id"] for each in answers if each["answer"] == TRUE}


@pytest.mark.parametrize(
    ("on", "count", "kill_after"),
    [
        ("local:2", 32, (10,)),
        pytest.param("ray", 80, (10, 30, 50), marks=pytest.mark.campaign),
    ],
)
@pytest.mark.timeout(600)
def test_a_command_that_is_killed_continues(
    on: str, count: int, kill_after: tuple[int, ...]
) -> None:
    # A short path: names of Ray's sockets have at most 107 characters.
    with tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True) as folder:
        files = BatchFiles(Path(folder), on)
        files.write(AnswerWriter().claims(count))
        found = run_killed(files, kill_after, lambda *_: None)
    assert (found.lost, found.doubled, found.checked_again) == (0, 0, 0)
    assert len(found.kills) == len(kill_after)
    assert not any(kill.processes_left for kill in found.kills)


def test_a_line_that_cannot_be_checked_is_named(tmp_path: Path) -> None:
    answers: list[dict[str, Any]] = [
        {"answer": TRUE, "sources": [SOURCE]},
        {"answer": TRUE},
        {"answer": " ", "sources": [SOURCE]},
        {"answer": TRUE, "sources": SOURCE},
    ]
    batch = lines(tmp_path / "answers.jsonl", answers)
    report = check_batch(batch, tmp_path / "out.jsonl", load_settings(), on="local:1")
    assert report.checked == 1
    assert sorted(report.failed)[0] == "2: there is no 'sources'"
    assert sorted(report.failed)[1].startswith("3: The answer is empty")
    assert sorted(report.failed)[2].startswith("4: The sources must be a list")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"id": 1, "answer": "a", "sources": []}\n' * 2, "two answers with the id '1'"),
        ("[1]\n", "Line 1 of .* is no JSON object"),
        ("{\n", "Line 1 of .* is no JSON object"),
    ],
)
def test_a_file_that_is_no_batch_is_refused(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "answers.jsonl").write_text(content)
    with pytest.raises(UsageError, match=message):
        check_batch(tmp_path / "answers.jsonl", tmp_path / "out.jsonl", load_settings())


def test_verdicts_of_another_verifier_are_not_mixed_in(tmp_path: Path) -> None:
    batch = lines(tmp_path / "answers.jsonl", [{"answer": TRUE, "sources": [SOURCE]}])
    out = lines(tmp_path / "out.jsonl", [{"id": "0", "verifier": "another"}])
    with pytest.raises(UsageError, match="another verifier"):
        check_batch(batch, out, load_settings())

"""What a run's folder holds comes back as it was, whatever cut the last line."""

from __future__ import annotations

from pathlib import Path

import pytest

from upheld.errors import NotFoundError, UsageError
from upheld.types import (
    Answer,
    Cause,
    Citation,
    Claim,
    Conflict,
    Event,
    Guarantee,
    Passage,
    Status,
    Support,
    Usage,
    Verdict,
)
from upheld_lab.bench.runs.records import Outcome, Scored
from upheld_lab.bench.runs.store import RunFolder
from upheld_lab.bench.suites.suite import Asked

ASKED = Asked(
    "facts/1",
    "facts",
    "When did it open?",
    answers=("1881", "in 1881"),
    parts=(("Hope", "the whale"), ("Dippy",)),
    gold=frozenset({"p2", "p1"}),
    answerable=True,
    facts=("It opened in 1881.",),
    yes=False,
    false_answers=("1882",),
    false_passages=frozenset({"p9"}),
)
CITED = Citation("p1", "d1", "v1", 3, 9, "in 1881", Support.SUPPORTED)
AGAINST = Citation("p9", "d9", "v9", 0, 4, "1882")
VERDICT = Verdict(
    Support.SUPPORTED, 0.1 + 0.2, (CITED,), (AGAINST,), "model:1", "it says so", Cause.ENTAILED
)
ANSWER = Answer(
    id="a",
    question="When did it open?",
    status=Status.PARTIAL,
    method="upheld",
    text="It opened\nin 1881.\u2028 [1]",
    claims=(Claim("It opened in 1881.", (CITED,), VERDICT, 0, 18), Claim("Said bare.")),
    sources=(
        Passage(
            "p1", "text", "d1", "v1", 3, 90, "T", "t.pdf", 4, ("One", "Two"), frozenset({"x", "y"})
        ),
    ),
    conflicts=(Conflict("when", CITED, AGAINST),),
    guarantee=Guarantee(0.1, 0.05, 0.9, "own"),
    pipeline="upheld | x",
    degraded=("no grader",),
    usage=Usage(1, 2, 3, 4, 5, 6, 7, 8),
    trace=(Event(1, None, "search", 0.0, 0.25, Usage(searches=1), "lost", "note"),),
)
OUTCOME = Outcome("facts/1", "upheld:rounds=1", ANSWER, None, 1.25, True, ("p1", "p9"))
FAILED = Outcome("facts/1", "rag", None, "EngineError: the disk is gone", 0.5)
SCORED = Scored("facts/1", "facts", "rag", {"correct": 1.0, "f1": 1 / 3, "cost": None})


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    made = RunFolder(tmp_path / "runs" / "one")
    made.keep_facts({"suite": "tiny", "variants": ["rag"]}, [ASKED, Asked("facts/2", "facts", "?")])
    return made


def test_everything_comes_back_as_it_was(folder: RunFolder) -> None:
    folder.add_outcome(OUTCOME)
    folder.add_outcome(FAILED)
    folder.add_scored([SCORED])
    assert folder.manifest() == {"suite": "tiny", "variants": ["rag"]}
    assert folder.questions() == [ASKED, Asked("facts/2", "facts", "?")]
    assert folder.outcomes() == [OUTCOME, FAILED]
    assert folder.scored() == [SCORED]
    (back, _) = folder.outcomes()
    assert back.answer is not None
    assert back.answer.sources[0].labels == frozenset({"x", "y"})
    assert back.answer.claims[0].verdict.cause is Cause.ENTAILED


def test_a_new_run_has_nothing_yet(folder: RunFolder) -> None:
    assert (folder.outcomes(), folder.scored()) == ([], [])


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    assert not RunFolder(tmp_path).begun
    with pytest.raises(NotFoundError, match="holds no run"):
        RunFolder(tmp_path).manifest()


@pytest.mark.parametrize("bytes_left", [1, 40, -1])
def test_half_a_line_is_not_read_and_is_cut_before_more_is_written(
    folder: RunFolder, bytes_left: int
) -> None:
    folder.add_outcome(FAILED)
    file = folder.path / "answers.jsonl"
    whole = file.read_bytes()
    folder.add_outcome(OUTCOME)
    second = file.read_bytes()[len(whole) :]
    file.write_bytes(whole + second[:bytes_left])
    assert folder.outcomes() == [FAILED]
    folder.cut_torn_lines()
    assert file.read_bytes() == whole
    folder.add_outcome(OUTCOME)
    assert folder.outcomes() == [FAILED, OUTCOME]


def test_a_first_line_that_is_torn_leaves_an_empty_file(folder: RunFolder) -> None:
    (folder.path / "scores.jsonl").write_bytes(b'{"question": "fac')
    folder.cut_torn_lines()
    assert (folder.path / "scores.jsonl").read_bytes() == b""
    assert folder.scored() == []


def test_half_a_surrogate_pair_from_a_model_does_not_stop_a_run(folder: RunFolder) -> None:
    folder.add_outcome(Outcome("facts/1", "rag", None, "it wrote \ud83d", 0.5))
    assert folder.outcomes()[0].error == "it wrote ?"


def test_scores_are_replaced_whole(folder: RunFolder) -> None:
    folder.add_scored([SCORED, SCORED])
    folder.replace_scored([SCORED])
    assert folder.scored() == [SCORED]
    assert not list(folder.path.glob("*.part"))


def test_lines_of_another_version_are_told_of(folder: RunFolder) -> None:
    (folder.path / "answers.jsonl").write_bytes(b'{"question": "facts/1"}\n')
    with pytest.raises(UsageError, match=r"answers\.jsonl has lines that this version"):
        folder.outcomes()

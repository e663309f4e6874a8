"""Own questions: what a line may say, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from upheld.errors import NotFoundError, UsageError
from upheld_lab.bench.suites.own import load_own
from upheld_lab.bench.suites.suite import Asked


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mine.jsonl"


def test_a_question_is_enough_and_all_that_is_known_is_kept(file: Path) -> None:
    file.write_text(
        '{"question": " Who? "}\n\n'
        '{"question": "What?", "id": "w", "set": "hard", "answers": ["this"], "gold": ["p1"]}\n'
        '{"question": "How?", "answerable": false}\n'
        '{"question": "Which?", "parts": [["a", "b"], ["c"]], "false_answers": ["d"]}\n'
    )
    suite = load_own(file)
    found = {each.id: each for each in suite.questions}
    assert found == {
        "own/1": Asked("own/1", "own", "Who?"),
        "hard/w": Asked(
            "hard/w", "hard", "What?", ("this",), gold=frozenset({"p1"}), answerable=True
        ),
        "own/4": Asked("own/4", "own", "How?", answerable=False),
        "own/5": Asked(
            "own/5",
            "own",
            "Which?",
            parts=(("a", "b"), ("c",)),
            answerable=True,
            false_answers=("d",),
        ),
    }
    assert (suite.name, suite.passages, set(suite.hashes)) == ("own", (), {"mine.jsonl"})
    assert len(load_own(file, limit=1).questions) == 2  # of each set


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ('{"question": "Who?", "anwsers": ["x"]}', "anwsers"),
        ('{"answers": ["x"]}', "question"),
        ('{"question": "  "}', "question"),
        ('{"question": "Who?", "answers": "x"}', "answers"),
        ('{"question": "Who?", "answers": ["x"], "answerable": false}', "not answerable"),
        ('{"question": ', "JSON"),
        ('{"question": "Who?", "id": "same"}', "was given on line 1"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(file: Path, line: str, wrong: str) -> None:
    file.write_text(f'{{"question": "First?", "id": "same"}}\n{line}\n')
    with pytest.raises(UsageError, match=r"mine\.jsonl, line 2: ") as raised:
        load_own(file)
    assert wrong in str(raised.value)


def test_no_file_and_no_questions(file: Path) -> None:
    with pytest.raises(NotFoundError, match=r"mine\.jsonl"):
        load_own(file)
    file.write_text("\n")
    with pytest.raises(UsageError, match="no questions"):
        load_own(file)

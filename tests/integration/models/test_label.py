"""`upheld label` on real documents: it records, goes on where it was, and can be calibrated on."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from upheld import Upheld
from upheld.calibration.labelled import read_labels, the_pipeline
from upheld.cli import label as command
from upheld.errors import UsageError

DOCUMENTS = Path(__file__).parents[3] / "examples" / "documents"
OPENING, FERRY = "When does the lighthouse open to visitors?", "How long does the crossing take?"
NOT_THERE = "Which enzyme breaks down lactose?"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    with Upheld.open("kb") as opened:
        opened.add(DOCUMENTS)
    lines = (OPENING, "", OPENING.upper(), NOT_THERE, FERRY)
    (tmp_path / "questions.txt").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


def run(said: str) -> str:
    app = typer.Typer()
    app.command()(command.label)
    arguments = ["--kb", "kb", "--questions", "questions.txt", "--out", "labels.jsonl"]
    result = CliRunner().invoke(app, arguments, input=said)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout


def test_it_goes_on_where_it_was(folder: Path) -> None:
    shown = run("y\nq\n")
    assert "9:30" in shown
    assert "1 labelled, 1 in labels.jsonl" in shown
    shown = run("n\n")
    assert OPENING not in shown
    assert f"left out: {NOT_THERE} (nearest, but probably no answer" in " ".join(shown.split())
    assert "1 labelled, 2 in labels.jsonl" in shown
    made = read_labels(folder / "labels.jsonl")
    assert [(each.question, each.supported) for each in made] == [(OPENING, True), (FERRY, False)]
    assert all(each.evidence and each.score == 1 for each in made)
    with Upheld.open("kb") as opened:
        assert opened.settings.setup in the_pipeline(made)


def test_questions_that_cannot_be_read_are_told(folder: Path) -> None:
    (folder / "questions.txt").write_text(" \n")
    with pytest.raises(UsageError, match="no question"):
        run("q\n")
    (folder / "questions.txt").unlink()
    with pytest.raises(UsageError, match=r"questions\.txt"):
        run("q\n")

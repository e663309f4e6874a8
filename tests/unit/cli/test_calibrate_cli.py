"""`upheld calibrate`: the table, the picture, the sentence, the file and exit codes."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.unit.calibration.test_labelled import label
from upheld.calibration.fitted import read_guarantee
from upheld.calibration.labelled import append_label
from upheld.cli import calibrate as command
from upheld.errors import CalibrationError
from upheld.types import Support


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(command.app, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, count: int, wrong_below: float, seed: int = 0) -> None:
    """Claims whose score is the truth: below a score, half are wrong, above it one in fifty."""
    dice = random.Random(seed)
    lines = []
    for i in range(count):
        score = dice.random()
        supported = dice.random() > (0.5 if score < wrong_below else 0.02)
        verdict = Support.SUPPORTED if score > 0.2 else Support.UNSUPPORTED
        made = label(question=f"Q{i}?", score=score, supported=supported, verdict=verdict)
        lines.append(made.model_dump_json())
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_a_certified_threshold_is_told_drawn_and_written(folder: Path) -> None:
    write(folder / "labels.jsonl", 600, 0.5)
    code, shown = run("labels.jsonl", "--out", "guarantee.json")
    assert code == 0
    found = read_guarantee(folder / "guarantee.json").for_pipeline("rag | setup | model:1")
    assert found is not None
    assert 0.3 < found.threshold < 0.6
    words = " ".join(shown.split())
    sure = f"with a probability of {found.threshold:.3f} or more"
    assert f"Certified: of the claims shown as supported {sure}, at most 10% are not" in words
    assert "with confidence 90%. That keeps" in words
    [marked] = [line for line in shown.splitlines() if line.startswith("→")]
    assert f"{found.threshold:.3f}" in marked
    bars = [line for line in shown.splitlines() if "│" in line][1:]
    assert len({line.index("│") for line in bars}) == 1
    assert "█" in bars[-1]
    assert found.fitted_on.startswith("600 labels of labels.jsonl")


def test_json_has_the_curve(folder: Path) -> None:
    write(folder / "labels.jsonl", 600, 0.5)
    code, shown = run("labels.jsonl", "--json", "--alpha", "0.2")
    found = json.loads(shown)
    assert code == 0
    assert found["alpha"] == 0.2
    assert found["threshold"] in [step["threshold"] for step in found["curve"]]
    assert all(step["threshold"] > 0.2 for step in found["curve"])  # never what is not supported


def test_too_few_labels_say_how_many_would_do(folder: Path) -> None:
    write(folder / "labels.jsonl", 20, 0.0)
    code, shown = run("labels.jsonl", "--out", "guarantee.json")
    words = " ".join(shown.split())
    assert code == 3
    assert "Nothing could be certified" in words
    assert "too few claims: 20" in words
    assert "labels would probably do" in words
    assert not (folder / "guarantee.json").exists()


def test_too_many_errors_say_that_labels_do_not_help(folder: Path) -> None:
    write(folder / "labels.jsonl", 400, 1.1)
    code, shown = run("labels.jsonl")
    words = " ".join(shown.split())
    assert code == 3
    assert "claims were not supported: it may be" in words
    assert "larger alpha" in words


def test_mixed_labels_are_refused(folder: Path) -> None:
    append_label(folder / "labels.jsonl", label())
    append_label(folder / "labels.jsonl", label(pipeline="rag | setup | model:2"))
    with pytest.raises(CalibrationError, match="2 pipelines"):
        run("labels.jsonl")
    write(folder / "one.jsonl", 10, 0.0)
    with pytest.raises(CalibrationError, match="alpha"):
        run("one.jsonl", "--alpha", "2")

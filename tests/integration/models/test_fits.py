"""Numbers of stages are fitted by scripts: on the small suite, with the local models."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All fits embed the same passages: once."""
    return tmp_path_factory.mktemp("cache")


@pytest.mark.campaign  # the fits themselves are tested with fakes: tests/unit/lab/test_fit_*.py
@pytest.mark.parametrize(
    ("command", "numbers"),
    [("bridges", {"grade", "shift"})],
)
def test_a_fit_prints_its_numbers_and_what_they_are_worth(
    command: str, numbers: set[str], cache: Path, tmp_path: Path
) -> None:
    args = [command, "--suite", "tiny", "--limit", 5, "--data", tmp_path, "--cache", cache]
    run = subprocess.run(
        [sys.executable, "-m", "upheld_lab.fits", *map(str, args), "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    report = json.loads(run.stdout)
    assert report["bars"].keys() == numbers
    assert report["bars"]["grade"] > 0  # a better grade makes it likelier
    assert all(0.5 < row["gold_f1"] <= 1 for row in report["rows"])
    assert report["manifest"]["command"].startswith(f"python -m upheld_lab.fits {command} ")
    assert set(report["manifest"]["models"]) == {"embedder", "grader"}

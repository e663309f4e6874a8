"""Numbers of stages are fitted by scripts: on the small suite, with the local models."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("command", "numbers"),
    [
        ("select-passages", {"grade", "sentence", "search", "shift"}),
        ("bridges", {"grade", "shift"}),
    ],
)
def test_a_fit_prints_its_numbers_and_what_they_are_worth(
    command: str, numbers: set[str], tmp_path: Path
) -> None:
    args = [command, "--suite", "tiny", "--data", tmp_path, "--cache", tmp_path, "--json"]
    run = subprocess.run(
        [sys.executable, "-m", "upheld_lab.fits", *map(str, args)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    report = json.loads(run.stdout)
    assert report["bars"].keys() == numbers
    assert report["bars"]["grade"] > 0  # a better grade makes it likelier
    assert all(0.5 < row["gold_f1"] <= 1 for row in report["rows"])
    assert report["manifest"]["command"].startswith(f"python -m upheld_lab.fits {command} ")
    assert set(report["manifest"]["models"]) == {"embedder", "grader"}

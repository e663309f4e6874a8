"""`python -m upheld_lab.fits`: scripts that fit our numbers, apart from what users measure with."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
from typer.main import get_group
from typer.testing import CliRunner

from upheld_lab.bench.manifest import manifest
from upheld_lab.cli.bench import app as bench
from upheld_lab.fits.__main__ import app as fits

FITS = get_group(fits).commands
ROOT = Path(__file__).parents[3]


def test_no_fit_is_a_command_for_users() -> None:
    assert not set(FITS) & set(get_group(bench).commands)


@pytest.mark.parametrize("name", sorted(FITS))
def test_every_fit_explains_itself_with_an_example(name: str) -> None:
    shown = CliRunner().invoke(fits, [name, "--help"], env={"COLUMNS": "200"})
    assert shown.exit_code == 0
    assert f"python -m upheld_lab.fits {name} " in shown.output


def test_every_command_that_code_and_docs_name_is_there() -> None:
    files = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("src/**/*.py"), *ROOT.glob("packages/**/*.md")]
    texts = [file.read_text(encoding="utf-8") for file in files]
    named = {name for text in texts for name in re.findall(r"upheld_lab\.fits\s([a-z-]+)", text)}
    assert named <= set(FITS)
    benches = {name for text in texts for name in re.findall(r"`upheld\sbench\s([a-z-]+)", text)}
    assert benches <= set(get_group(bench).commands)
    assert len(named) > 5 < len(benches)


def test_a_report_names_the_script_that_made_it(monkeypatch: pytest.MonkeyPatch) -> None:
    main = sys.modules["__main__"]
    monkeypatch.setattr(main, "__spec__", ModuleSpec("upheld_lab.fits.__main__", None))
    monkeypatch.setattr(sys, "argv", ["__main__.py", "fusion", "--data", "/home/me/pack"])
    assert manifest()["command"] == "python -m upheld_lab.fits fusion --data DIR"


def test_what_is_missing_is_one_message_and_an_exit_code() -> None:
    words = [sys.executable, "-m", "upheld_lab.fits", "verify-choices", "--data", "nodir"]
    ended = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 2
    assert "nodir" in ended.stderr
    assert "Traceback" not in ended.stderr

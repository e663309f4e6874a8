"""What the docs show of extending Upheld runs, and the README's picture is of a run of today."""

from __future__ import annotations

import html
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def beside_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UPHELD_LOCAL_MODELS", "false")  # verbatim quotes need none
    return tmp_path


def test_a_method_of_ones_own(beside_examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path("examples/own_method.py", run_name="__main__")
    printed = capsys.readouterr().out
    assert "9:30 in the morning" in printed
    assert "look_twice supported 2" in printed  # two searches
    lines = (ROOT / "examples" / "own_method.py").read_text(encoding="utf-8").splitlines()
    assert len(lines) < 40


def test_an_index_of_ones_own(beside_examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path("examples/own_index.py", run_name="__main__")
    printed = capsys.readouterr().out
    assert "The crossing takes 35 minutes. [1]" in printed
    assert "supported notes:Ferry" in printed


def test_the_code_of_the_page_on_extending(
    beside_examples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    shipped = [(ROOT / "examples" / f"own_{each}.py").read_text() for each in ("method", "index")]
    *shown_there, checks, own = blocks
    assert shown_there == shipped, "the page shows the files of examples/ as they are"
    exec(compile(own, "docs/extend.md", "exec"), {"__name__": "page"})
    assert "The ferry leaves at nine. [1]" in capsys.readouterr().out
    (beside_examples / "test_notes.py").write_text(checks, encoding="utf-8")
    words = [sys.executable, "-m", "pytest", "-q", "-o", "asyncio_mode=auto", "test_notes.py"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


def test_the_picture_of_the_readme_is_what_is_drawn_now() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "draw_ask_example.py"))
    drawn = shown(script["PICTURE"].read_text(encoding="utf-8"))
    assert drawn == shown(script["draw"](script["answered"]())), (
        "run: python scripts/draw_ask_example.py"
    )
    assert "word for word in [1]" in drawn
    assert "characters 224–339" in drawn


def shown(picture: str) -> str:
    """The words of a picture."""
    pieces = re.findall(r"<text[^>]*>(.*?)</text>", picture, re.DOTALL)
    return " ".join(" ".join(map(html.unescape, pieces)).split())

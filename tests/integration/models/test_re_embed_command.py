"""`upheld re-embed` gives a collection that was made without models the vectors of the embedder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from upheld.cli import app
from upheld.errors import EmbedderMismatchError

pytestmark = pytest.mark.real


def run(*arguments: str, models: str = "true") -> str:
    result = CliRunner(env={"UPHELD_LOCAL_MODELS": models}).invoke(app, arguments)
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_the_embedder_is_changed_by_one_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ferry.md").write_text("# The ferry\n\nThe ferry leaves at noon.\n")
    (tmp_path / "tower.md").write_text("# The tower\n\nThe tower was built in 1871.\n")
    run("index", "ferry.md", "tower.md", models="false")
    with pytest.raises(EmbedderMismatchError, match="upheld re-embed"):
        run("index", "ferry.md", "tower.md")
    done = json.loads(run("re-embed", "--json"))
    assert (done["documents"], done["passages"]) == (2, 2)
    assert done["embedder"].startswith("all-MiniLM")
    assert "Nothing to do" in run("re-embed")
    again = json.loads(run("index", "ferry.md", "tower.md", "--json"))
    assert again["added"] == 0
    answer = json.loads(run("ask", "When does the boat depart?", "--json"))
    assert not [each for each in answer["degraded"] if "words only" in each]

"""`upheld re-embed`, where there is nothing to embed with, or nothing to embed."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from upheld.cli import app
from upheld.errors import UsageError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UPHELD_LOCAL_MODELS", "false")


def test_it_needs_an_embedder(tmp_path: Path) -> None:
    (tmp_path / "ferry.md").write_text("The ferry leaves at noon.\n")
    assert CliRunner().invoke(app, ["index", "ferry.md"]).exit_code == 0
    refused = CliRunner().invoke(app, ["re-embed"]).exception
    assert isinstance(refused, UsageError)
    assert "no embedder" in str(refused)


def test_it_needs_a_collection(tmp_path: Path) -> None:
    refused = CliRunner().invoke(app, ["re-embed"]).exception
    assert isinstance(refused, UsageError)
    assert "upheld index" in str(refused)
    assert not list(tmp_path.iterdir())

"""`upheld list` and `upheld delete` on a real folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from upheld.cli import app
from upheld.errors import UsageError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UPHELD_LOCAL_MODELS", "false")
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "ferry.md").write_text("# The [red]ferry[/red]\n\nThe ferry leaves at noon.\n")
    (texts / "tower.md").write_text("# The tower\n\nThe tower was built in 1871.\n")
    run("index", "texts")
    return tmp_path


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments)
    if result.exception is not None:
        raise result.exception
    return result.output


def ids() -> dict[str, str]:
    return {each["title"]: each["id"] for each in json.loads(run("list", "--json"))}


def test_documents_are_listed_and_their_titles_are_no_markup() -> None:
    shown = run("list")
    assert "[red]ferry[/red]" in shown
    assert "tower.md" in shown


def test_a_long_id_or_path_is_folded_and_not_cut_short(folder: Path) -> None:
    longest = "a-very-long-name" * 12
    (folder / "texts" / f"{longest}.md").write_text("# The quay\n\nThe quay is long.\n")
    run("index", "texts")
    rows = [line.split("│") for line in run("list").splitlines() if "│" in line]
    folded = ["".join(map(str.strip, column)) for column in zip(*rows, strict=True)]
    assert f"{longest}.md" in folded[2]
    assert all(id in folded[1] for id in ids().values())


def test_a_document_is_deleted_by_its_path_or_its_id(folder: Path) -> None:
    run("delete", "texts/ferry.md")
    assert list(ids()) == ["The tower"]
    assert (folder / "texts" / "ferry.md").exists()
    run("index", "texts")
    assert json.loads(run("delete", ids()["The tower"], "--json"))["deleted"]
    assert list(ids()) == ["The [red]ferry[/red]"]


def test_a_name_that_is_not_there_stops_it_all() -> None:
    with pytest.raises(UsageError, match=r"no document texts/fery\.md"):
        run("delete", "texts/tower.md", "texts/fery.md")
    assert len(ids()) == 2

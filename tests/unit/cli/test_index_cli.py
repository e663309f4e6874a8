"""`upheld index` on a folder whose files went away: what it deletes, asks, and tells."""

from __future__ import annotations

import errno
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from upheld.cli import app
from upheld.errors import UsageError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UPHELD_LOCAL_MODELS", "false")
    texts = tmp_path / "texts"
    texts.mkdir()
    for number in range(12):
        (texts / f"note {number:02}.md").write_text(f"# Note {number}\n\nThe ferry left.\n")
    assert run("index", "texts").exit_code == 0
    return texts


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(app, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def shown(result: Result) -> str:
    return " ".join(result.output.split())


def documents() -> int:
    return len(json.loads(run("list", "--json").output))


def test_what_was_deleted_is_named(folder: Path) -> None:
    (folder / "note 03.md").unlink()
    result = run("index", "texts")
    assert result.exit_code == 0
    assert "deleted: " in result.output
    assert str(folder / "note 03.md") in result.output.replace("\n", "")
    (folder / "note 04.md").unlink()
    report = json.loads(run("index", "texts", "--json").output)
    assert (report["deleted"], report["deleted_uris"]) == (1, [(folder / "note 04.md").as_uri()])


def test_without_a_terminal_many_documents_are_deleted_with_prune_only(folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink()
    result = run("index", "texts")
    assert result.exit_code == 1
    assert re.search("Nothing was deleted.* 12 documents", shown(result))
    assert "run it again with --prune" in shown(result)
    assert documents() == 12
    result = run("index", "texts", "--json")
    assert result.exit_code == 1
    assert len(json.loads(result.stdout)["not_deleted_uris"]) == 12
    result = run("index", "texts", "--prune")
    assert (result.exit_code, "12 deleted" in shown(result)) == (0, True)
    assert json.loads(run("index", "texts", "--json").output)["unchanged"] == 0


def test_a_folder_that_cannot_be_listed_is_told_and_fails(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "note 03.md").unlink()
    (folder / "locked").mkdir()
    scandir = os.scandir

    def listed(path: Any) -> Any:
        if Path(path) == folder / "locked":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return scandir(path)

    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", listed)
        result = run("index", "texts", "--prune")
    assert result.exit_code == 1
    assert re.search("locked .*Permission denied", shown(result))
    assert "Run it again" in shown(result)
    assert documents() == 12


def test_a_folder_that_is_missing_is_refused_unless_it_is_pruned(folder: Path) -> None:
    folder.rename(folder.with_name("moved"))
    with pytest.raises(UsageError, match="texts does not exist"):
        run("index", "texts")
    assert documents() == 12
    assert "12 deleted" in run("index", "texts", "--prune").output


def test_on_a_terminal_it_asks(folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink()
    ours, theirs = pty.openpty()
    os.write(ours, b"y\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "upheld", "index", "texts"],
        stdin=theirs,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    told = b""
    while True:
        try:
            told += os.read(ours, 4096)
        except OSError:  # the other end was closed: the command is done
            break
    os.close(ours)
    assert process.wait(timeout=60) == 0
    assert b"Delete 12 documents? [y/N]" in told
    with pytest.raises(UsageError, match="no documents"):
        documents()


def test_whoever_says_no_keeps_the_documents(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in folder.iterdir():
        file.unlink()
    monkeypatch.setattr("upheld.cli.index._may_ask", lambda report: True)
    result = CliRunner().invoke(app, ["index", "texts"], input="\n")
    assert "Delete 12 documents? [y/N]" in result.output
    assert (result.exit_code, documents()) == (1, 12)

"""What the command line refuses, and that it says why and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from upheld.cli import app
from upheld.errors import NotFoundError, UsageError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UPHELD_LOCAL_MODELS", "false")
    (tmp_path / "questions.txt").write_text("When does it open?\n")
    return tmp_path


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, " ".join(result.output.replace("│", " ").split())


def test_the_help_of_verify_says_what_a_mark_means() -> None:
    _, shown = run("verify", "--help")
    assert "[n] cites the n-th" in shown


def test_a_time_below_zero_is_refused() -> None:
    code, shown = run("verify", "--answer", "a", "--source", "s", "--seconds", "-3")
    assert code == 2
    assert "'--seconds'" in shown


def test_a_knowledge_base_that_is_a_file_is_refused() -> None:
    code, shown = run("ask", "When?", "--kb", "questions.txt")
    assert code == 2
    assert "'--kb': questions.txt is a file" in shown


def test_a_server_that_is_no_address_is_refused_by_the_name_of_the_option() -> None:
    code, shown = run("ask", "When?", "--llm", "notaurl", "--model", "m")
    assert code == 2
    assert "'--llm': notaurl is no address" in shown


@pytest.mark.parametrize(
    "command",
    [("ask", "When?"), ("label", "--questions", "questions.txt", "--out", "labels.jsonl")],
)
def test_nothing_can_be_asked_of_an_empty_collection(command: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="no documents in kb, collection staff") as refused:
        run(*command, "--kb", "kb", "--collection", "staff")
    assert refused.value.help.endswith("upheld index PATH --kb kb --collection staff")


def test_a_folder_without_readable_files_is_told(folder: Path) -> None:
    (folder / "music").mkdir()
    (folder / "music" / "song.xyz").write_bytes(b"la")
    code, shown = run("index", "music", "--kb", "kb")
    assert code == 1
    assert "There is no file here that can be read." in shown
    assert "pdf" in shown


def test_a_bench_without_its_data_is_refused_at_once() -> None:
    with pytest.raises(NotFoundError, match="c_verification under nodir"):
        run("bench", "verify", "--data", "nodir")

"""`upheld verify`: colours, quotes, JSON and exit codes."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from tests.messages import only_says
from upheld.cli import verify as command
from upheld.errors import SettingsError, UsageError
from upheld.settings import Settings
from upheld.verification.verify import Verify
from upheld_lab.testing.fake_entailment import FakeEntailment

TOWER = "# The lighthouse\n\nIt was built in 1869. It opens to visitors at nine.\n"
FERRY = "The ferry leaves the harbour at noon. Dogs are not allowed on the ferry.\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "tower.md").write_text(TOWER)
    (tmp_path / "ferry.txt").write_text(FERRY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def with_model(monkeypatch: pytest.MonkeyPatch) -> None:
    @asynccontextmanager
    async def opened(settings: Settings) -> AsyncIterator[Verify]:
        yield Verify(model=FakeEntailment())

    monkeypatch.setattr(command, "opened_verify", opened)


def run(answer: str, *options: str) -> tuple[int, str]:
    app = typer.Typer()
    app.command()(command.verify)
    arguments = ["--answer", "-", "--source", "tower.md", "--source", "ferry.txt", *options]
    result = CliRunner().invoke(app, arguments, input=answer)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout


@pytest.mark.usefixtures("files", "with_model")
def test_each_sentence_with_its_verdict_and_its_words() -> None:
    answer = (
        "It opens to visitors at nine. [1] The ferry leaves at noon. [1] "
        "Dogs are allowed on the ferry. [2] Gulls nest under the roof. [2]"
    )
    code, shown = run(answer)
    assert code == 4
    *_, contradicted, unsupported = json.loads(run(answer, "--json")[1])["claims"]
    assert contradicted["verdict"]["cause"] == "contradicted"
    assert unsupported["verdict"]["cause"] == "not_entailed"
    # The numbers are the fake's; that they are shown is tested with the words of `ask`.
    lines = [re.sub(r" 0\.\d\d$", "", line.rstrip()) for line in shown.splitlines()]
    exact_quote = lines.pop(1)  # it is not repeated, its source is named
    assert exact_quote.startswith("    ")
    assert exact_quote.endswith(" [1]")
    assert "opens" not in exact_quote
    assert lines[:9] == [
        "✓ It opens to visitors at nine. [1]",
        "✓ The ferry leaves at noon. [1→2]",
        "    “The ferry leaves the harbour at noon.” [2]",
        "✗ Dogs are allowed on the ferry. [2]",
        "    ≠ “Dogs are not allowed on the ferry.” [2]",
        f"    {contradicted['verdict']['reason']}",
        "? Gulls nest under the roof. [2]",
        f"    {unsupported['verdict']['reason']}",
        "",
    ]
    assert lines[-1] == "✓ 2 supported  ✗ 1 contradicted  ? 1 unsupported"


@pytest.mark.usefixtures("files", "with_model")
def test_a_mark_that_names_no_source_is_reported() -> None:
    code, shown = run("The ferry leaves at noon. [2][7]")
    assert code == 4
    assert "no such source" in shown


@pytest.mark.usefixtures("files", "with_model")
def test_a_judge_without_a_language_model_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UPHELD_JUDGE", "true")
    with pytest.raises(SettingsError, match="no language model"):
        run("The ferry leaves at noon. [2]")


@pytest.mark.usefixtures("files", "with_model")
def test_all_supported_is_zero_and_greetings_do_not_count() -> None:
    code, _ = run("Hello! The ferry leaves at noon. [2]")
    assert code == 0


@pytest.mark.usefixtures("files")
def test_json_is_one_object_with_exact_places() -> None:
    answer = "It opens to visitors at nine. [1] Tickets cost 5 euros. [1]"
    code, shown = run(answer, "--json")
    found: dict[str, Any] = json.loads(shown)
    assert code == 4
    assert found["supported"] is False
    assert [claim["verdict"]["support"] for claim in found["claims"]] == [
        "supported",
        "unsupported",
    ]
    first = found["claims"][0]
    assert answer[first["start"] : first["end"]] == first["text"]
    citation = first["citations"][0]
    assert TOWER[citation["start"] : citation["end"]] == citation["quote"]
    assert [source["uri"] for source in found["sources"]] == ["tower.md", "ferry.txt"]
    assert found["sources"][0]["title"] == "The lighthouse"


@pytest.mark.usefixtures("files")
def test_no_time_means_not_checked(with_model: None) -> None:
    code, shown = run("The ferry leaves at noon. [2]", "--seconds", "0")
    assert code == 4
    assert "limit: 0 s" in shown


@pytest.mark.usefixtures("files")
def test_an_answer_from_a_file(files: Path) -> None:
    (files / "a.txt").write_text("It opens to visitors at nine. [1]", encoding="utf-8-sig")
    app = typer.Typer()
    app.command()(command.verify)
    result = CliRunner().invoke(app, ["--answer", "a.txt", "--source", "tower.md"])
    assert result.exit_code == 0
    assert result.stdout.startswith("✓ It opens")  # the byte order mark is no part of it


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("answer", "options", "told"),
    [
        ("", (), ("answer", "empty")),
        ("It opens.", ("--source", "none.txt"), ("source", "none.txt", "no such file")),
        ("It opens.", ("--answer", "none.txt"), ("answer", "none.txt", "no such file")),
        ("It opens.", ("--answer", "."), ("answer", "folder")),
        ("It opens.", ("--answer", "latin.txt"), ("answer", "latin.txt", "not text in UTF-8")),
    ],
)
def test_an_answer_or_source_that_cannot_be_read_is_refused(
    files: Path, answer: str, options: tuple[str, ...], told: tuple[str, ...]
) -> None:
    (files / "latin.txt").write_bytes("Früh.".encode("latin-1"))
    with pytest.raises(UsageError) as error:
        run(answer, *options)
    assert only_says([str(error.value)], *told)
    assert "Errno" not in str(error.value)


def test_the_help_shows_the_default_of_seconds() -> None:
    app = typer.Typer()
    app.command()(command.verify)
    shown = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"}).stdout
    assert "[default: (no limit)]" in shown


@pytest.mark.usefixtures("files", "with_model")
def test_progress_is_drawn_on_a_terminal_and_only_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer = "It opens to visitors at nine. [1] The ferry leaves at noon. [2]"
    plain = run(answer)
    seen: list[tuple[int, int]] = []

    @contextmanager
    def terminal() -> Iterator[Callable[[int, int], None]]:
        yield lambda decided, total: seen.append((decided, total))

    monkeypatch.setattr(command, "verifying", terminal)
    assert run(answer) == plain
    assert seen == [(1, 2), (2, 2)]

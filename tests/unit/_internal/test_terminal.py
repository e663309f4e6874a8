"""Nothing that documents, models or file names say is obeyed by the terminal."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from typer.testing import CliRunner

from upheld._internal.terminal import SafeConsole, on_one_line, printable, printable_json
from upheld.cli import app, show
from upheld.errors import UpheldError
from upheld.types import Answer, Cause, Claim, Passage, Status, Support, Verdict

EVIL = (
    "\x1b[2J\x1b[1;31mred\x1b[0m \x1b]0;title\x07\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\ "
    "\x9b31mC1 \x9d0;t\x9c \x1bcreset \x1bPq\x1b\\dcs \x08\x7f\x00 \u202edesrever\u202c "
    "\u2066iso\u2069 "
    "[bold red]markup[/] :smile: end"
)
CLEAN = "red link C1  reset dcs  desrever iso [bold red]markup[/] :smile: end"
FORBIDDEN = [
    *(chr(code) for code in range(0x20) if chr(code) not in "\n\t"),
    *(chr(code) for code in range(0x7F, 0xA0)),
    *"\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029",
]


def assert_harmless(shown: str) -> None:
    assert not [each for each in FORBIDDEN if each in shown]


def test_sequences_and_controls_are_stripped() -> None:
    assert printable(EVIL).split() == CLEAN.split()
    assert_harmless(printable(EVIL + "".join(FORBIDDEN)))
    assert printable("a\tb\nc é 日本 👩‍👩‍👧 مرحبا") == "a\tb\nc é 日本 👩‍👩‍👧 مرحبا"
    assert printable("bad \udcff name") == "bad \ufffd name"
    assert printable("\x1b]0;never ended") == "0;never ended"


def test_a_name_stays_on_its_line() -> None:
    assert on_one_line("a\nerror: all is lost\x1b[A.txt") == "a␊error: all is lost.txt"


def test_json_keeps_its_values() -> None:
    text = printable_json(json.dumps({"a": EVIL}, ensure_ascii=False))
    assert_harmless(text)
    assert json.loads(text) == {"a": EVIL}


@pytest.mark.parametrize(
    "piece", ["\x1b[", "\x1b]", "\x1b", "\x9b", "\x1bP\x1b", "\x1b[1;", "\u202e"]
)
def test_it_takes_linear_time(piece: str) -> None:
    before = time.thread_time()
    printable(piece * 200_000)
    assert time.thread_time() - before < 1


@pytest.mark.parametrize("width", [20, 200])
def test_whatever_is_printed_is_text(capsys: pytest.CaptureFixture[str], width: int) -> None:
    console = SafeConsole()
    console.width = width
    table = Table("column")
    table.add_row(EVIL)
    table.add_row(Text(EVIL))
    for each in (EVIL, Text(EVIL, style="red"), Padding(Text.assemble((EVIL, "bold")), 1), table):
        console.print(each)
    console.out(EVIL)
    shown = capsys.readouterr().out
    assert_harmless(shown)
    assert "[bold red]markup[/]" in " ".join(shown.split()) or width == 20
    assert "31m" not in shown.replace("\n", "")


def test_an_answer_with_everything_is_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    source = Passage("p", EVIL, "d", "v", 0, len(EVIL), EVIL, f"file:///{EVIL}\n", None, (EVIL,))
    citation = source.cite(0, len(EVIL), Support.SUPPORTED)
    verdict = Verdict(Support.SUPPORTED, 0.9, (citation,), (citation,), "m", EVIL, Cause.ENTAILED)
    unsure = Verdict(Support.UNSUPPORTED, 0.1, (), (), "m", EVIL, Cause.NOT_ENTAILED)
    answer = Answer(
        id="a",
        question=EVIL,
        status=Status.ABSTAINED,
        method="rag",
        text=EVIL,
        claims=(Claim(EVIL, (citation,), verdict), Claim(EVIL + ".", (citation,), unsure)),
        sources=(source,),
        degraded=(EVIL,),
    )
    show.show_answer(answer)
    assert_harmless(capsys.readouterr().out)
    show.print_json(answer)
    shown = capsys.readouterr().out
    assert_harmless(shown)
    assert json.loads(shown)["text"] == EVIL


def test_file_names_and_titles_are_harmless(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    name = "\x1b]0;owned\x07\u202efdp [red]x"
    (docs / f"{name}.md").write_text(f"# {EVIL}\n\nThe ferry leaves at noon.\n", encoding="utf-8")
    (docs / f"{name}.pdf").write_bytes(b"%PDF-nonsense")
    kb = str(tmp_path / "kb")
    runner = CliRunner(env={"UPHELD_LOCAL_MODELS": "false", "COLUMNS": "300"})
    commands = {
        "index": ["index", str(docs), "--kb", kb],
        "list": ["list", "--kb", kb],
        "ask": ["ask", "When does the ferry leave?", "--kb", kb, "--trace"],
        "delete": ["delete", f"{name}.txt", "--kb", kb],
    }
    for command, words in commands.items():
        ran = runner.invoke(app, words)
        if isinstance(ran.exception, UpheldError):  # what `upheld` prints of it
            show.complain(ran.exception)
        shown = ran.output + capsys.readouterr().err
        assert_harmless(shown)
        assert ("[red]x" if command in ("index", "delete") else "[bold red]markup[/]") in shown

"""`upheld verify`: any answer against any sources, sentence by sentence."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from upheld._internal.progress import verifying
from upheld._internal.terminal import on_one_line
from upheld.answer.render import numbered
from upheld.check import CheckedAnswer, check, opened_judge, opened_verify, read_source
from upheld.cli import options, show
from upheld.errors import ReadError, UsageError
from upheld.run.budget import Budget
from upheld.settings import Settings, load_settings
from upheld.types import Passage

NOT_ALL_SUPPORTED = 4
_FAILURES = 20  # that are shown; all are in the output file


def verify(
    answer: Annotated[
        str | None,
        typer.Option("--answer", metavar="FILE", help="The answer; - reads standard input."),
    ] = None,
    source: Annotated[
        list[Path] | None, typer.Option("--source", help=r"A source; \[n] cites the n-th.")
    ] = None,
    question: Annotated[
        str | None, typer.Option(help="The question it answers.", show_default="none")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Check within this time; claims that are decided by then keep their verdicts.",
            show_default="no limit",
        ),
    ] = None,
    batch: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help='Many answers, one JSON object a line: {"id": …, "answer": …, "sources": [text, '
            "…]}.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where the verdicts of a batch are appended; run it again to continue.",
            show_default="FILE.checked.jsonl",
        ),
    ] = None,
    on: options.On = None,
    as_json: options.Json = False,
) -> None:
    """Check every sentence of an answer against sources, and show the words that uphold it.

    Exit codes: 0 all supported, or all of a batch checked; 4 not all supported; 1 failed; 2 wrong
    usage.

    Examples:

        upheld verify --answer answer.txt --source report.pdf --source notes.md

        cat answer.txt | upheld verify --answer - --source report.pdf --json

        upheld verify --batch answers.jsonl --out checked.jsonl --on ray
    """
    if batch is not None:
        _check_batch(batch, out, on, given=(answer, source, question, seconds), as_json=as_json)
        return
    if answer is None or not source:
        raise UsageError("Give --answer and at least one --source, or --batch.")
    if out is not None or on is not None:
        raise UsageError("--out and --on go with --batch.")
    text = _answer(answer)
    checked = asyncio.run(_check(text, source, question, Budget(seconds=seconds)))
    if as_json:
        show.print_json(checked)
    else:
        show_checked(checked)
    raise typer.Exit(0 if checked.supported else NOT_ALL_SUPPORTED)


async def _check(
    text: str, paths: Sequence[Path], question: str | None, budget: Budget
) -> CheckedAnswer:
    settings = load_settings()
    sources = [_source(path, settings) for path in paths]
    async with opened_verify(settings) as stage, opened_judge(settings, stage) as judge:
        with verifying() as progress:
            return await check(
                stage,
                text,
                sources,
                question=question,
                budget=budget,
                judge=judge,
                progress=progress,
            )


def _check_batch(
    batch: Path, out: Path | None, on: str | None, given: tuple[object, ...], *, as_json: bool
) -> None:
    from upheld.check_batch import check_batch

    if any(given):
        raise UsageError("--batch has its own answers, sources and questions.")
    if not batch.is_file():
        raise UsageError(f"The answers {batch} cannot be read: there is no such file.")
    out = out or batch.with_suffix(".checked.jsonl")
    with verifying("answers") as progress:
        report = check_batch(batch, out, load_settings(), on=on or "local", progress=progress)
    if as_json:
        show.print_json(report)
    else:
        show.out.print(
            f"{report.checked} checked, {report.supported} of them supported throughout, "
            f"{report.already_checked} checked before, {len(report.failed)} failed. "
            f"Verdicts: {out}",
            soft_wrap=True,
        )
        for failure in report.failed[:_FAILURES]:
            show.out.print(Text.assemble(("not checked: ", "yellow"), on_one_line(failure)))
    if report.failed:
        raise typer.Exit(1)


def _answer(name: str) -> str:
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
        return text.removeprefix("\ufeff")  # the mark that some editors put before all text
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"The answer {name} cannot be read: {_why(error)}.") from error


def _source(path: Path, settings: Settings) -> Passage:
    try:
        return read_source(path, settings)
    except OSError as error:
        raise UsageError(f"The source {path} cannot be read: {_why(error)}.") from error
    except ReadError as error:
        raise UsageError(f"The source {path} cannot be read: {error}") from error


def _why(error: OSError | UnicodeDecodeError) -> str:
    """What is wrong with a file, in words; not "[Errno 2]"."""
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, IsADirectoryError):
        return "it is a folder"
    if isinstance(error, PermissionError):
        return "you may not read it"
    if isinstance(error, UnicodeDecodeError):
        return "it is not text in UTF-8"
    return error.strerror or str(error)


def show_checked(checked: CheckedAnswer) -> None:
    """Every sentence in the colour of its verdict, under it the words that decided."""
    numbers = numbered(source.id for source in checked.sources)
    for claim in checked.claims:
        show.show_claim(claim, numbers)
    show.out.print()
    for number, source in enumerate(checked.sources, start=1):
        show.out.print(
            Text.assemble((f"[{number}] ", "bold"), on_one_line(source.title or source.uri))
        )
    show.show_summary(checked.claims, checked.degraded)

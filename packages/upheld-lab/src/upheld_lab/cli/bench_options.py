"""Options that several measurements share, and how their reports are shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from upheld.cli import show
from upheld.errors import UsageError

if TYPE_CHECKING:
    from upheld_lab.bench.prepared import Choice
    from upheld_lab.bench.report import Report, Watch


Cache = Annotated[
    Path | None, typer.Option(help="Folder of vectors, judgements and calls cached between runs.")
]
Data = Annotated[Path, typer.Option(help="The folder of the data pack.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Limit of cases of each set.")]
Passages = Annotated[str, typer.Option(help="Number of passages to search, or 'all'.")]
Questions = Annotated[int, typer.Option(min=1, help="Limit of questions of each set.")]
Seed = Annotated[int, typer.Option(help="Seed for drawing distractors and questions.")]


class SplitName(StrEnum):
    """Which side of the split rule to measure on."""

    TRAIN = "train"
    DEV = "dev"
    TEST = "test"


def choice_of(
    data: Path, passages: str, questions: int, split: SplitName, seed: int, cache: Path | None
) -> Choice:
    """What the options choose of the data pack."""
    from upheld_lab.bench.prepared import Choice
    from upheld_lab.bench.split import Split
    from upheld_lab.bench.vectors import default_cache

    if passages != "all" and not (passages.isdecimal() and int(passages)):
        raise UsageError(f"--passages is a number or 'all', not {passages!r}.")
    limit = None if passages == "all" else int(passages)
    return Choice(data, cache or default_cache(), limit, questions, Split(split.value), seed)


Markdown = Annotated[bool, typer.Option("--markdown", help="Print tables for a results page.")]


def shown(
    bench: Callable[[Watch], Coroutine[None, None, Report]], as_json: bool, as_markdown: bool
) -> Report:
    """Run it with progress on standard error; the report as JSON, as a page, or as tables."""
    from upheld_lab.bench import report as reports

    with reports.watching() as watch:
        report = asyncio.run(bench(watch))
    if as_json:
        show.print_json(report)
    elif as_markdown:
        typer.echo(reports.markdown(report))
    else:
        reports.show(report)
    return report

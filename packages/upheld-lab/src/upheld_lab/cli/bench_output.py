"""How a bench is run and its report shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Annotated

import typer

from upheld.cli import show

if TYPE_CHECKING:
    from upheld_lab.bench.report import Report, Watch

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

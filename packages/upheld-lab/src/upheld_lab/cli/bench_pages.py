"""`upheld bench report` and `compare`: what a run found, and what changed between two."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from upheld._internal.terminal import printable
from upheld.cli import options, show

if TYPE_CHECKING:
    from upheld_lab.bench.page.compare import Comparison

PAGE = "report.html"
TOLD = 20  # changed answers that a terminal is told of

RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print tables for a results page.")]


def report(
    run: RunArgument,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where the page goes.", show_default="RUN/report.html"),
    ] = None,
    texts: Annotated[
        bool,
        typer.Option(help="Questions, answers and passages, beside the figures."),
    ] = True,
    as_json: options.Json = False,
    as_markdown: Markdown = False,
) -> None:
    """Write one HTML page: table with intervals, plots, and every answer side by side.

    The page needs nothing but itself. Only questions that all methods have finished count, so a
    run under way can be reported too. With --json or --markdown the figures are printed, and a
    page is written only where --out says so.

    Examples:

        upheld bench report runs/tiny

        upheld bench report runs/tiny --json

        upheld bench report runs/short --no-texts --out short.html
    """
    from upheld_lab.bench import report as reports
    from upheld_lab.bench.page.run_data import fair_cut, read_run
    from upheld_lab.bench.page.run_report import as_markdown as to_markdown
    from upheld_lab.bench.page.run_report import in_brief, run_report, told

    cut = fair_cut(read_run(run))
    found = run_report(cut)
    page = out or (None if as_json or as_markdown else run / PAGE)
    if page is not None:
        from upheld_lab.bench.page.html import page as to_page

        page.write_text(to_page(cut, found, texts=texts), encoding="utf-8", errors="replace")
    if as_json:
        show.print_json(found)
    elif as_markdown:
        typer.echo(printable(to_markdown(found)))
    else:
        reports.show(in_brief(found))
        show.out.print(told(found), style="dim", markup=False)
    if page is not None:
        show.err.print(f"page: {page}", markup=False, soft_wrap=True)


def compare(
    run_a: Annotated[Path, typer.Argument(metavar="RUN_A", help="The run before.")],
    run_b: Annotated[Path, typer.Argument(metavar="RUN_B", help="The run after.")],
    as_json: options.Json = False,
) -> None:
    """Say what changed between two runs of the same questions, and whether it is noise.

    Examples:

        upheld bench compare runs/before runs/after

        upheld bench compare runs/before runs/after --json
    """
    from upheld_lab.bench.page.compare import compare as compared
    from upheld_lab.bench.page.run_data import fair_cut, read_run

    found = compared(fair_cut(read_run(run_a)), fair_cut(read_run(run_b)))
    if as_json:
        show.print_json(found)
    else:
        _show(found)


def _show(found: Comparison) -> None:
    from upheld_lab.bench.page.compare import as_rows
    from upheld_lab.bench.report import Report
    from upheld_lab.bench.report import show as show_tables

    show_tables(Report("compare", {}, as_rows(found), {}))
    for answer in found.answers[:TOLD]:
        fate = f"{answer.came_before} → {answer.came_after}"
        show.out.print(f"{answer.question} {answer.variant}: {fate}", style="dim", markup=False)
    if len(found.answers) > TOLD:
        more = len(found.answers) - TOLD
        show.out.print(f"and {more} more changed answers: --json has all", style="dim")
    for name, (before, after) in found.settings.items():
        show.out.print(f"{name}: {before} → {after}", style="dim", markup=False)
    show.out.print()
    for sentence in found.says:
        show.out.print(sentence, markup=False)

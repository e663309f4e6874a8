"""`upheld bench report` and `compare`: what a run found, and what changed between two."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from upheld._internal.terminal import printable
from upheld.cli import options, show
from upheld.errors import UsageError

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
        typer.Option(
            metavar="FILE", help="File to write the page to.", show_default="RUN/report.html"
        ),
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
    run_b: Annotated[
        Path | None,
        typer.Argument(metavar="[RUN_B]", help="The run after; with --methods it may be the same."),
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Compare method A of the first run with B of the second."),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Compare two runs of the same questions: what changed, and whether it may be noise.

    Right answers and gold citations are compared at the same coverage, too: who answers more keeps
    only the answers that it is surest of. With --methods, two methods are compared, of two runs or
    of one.

    Examples:

        upheld bench compare runs/before runs/after

        upheld bench compare runs/before runs/after --json

        upheld bench compare runs/short --methods rag+gate,upheld
    """
    from upheld_lab.bench.page.compare import compare as compared
    from upheld_lab.bench.page.compare import one_method
    from upheld_lab.bench.page.run_data import fair_cut, read_run

    before = fair_cut(read_run(run_a))
    after = before if run_b is None else fair_cut(read_run(run_b))
    if methods is not None:
        names = [each.strip() for each in methods.split(",")]
        if len(names) != 2:
            raise UsageError(f"--methods {methods} is not two methods.", help="As in rag,upheld.")
        one, other = names
        name = f"{one} → {other}"
        before, after = one_method(before, one, name), one_method(after, other, name)
    elif run_b is None:
        raise UsageError("Give a second run to compare with, or two methods with --methods.")
    found = compared(before, after)
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

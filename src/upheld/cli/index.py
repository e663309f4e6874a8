"""`upheld index`: files and folders into a knowledge base."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from upheld.cli import options, show
from upheld.client import Upheld

if TYPE_CHECKING:
    from upheld.ingest.report import AddReport


def index(
    paths: Annotated[list[Path], typer.Argument(help="Files and folders.", exists=True)],
    kb: options.Kb = None,
    collection: options.Collection = None,
    label: Annotated[
        list[str] | None,
        typer.Option(
            "--label", help="Who may see these documents; repeatable. Without it, labels stay."
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Read, cut, embed and index documents. Unchanged files are skipped.

    Stopped on the way, it goes on where it was when it is run again. Exit codes: 0 done, 1 nothing
    could be read, 2 wrong usage.

    Examples:

        upheld index examples/documents --kb kb

        upheld index reports/ minutes.pdf --kb s3://bucket/kb --label board
    """
    with Upheld.open(kb, collection=collection) as opened:
        report = opened.add([str(path) for path in paths], labels=label)
        if report.added or report.changed or report.deleted:
            opened.maintain()
    if as_json:
        show.print_json(report)
    else:
        _show(report)
    if not (report.added or report.changed or report.unchanged or report.deleted):
        raise typer.Exit(1)


def _show(report: AddReport) -> None:
    show.out.print(
        f"[green]{report.added} added[/], {report.changed} changed, {report.unchanged} unchanged, "
        f"{report.deleted} deleted · {report.passages} passages in {report.seconds:.1f} s"
    )
    if report.skipped:
        show.out.print(f"[dim]skipped, because hidden or of no known format: {report.skipped}[/]")
    if not (report.added or report.changed or report.unchanged or report.failed or report.deleted):
        from upheld.ingest.read import SUFFIXES

        known = ", ".join(sorted(suffix.removeprefix(".") for suffix in SUFFIXES))
        show.out.print(Text("There is no file here that can be read.", style="yellow"))
        show.out.print(Text(f"    What can be: {known}.", style="dim"))
    for failure in report.failed:
        reason, *help = failure.reason.split("\n")
        show.out.print(
            Text.assemble(("not read: ", "yellow"), reason, (f"  {failure.path}", "dim"))
        )
        for line in help:
            show.out.print(Text(f"    {line}", style="dim"))

"""`upheld index`: files and folders into a knowledge base."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import unquote

import typer
from rich.text import Text

from upheld._internal.terminal import on_one_line
from upheld.cli import options, show

if TYPE_CHECKING:
    from upheld.add_report import AddReport, Failure, HiddenText

_HIDING = 5  # files with hidden text, likewise
_NAMED = 20  # deleted documents that are named on the screen; --json names all


def index(
    paths: Annotated[list[Path], typer.Argument(help="Files and folders.")],
    kb: options.Kb = None,
    collection: options.Collection = None,
    label: Annotated[
        list[str] | None,
        typer.Option(
            "--label",
            help="Who may see these documents; repeatable. Default: unchanged.",
        ),
    ] = None,
    prune: Annotated[
        bool,
        typer.Option(
            "--prune",
            help="Delete the documents of all files that are gone, however many they are, and of "
            "paths that do not exist.",
        ),
    ] = False,
    on: options.On = None,
    as_json: options.Json = False,
) -> None:
    """Read, chunk, embed and index documents. Unchanged files are skipped.

    Documents whose file is gone are deleted at the end. Nothing is deleted if a folder could not be
    listed. If a file could not be read, or if all documents of a folder are gone, or more than 10
    and a tenth of them, they are deleted with --prune only: on a terminal you are asked, elsewhere
    the exit code is 1.

    If it is interrupted, run it again: it continues where it stopped. Exit codes: 0 done, 1 nothing
    could be read, or files seem to be gone and nothing was deleted, 2 wrong usage.

    Examples:

        upheld index examples/documents --kb kb

        upheld index reports/ minutes.pdf --kb s3://bucket/kb --label board

        upheld index /shared/archive --kb s3://bucket/kb --on ray
    """
    if not prune:
        options.need_paths(paths)
    named = [str(path) for path in paths]
    from upheld.sync_client import Upheld

    with Upheld.open(kb, collection=collection) as opened:
        report = opened.add(named, labels=label, prune=prune, on=on)
        if not as_json and _may_ask(report) and _agrees(report):
            again = opened.add(named, labels=label, prune=True, on=on)
            report = replace(
                report,
                deleted=again.deleted,
                deleted_uris=again.deleted_uris,
                not_deleted_uris=again.not_deleted_uris,
                not_deleted_because=again.not_deleted_because,
                unlisted=again.unlisted,
            )
        if report.added or report.changed or report.deleted:
            opened.maintain()
    if as_json:
        show.print_json(report)
    else:
        _show(report)
    did = report.added or report.changed or report.unchanged or report.deleted
    if not did or report.unlisted or report.not_deleted_uris:
        raise typer.Exit(1)


def _may_ask(report: AddReport) -> bool:
    """Whether `--prune` would change anything, and somebody is there to say so."""
    can_help = bool(report.not_deleted_uris) and not report.unlisted
    return can_help and sys.stdin.isatty() and sys.stderr.isatty()


def _agrees(report: AddReport) -> bool:
    _show_not_deleted(report)
    return typer.confirm(f"Delete {_documents(report.not_deleted_uris)}?", err=True)


def _show(report: AddReport) -> None:
    show.out.print(
        Text.assemble(
            (f"{report.added} added", "green"),
            f", {report.changed} changed, {report.unchanged} unchanged, "
            f"{report.deleted} deleted · {report.passages} passages in {report.seconds:.1f} s",
        )
    )
    if report.skipped:
        what = f"skipped, because hidden or of no known format: {report.skipped}"
        show.out.print(Text(what, style="dim"))
    nothing = not (report.added or report.changed or report.unchanged or report.deleted)
    if nothing and not (report.failed or report.unlisted or report.not_deleted_uris):
        from upheld.ingest.read import SUFFIXES

        known = ", ".join(sorted(suffix.removeprefix(".") for suffix in SUFFIXES))
        show.out.print(Text("There is no file here that can be read.", style="yellow"))
        show.out.print(Text(f"    What can be: {known}.", style="dim"))
    if report.hidden:
        _show_hidden(report.hidden)
    for failure in report.failed:
        _show_failure("not read: ", failure)
    for failure in report.unlisted:
        show.out.print(
            Text.assemble(
                ("not listed: ", "yellow"), f"{on_one_line(failure.path)} {failure.reason}"
            )
        )
    for line in _names("deleted: ", report.deleted_uris):
        show.out.print(line)
    if report.not_deleted_uris:
        _show_not_deleted(report)
        show.err.print(Text(_way_on(report), style="dim"))


def _show_hidden(hidden: tuple[HiddenText, ...]) -> None:
    characters = sum(each.characters for each in hidden)
    files = "1 file" if len(hidden) == 1 else f"{len(hidden)} files"
    what = f"left out, because hidden from readers: {characters:,} characters in {files}"
    show.out.print(Text(what, style="dim"))
    most = sorted(hidden, key=lambda each: -each.characters)
    for each in most[:_HIDING]:
        show.out.print(Text(f"    {each.characters:,}  {on_one_line(each.path)}", style="dim"))
    if len(most) > _HIDING:
        show.out.print(Text(f"    {len(most) - _HIDING} more; --json names all", style="dim"))


def _show_failure(what: str, failure: Failure) -> None:
    reason, *help = failure.reason.split("\n")
    show.out.print(
        Text.assemble((what, "yellow"), reason, (f"  {on_one_line(failure.path)}", "dim"))
    )
    for line in help:
        show.out.print(Text(f"    {line}", style="dim"))


def _show_not_deleted(report: AddReport) -> None:
    """On standard error: it is why the exit code is 1."""
    some = _documents(report.not_deleted_uris)
    show.err.print(
        Text(
            f"Nothing was deleted, though files of {some} seem to be gone: "
            f"{report.not_deleted_because}.",
            style="yellow",
        )
    )
    for line in _names("not deleted: ", report.not_deleted_uris):
        show.err.print(line)


def _way_on(report: AddReport) -> str:
    if report.unlisted:
        return "Run it again when everything can be listed."
    return "To delete them, run it again with --prune. Otherwise: is a disk or share missing?"


def _names(what: str, uris: tuple[str, ...]) -> list[Text]:
    lines = [Text.assemble((what, "dim"), _path(uri)) for uri in uris[:_NAMED]]
    if len(uris) > _NAMED:
        lines.append(Text(f"{what}{len(uris) - _NAMED} more; --json names all", style="dim"))
    return lines


def _path(uri: str) -> str:
    return on_one_line(unquote(uri.removeprefix("file://")))


def _documents(uris: tuple[str, ...]) -> str:
    return "1 document" if len(uris) == 1 else f"{len(uris)} documents"

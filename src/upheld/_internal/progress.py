"""Progress bars for long operations; shown only if standard error is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from upheld.add_report import Progress


@contextmanager
def adding(console: Console | None = None) -> Iterator[Callable[[Progress], None] | None]:
    """Show a bar over bytes, with the current file, passages per second and remaining time.

    Yields the function to call with each `Progress`, or None without a terminal.
    """
    if console is None and not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    from upheld._internal.terminal import SafeConsole

    columns = (
        SpinnerColumn(),
        TextColumn("[bold]Indexing"),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[files]} files · {task.fields[passages]} passages ·"),
        TextColumn("{task.fields[rate]}/s ·"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[reading]}", markup=False, style="dim"),
    )
    with Bar(*columns, console=console or SafeConsole(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, files="", passages=0, rate=0, reading="")
        unchanged: int | None = None  # bytes that are skipped would falsify the remaining time

        def show(progress: Progress) -> None:
            nonlocal unchanged
            if unchanged is None:
                unchanged = progress.bytes
            seconds = bar.tasks[0].elapsed or 0.0
            passages = progress.passages + progress.passages_begun
            bar.update(
                task,
                completed=progress.bytes + progress.bytes_begun - unchanged,
                total=progress.bytes_total - unchanged,
                files=f"{progress.files}/{progress.files_total}",
                passages=passages,
                rate=round(passages / seconds) if seconds else 0,
                reading=", ".join(map(printable, progress.reading)),
            )

        yield show


def printable(text: str) -> str:
    """Replace characters that a terminal would interpret, such as escapes and line ends, by "?"."""
    return "".join(each if each.isprintable() else "?" for each in text)


@contextmanager
def counting(doing: str, what: str) -> Iterator[Callable[[int, int], None] | None]:
    """Show a bar over things that are counted, and the remaining time.

    Yields the function to call with what is done and the total, or None without a terminal.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        SpinnerColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar

    from upheld._internal.terminal import SafeConsole

    columns = (
        SpinnerColumn(),
        TextColumn(f"[bold]{doing}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(f"{what} ·"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=SafeConsole(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def verifying(what: str = "claims") -> AbstractContextManager[Callable[[int, int], None] | None]:
    """Show a bar over the claims of an answer, or over answers."""
    return counting("Checking", what)

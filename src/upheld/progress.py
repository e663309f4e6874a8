"""Progress bars for long work: drawn on a terminal, silent elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from upheld.ingest.report import Progress


@contextmanager
def adding() -> Iterator[Callable[[Progress], None] | None]:
    """A bar over files, with passages a second and the time left."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        SpinnerColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar

    columns = (
        SpinnerColumn(),
        TextColumn("[bold]Indexing"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("files · {task.fields[passages]} passages · {task.fields[rate]}/s ·"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, passages=0, rate=0)

        def show(progress: Progress) -> None:
            seconds = bar.tasks[0].elapsed or 0.0
            rate = round(progress.passages / seconds) if seconds else 0
            bar.update(
                task,
                completed=progress.files,
                total=progress.files_total,
                passages=progress.passages,
                rate=rate,
            )

        yield show


@contextmanager
def verifying() -> Iterator[Callable[[int, int], None] | None]:
    """A bar over the claims of an answer that is checked, with the time left."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        SpinnerColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar

    columns = (
        SpinnerColumn(),
        TextColumn("[bold]Checking"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("claims ·"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda decided, total: bar.update(task, completed=decided, total=total)

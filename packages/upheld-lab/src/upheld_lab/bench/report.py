"""What every bench gives back, and how it is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Any

Row = dict[str, Any]
Watch = Callable[[str, int, int], None]  # what is done, how many, of how many


@dataclass(frozen=True, slots=True)
class Report:
    """One run: `bars` are the numbers that are promised, `rows` the table they come from."""

    bench: str
    bars: dict[str, float]
    rows: tuple[Row, ...]
    manifest: dict[str, Any]


def markdown(report: Report) -> str:
    """The report as a page's tables, with model, data and machine beside the numbers."""
    facts = report.manifest
    machine = facts["machine"]
    commit, changes, _ = facts["commit"].partition("+")
    commit = commit[:12] + (" with changes" if changes else "")
    lines = ["| bar | value |", "|---|---|"]
    lines += [f"| `{name}` | {_number(value)} |" for name, value in report.bars.items()]
    for columns, rows in groupby(report.rows, key=tuple):
        lines += ["", f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]
        lines += [f"| {' | '.join(map(_number, row.values()))} |" for row in rows]
    lines += [
        "",
        f"Made by `{facts['command']}` at commit {commit} on {facts['date'][:10]}: "
        f"{machine['processor']}, {machine['cores']} cores, {machine['system']}, "
        f"Python {facts['python']}, "
        + ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
        + ".",
    ]
    return "\n".join(lines) + "\n"


def show(report: Report) -> None:
    """Tables on the terminal."""
    from rich.table import Table
    from rich.text import Text

    from upheld._internal.terminal import SafeConsole

    out = SafeConsole()
    for columns, rows in groupby(report.rows, key=tuple):  # rows of one shape make a table
        table = Table(*columns, box=None)
        for row in rows:
            table.add_row(*(Text(_number(value)) for value in row.values()))
        out.print(table)
        out.print()
    for name, value in report.bars.items():
        out.print(Text.assemble((name, "bold"), f" {_number(value)}"))


def _number(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


@contextmanager
def watching() -> Iterator[Watch]:
    """Progress bars on standard error, one for each kind of work."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskID,
        TextColumn,
        TimeRemainingColumn,
    )

    from upheld._internal.terminal import SafeConsole

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=SafeConsole(stderr=True)) as bar:

        def watch(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=total)
            bar.update(tasks[what], completed=done, total=total)

        yield watch

"""What `upheld bench report` says of a run, for machines, terminals and results pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from upheld_lab.bench.page.bar_words import TOO_FEW, verdict
from upheld_lab.bench.page.bars import Bar, bars
from upheld_lab.bench.page.columns import CHAIN, COLUMNS
from upheld_lab.bench.page.judged import Judging
from upheld_lab.bench.page.paired import FEWEST, LEVEL, Difference, differences
from upheld_lab.bench.page.run_data import ALL, Cut
from upheld_lab.bench.page.table import Cell, Line, columns, table
from upheld_lab.bench.report import Report, Row, markdown


@dataclass(frozen=True, slots=True)
class RunReport:
    """`bars` are the promised numbers, `intervals` what stands beside them, `rows` the table.

    `verdicts` say of each bar whether it is surely better or worse, or of too few questions.
    """

    bench: str
    asked: int
    finished: int  # by every variant: only these count
    bars: Mapping[str, float]
    intervals: tuple[Bar, ...]
    rows: tuple[Line, ...]
    differences: tuple[Difference, ...]
    manifest: Mapping[str, Any]
    judging: Judging | None = None
    verdicts: Mapping[str, str] = field(default_factory=dict)


def run_report(cut: Cut) -> RunReport:
    """All figures of a run."""
    found = bars(cut)
    return RunReport(
        f"run of {cut.manifest.get('suite', 'a suite')}",
        cut.asked,
        len(cut.questions),
        {bar.name: bar.value for bar in found},
        found,
        table(cut),
        differences(cut),
        cut.manifest,
        cut.judging,
        {bar.name: verdict(bar) for bar in found},
    )


def in_brief(report: RunReport) -> Report:
    """For a terminal: the bars, and all sets together without intervals."""
    found = {(each.score, each.variant): each for each in report.differences if each.set == ALL}
    lines = [line for line in report.rows if line.set == ALL]
    bars = ({"bar": bar.name, "value": bar.value, "95 %": between(bar.low, bar.high), "n": bar.n,
             "verdict": report.verdicts[bar.name]}
            for bar in report.intervals)  # fmt: skip
    figures = (
        {f"all (n = {report.finished})": column.label}
        | {
            line.variant: f"{figure(cell.value)}{sign(found.get((column.name, line.variant)))}"
            if (cell := line.cells.get(column.name))
            else ""
            for line in lines
        }
        for column in columns(lines, report.judging)
    )
    rows: tuple[Row, ...] = (*bars, *figures, *chain_rows(report))
    return Report(report.bench, {}, rows, dict(report.manifest))


def as_markdown(report: RunReport) -> str:
    """For a results page: the bars, then a table a set, variants side by side with intervals."""
    rows = [_bar_row(bar, report.verdicts[bar.name]) for bar in report.intervals]
    for name in dict.fromkeys(line.set for line in report.rows):
        rows += _set_rows(report, name)
    rows += chain_rows(report)
    tables = markdown(Report(report.bench, {}, tuple(rows), dict(report.manifest)))
    return tables.removeprefix("| bar | value |\n|---|---|\n\n") + f"\n{told(report)}\n"


def chain_rows(report: RunReport) -> list[Row]:
    """CoV-RAG's figures of its own chain, all sets together: a row a variant that has them."""
    chain = [column for column in COLUMNS if column.group == CHAIN]
    return [
        {CHAIN.lower(): line.variant}
        | {column.label: _counted(line.cells.get(column.name)) for column in chain}
        for line in report.rows
        if line.set == ALL and any(column.name in line.cells for column in chain)
    ]


def told(report: RunReport) -> str:
    """How to read the figures."""
    base = report.differences[0].against if report.differences else None
    marks = (
        f" ▲ and ▼: surely above or below {base} (paired permutation test, p < {LEVEL:g} after "
        f"Holm's correction); with fewer than {FEWEST} questions compared: {TOO_FEW}."
    )
    judged = f" {report.judging.told(report.finished)}" if report.judging else ""
    return (
        f"{report.finished} of {report.asked} questions were finished by every variant; only these "
        "count. In brackets: 95 % bootstrap intervals over questions; means are taken over the "
        f"questions of a set, then over sets.{marks if base else ''}{judged}"
    )


def sign(found: Difference | None) -> str:
    """An arrow where a figure surely differs from what it is compared with, or "too few"."""
    if found is None or not (found.sure or found.too_few):
        return ""
    if found.too_few:
        return f" ({TOO_FEW})"
    return "▲" if found.difference > 0 else "▼"


def figure(value: float) -> str:
    """As many digits as can matter: three after the point for shares, none for thousands."""
    digits = next((left for left, above in ((3, 1), (2, 10), (1, 1000)) if abs(value) < above), 0)
    return f"{value:.{digits}f}"


def between(low: float | None, high: float | None) -> str:
    """An interval; an open end is one that nobody can tell."""
    ends = ("…" if end is None else figure(end) for end in (low, high))
    return f"[{', '.join(ends)}]"


def _bar_row(bar: Bar, says: str) -> Row:
    return {
        "bar": bar.name,
        "value": bar.value,
        "95 %": between(bar.low, bar.high),
        "90 %": between(bar.low_90, bar.high_90),
        "n": bar.n,
        "of": f"{bar.ours} {figure(bar.our_figure)}, {bar.theirs} {figure(bar.their_figure)}",
        "verdict": says,
    }


def _set_rows(report: RunReport, name: str) -> Iterator[Row]:
    lines = [line for line in report.rows if line.set == name]
    found = {(each.score, each.variant): each for each in report.differences if each.set == name}
    for column in columns(lines, report.judging):
        cells = {
            line.variant: _told(line.cells.get(column.name), found.get((column.name, line.variant)))
            for line in lines
        }
        yield {f"{name} (n = {lines[0].n})": column.label, **cells}


def _told(cell: Cell | None, against: Difference | None) -> str:
    if cell is None:
        return ""
    return f"{figure(cell.value)} {between(cell.low, cell.high)}{sign(against)}"


def _counted(cell: Cell | None) -> str:
    """With the number of questions: not every one can be judged by gold."""
    return f"{_told(cell, None)}, n = {cell.n}" if cell else ""

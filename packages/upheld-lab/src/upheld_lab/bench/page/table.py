"""The table: a line for every set and variant, each figure with its 95 % interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from upheld_lab.bench.metrics import Interval
from upheld_lab.bench.page.abstention import abstention_interval, silences
from upheld_lab.bench.page.columns import CHAIN, COLUMNS, Column, Kind
from upheld_lab.bench.page.intervals import mean_interval, median_interval
from upheld_lab.bench.page.judged import Judging, by_judge
from upheld_lab.bench.page.run_data import ALL, Cut, count, strata


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure, its 95 % interval, and the number of questions it is about."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Line:
    """A variant on a set; a figure that does not apply there is left out."""

    set: str
    variant: str
    n: int
    cells: Mapping[str, Cell]


def table(cut: Cut) -> tuple[Line, ...]:
    """All sets together first, then each; a single set stands once."""
    sets = (ALL, *cut.sets) if len(cut.sets) > 1 else (ALL,)
    return tuple(_line(cut, name, variant) for name in sets for variant in cut.variants)


def columns(lines: Sequence[Line], judging: Judging | None = None) -> tuple[Column, ...]:
    """Those that some line has, but for the chain's, which have a table of their own."""
    return tuple(
        by_judge(each, judging)
        for each in COLUMNS
        if each.group != CHAIN and any(each.name in line.cells for line in lines)
    )


def _line(cut: Cut, name: str, variant: str) -> Line:
    cells = {column.name: _cell(cut, name, variant, column) for column in COLUMNS}
    told = {key: cell for key, cell in cells.items() if cell is not None}
    return Line(name, variant, len(cut.of(name)), told)


def _cell(cut: Cut, name: str, variant: str, column: Column) -> Cell | None:
    if column.kind is Kind.ABSTENTION:
        values = silences(cut, cut.of(name), variant)
    else:
        score = column.name
        values = strata(cut.of(name), [lambda asked: cut.score(asked, variant, score)])
    if not values:
        return None
    found: Interval
    match column.kind:
        case Kind.MEAN:
            found = mean_interval(values)
        case Kind.MEDIAN:
            found = median_interval(values)
        case Kind.ABSTENTION:
            found = abstention_interval(values, column.name)
    return Cell(found.mean, found.low, found.high, count(values))

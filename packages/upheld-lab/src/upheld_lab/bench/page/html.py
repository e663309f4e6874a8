"""One page that needs nothing but itself: table, plots, and a browser of every answer."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from upheld._internal.to_json import to_json
from upheld.errors import MissingExtraError
from upheld_lab.bench.page import bar_words, run_report
from upheld_lab.bench.page.browse import browser
from upheld_lab.bench.page.columns import COLUMNS, Better, Column
from upheld_lab.bench.page.coverage_plot import coverage_plot
from upheld_lab.bench.page.depends import facts, flat
from upheld_lab.bench.page.drawing import COLOURS
from upheld_lab.bench.page.judged import by_judge
from upheld_lab.bench.page.paired import FEWEST, Difference
from upheld_lab.bench.page.quality_plots import quality_plots
from upheld_lab.bench.page.run_data import ALL, Cut
from upheld_lab.bench.page.run_report import RunReport
from upheld_lab.bench.page.stage_plot import stage_plot
from upheld_lab.bench.page.stage_times import stage_seconds
from upheld_lab.bench.page.table import Cell, columns

_FILES = resources.files("upheld_lab.bench.page") / "templates"


@dataclass(frozen=True, slots=True)
class TableRow:
    """One figure of all variants, drawn on one scale."""

    column: Column
    cells: tuple[Cell | None, ...]
    against: tuple[Difference | None, ...]

    @property
    def signs(self) -> tuple[str, ...]:
        """An arrow where a difference is sure."""
        return tuple(run_report.sign(each) for each in self.against)

    @property
    def good(self) -> tuple[str, ...]:
        """Whether it is for the better."""
        better = {Better.HIGHER: "▲", Better.LOWER: "▼"}.get(self.column.better)
        return tuple(
            "" if not (each and each.sure and better) else "good" if sign == better else "bad"
            for sign, each in zip(self.signs, self.against, strict=True)
        )

    def place(self, value: float) -> str:
        """Where a value lies between the least and the largest of the row."""
        ends = [end for cell in self.cells if cell for end in (cell.low, cell.high)]
        low, high = min(ends), max(ends)
        return f"{100 * (value - low) / (high - low) if high > low else 50:.1f}%"


@dataclass(frozen=True, slots=True)
class SetTable:
    """The table of one set, in groups of figures."""

    name: str
    n: int
    groups: Mapping[str, tuple[TableRow, ...]]
    differences: tuple[Difference, ...]


def page(cut: Cut, report: RunReport, *, texts: bool = True) -> str:
    """The page as text; whatever a source, a question or a model wrote stays text in it.

    Without `texts`, none of that is in it: figures can be published of data that may not be.
    """
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
    except ImportError as missing:
        raise MissingExtraError("The report page", "bench") from missing
    script = _read("page.js")
    pages = Environment(loader=FunctionLoader(_read), autoescape=True, undefined=StrictUndefined)
    together = [line for line in report.rows if line.set == ALL]
    pictures = [
        *quality_plots(together),
        coverage_plot(cut),
        stage_plot(stage_seconds(cut), cut.variants),
    ]
    return pages.get_template("page.html").render(
        report=report,
        variants=cut.variants,
        colours=len(COLOURS),
        fewest=FEWEST,
        told=run_report.told(report),
        facts=list(facts(cut.manifest)),
        settings=list(flat(cut.manifest)),
        bars=[
            (bar, bar_words.WORDS[bar.name], report.verdicts[bar.name]) for bar in report.intervals
        ],
        tables=set_tables(report),
        pictures=[each for each in pictures if each is not None],
        browser=to_json(browser(cut)) if texts else None,
        chain=run_report.chain_rows(report),
        names={each.name: by_judge(each, report.judging) for each in COLUMNS},
        figure=run_report.figure,
        between=run_report.between,
        style=_read("page.css"),
        script=script,
        script_hash=_hash(script),
    )


def set_tables(report: RunReport) -> list[SetTable]:
    """All sets together first."""
    names = dict.fromkeys(line.set for line in report.rows)
    return [_set_table(report, name) for name in names]


def _set_table(report: RunReport, name: str) -> SetTable:
    lines = [line for line in report.rows if line.set == name]
    differences = tuple(each for each in report.differences if each.set == name)
    found = {(each.score, each.variant): each for each in differences}
    groups: dict[str, tuple[TableRow, ...]] = {}
    for column in columns(lines, report.judging):
        row = TableRow(
            column,
            tuple(line.cells.get(column.name) for line in lines),
            tuple(found.get((column.name, line.variant)) for line in lines),
        )
        groups[column.group] = (*groups.get(column.group, ()), row)
    return SetTable(name, lines[0].n, groups, differences)


def _read(name: str) -> str:
    return (_FILES / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """What the page's policy lets run: this script, and no other."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()

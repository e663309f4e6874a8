"""Quality against cost and against time: a labelled point a variant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from upheld_lab.bench.page.columns import BY_NAME
from upheld_lab.bench.page.drawing import PAPER, Picture, colour, draw, mark
from upheld_lab.bench.page.labels import Box, placed
from upheld_lab.bench.page.table import Cell, Line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# What stands for quality: what people marked first, then what a model judged.
QUALITIES = ("correct", "gold_f1", "str_em", "claim_recall", "yes_right", "strict_recall",
             "strict_recall_by_verifier")  # fmt: skip
COSTS = ("cost", "completion_tokens", "completions")
WIDE = 20.0  # from such a spread on, a scale of powers of ten shows more


def quality_plots(lines: Sequence[Line]) -> tuple[Picture, ...]:
    """The two leading qualities of the run, each against its cost and its time."""
    qualities = [each for each in QUALITIES if any(each in line.cells for line in lines)][:2]
    costs = [each for each in COSTS if any(_value(line, each) > 0 for line in lines)]
    cost = costs[0] if costs else "completions"
    return tuple(
        _against(lines, quality, price) for price in (cost, "seconds") for quality in qualities
    )


def _against(lines: Sequence[Line], quality: str, price: str) -> Picture:
    y, x = BY_NAME[quality], BY_NAME[price]
    return draw(
        f"{quality}-{price}",
        f"{y.label[0].upper()}{y.label[1:]} against {x.label}",
        "Up is better, left is cheaper. Bars are 95 % intervals."
        + ("" if any(_value(line, price) for line in lines) else " Nothing of it was used here."),
        lambda figure, axes: _paint_points(figure, axes, lines, quality, price),
    )


def _paint_points(
    figure: Figure, axes: Axes, lines: Sequence[Line], quality: str, price: str
) -> None:
    shown = [
        (place, line, line.cells[price], line.cells[quality])
        for place, line in enumerate(lines)
        if price in line.cells and quality in line.cells
    ]
    for place, _, x, y in shown:
        axes.errorbar(
            [x.value], [y.value], xerr=_reach(x), yerr=_reach(y), fmt=mark(place), markersize=8,
            color=colour(place), markeredgecolor=PAPER, markeredgewidth=1.2, elinewidth=1.3,
        )  # fmt: skip
    axes.set_xlabel(f"{BY_NAME[price].label} a question")
    axes.set_ylabel(BY_NAME[quality].label)
    axes.margins(0.12)
    values, least = [x.value for _, _, x, _ in shown], [x.low for _, _, x, _ in shown]
    if not any(values):  # no method called a language model
        axes.set_xlim(-0.5, 1)
        axes.set_xticks([0, 1])
    elif min(least) > 0 and max(values) / min(values) > WIDE:
        axes.set_xscale("log")
    figure.draw_without_rendering()  # lays out, so that places on the paper are known
    points, bars = [], []
    for _, _, x, y in shown:
        (left, bottom), (at_x, at_y), (right, top) = axes.transData.transform(
            [(x.low, y.low), (x.value, y.value), (x.high, y.high)]
        )
        points.append((at_x, at_y))
        bars += [Box(left, at_y - 1, right, at_y + 1), Box(at_x - 1, bottom, at_x + 1, top)]
    names = [line.variant for _, line, _, _ in shown]
    boxes = placed(points, names, Box(*axes.get_window_extent().extents), bars)
    for (place, *_), name, box in zip(shown, names, boxes, strict=True):
        x, y = axes.transData.inverted().transform((box.left, (box.bottom + box.top) / 2))
        text = axes.text(x, y, name, color=colour(place), va="center", fontweight="bold")
        text.set_in_layout(False)


def _value(line: Line, name: str) -> float:
    return line.cells[name].value if name in line.cells else 0.0


def _reach(cell: Cell) -> list[list[float]]:
    """How far the interval goes to either side, as error bars take it."""
    return [[max(0.0, cell.value - cell.low)], [max(0.0, cell.high - cell.value)]]

"""Confidently wrong, the more is shown: one curve a variant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from upheld_lab.bench.page.drawing import PAPER, Picture, colour, draw, mark
from upheld_lab.bench.page.run_data import Cut
from upheld_lab.bench.scores.wrong import Row, coverage, curve, row_of, wrong_rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def coverage_plot(cut: Cut) -> Picture | None:
    """How often each variant is confidently wrong, the more it shows; None without gold."""
    rows = {variant: _wrong_rows(cut, variant) for variant in cut.variants}
    if not any(rows.values()):
        return None
    return draw(
        "coverage",
        "Confidently wrong against coverage",
        "Lower is better: from the surest answer alone to all of them. The mark is where the "
        "method works: what it shows without a warning.",
        lambda _, axes: _paint_curves(axes, rows),
        wide=True,
    )


def _wrong_rows(cut: Cut, variant: str) -> tuple[Row, ...]:
    """Answers to the questions of which someone knows what is right."""
    rows = (row_of(cut.scores[asked.id, variant]) for asked in cut.questions)
    return tuple(row for row in rows if row is not None)


def _paint_curves(axes: Axes, rows: Mapping[str, Sequence[Row]]) -> None:
    for place, (variant, each) in enumerate(rows.items()):
        points = curve(each)
        axes.plot(
            [point.coverage for point in points], [point.rate for point in points],
            color=colour(place), linewidth=1.8, alpha=0.9,
        )  # fmt: skip
        axes.plot(
            [coverage(each)], [wrong_rate(each)], mark(place), markersize=9, color=colour(place),
            markeredgecolor=PAPER, markeredgewidth=1.2, label=variant,
        )  # fmt: skip
    axes.set_xlabel("coverage: share of questions with something shown")
    axes.set_ylabel("confidently wrong, of all questions")
    axes.set_xlim(0, 1.02)
    axes.set_ylim(bottom=0)
    axes.legend(loc="upper left")

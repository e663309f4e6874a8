"""Where the time went: a bar a variant, cut into its stages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from upheld_lab.bench.page.drawing import INK, PAPER, QUIET, Picture, colour, draw

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STAGES = 7  # so many have a colour; the rest are one
LEAST = 0.001  # of the longest bar: what is less is not drawn


def stage_plot(spent: Mapping[str, Mapping[str, float]], variants: Sequence[str]) -> Picture:
    """A bar for every variant, its stages side by side."""
    return draw(
        "stages",
        "Seconds a question, by stage",
        "Each stage's own work; steps that run side by side count in full each.",
        lambda figure, axes: _paint_stages(figure, axes, segments(spent, variants), variants),
        high=1.5 + 0.38 * len(variants),
        wide=True,
    )


def segments(
    spent: Mapping[str, Mapping[str, float]], variants: Sequence[str]
) -> dict[str, list[float]]:
    """By stage a number a variant: the leading stages, and all others as one."""
    rows = [spent.get(variant, {}) for variant in variants]
    total: defaultdict[str, float] = defaultdict(float)
    for row in rows:
        for stage, seconds in row.items():
            total[stage] += seconds
    ranked = sorted(total, key=lambda stage: (-total[stage], stage))
    found = {stage: [row.get(stage, 0.0) for row in rows] for stage in ranked[:STAGES]}
    rest = [sum(row.get(stage, 0.0) for stage in ranked[STAGES:]) for row in rows]
    return found | ({"other": rest} if any(rest) else {})


def _paint_stages(
    figure: Figure, axes: Axes, parts: Mapping[str, Sequence[float]], variants: Sequence[str]
) -> None:
    rows = range(len(variants))
    longest = max(map(sum, zip(*parts.values(), strict=True)), default=0.0)
    ends = [0.0 for _ in rows]
    for place, (stage, wide) in enumerate(parts.items()):
        if max(wide) > LEAST * longest:
            axes.barh(
                rows, wide, left=ends, height=0.62, label=stage, color=colour(place),
                edgecolor=PAPER, linewidth=1,
            )  # fmt: skip
        ends = [end + more for end, more in zip(ends, wide, strict=True)]
    for row, end in zip(rows, ends, strict=True):
        axes.annotate(
            f"{end:.3g} s", (end, row), xytext=(4, 0), textcoords="offset points",
            va="center", color=QUIET,
        )  # fmt: skip
    axes.set_xlabel("seconds a question")
    axes.set_xlim(0, 1.08 * longest or 1)
    axes.set_yticks(rows, variants)
    axes.set_ylim(len(variants) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    if longest:
        figure.legend(loc="outside lower center", ncols=STAGES + 1)

"""Figures as SVG that stands inside a page and takes its colours, light or dark, from it."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from upheld.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The page has a variable for each of these; what stands here is its value on light paper.
# Colours after Okabe and Ito: told apart with any colour vision. Marks differ too.
INK, QUIET, RULE, PAPER = "#1d2129", "#5b6470", "#dde1e7", "#fdfdfd"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b5679b", "#c98a00", "#3b9fd6", "#8a5a2b", "#77706a")
MARKS = ("o", "s", "^", "D", "v", "P", "X", "p")
_VARIABLES = {
    INK: "var(--ink)",
    QUIET: "var(--quiet)",
    RULE: "var(--rule)",
    PAPER: "var(--paper)",
    **{colour: f"var(--c{number})" for number, colour in enumerate(COLOURS)},
}
_STYLE: dict[Any, Any] = {  # the type of its keys is private to matplotlib
    "svg.fonttype": "none",  # text stays text: it can be found, read aloud and copied
    "text.parse_math": False,  # a name with dollar signs is a name
    "figure.dpi": 72,
    "font.size": 11,
    "text.color": INK,
    "axes.edgecolor": QUIET,
    "axes.facecolor": "none",
    "axes.labelcolor": QUIET,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": RULE,
    "grid.linewidth": 0.8,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "legend.frameon": False,
}


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure of the page: what it shows in words, and its drawing."""

    id: str
    title: str
    says: str
    svg: str
    wide: bool = False  # takes the page's whole width


def draw(
    id: str,
    title: str,
    says: str,
    paint: Callable[[Figure, Axes], None],
    *,
    high: float = 3.9,
    wide: bool = False,
) -> Picture:
    """A figure with one pair of axes, painted by the caller."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise MissingExtraError("The report page", "bench") from missing
    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": id}):
        figure = Figure(figsize=(11.4 if wide else 5.6, high), layout="constrained")
        paint(figure, figure.subplots())
        written = io.StringIO()
        figure.savefig(written, format="svg", transparent=True, metadata={"Date": None})
    return Picture(id, title, says, _inline(written.getvalue(), id, f"{title}. {says}"), wide)


def colour(place: int) -> str:
    """Of the variant at a place; after the last colour the first comes again, with a new mark."""
    return COLOURS[place % len(COLOURS)]


def mark(place: int) -> str:
    """The marker of the variant at a place."""
    return MARKS[(place + place // len(COLOURS)) % len(MARKS)]


def _inline(svg: str, id: str, told: str) -> str:
    """Without prologue and fixed size, with names of its own, in colours of the page."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{id}-", svg)
    for fixed, variable in _VARIABLES.items():
        svg = svg.replace(fixed, variable)
    head = svg[: svg.index(">")]
    free = re.sub(r' (width|height)="[^"]*"', "", head)
    return f'{free} role="img" aria-label="{escape(told)}"' + svg[len(head) :]

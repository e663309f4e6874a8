"""Names beside points, placed so that none covers another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LETTER, LINE, POINT = (
    6.2,
    13.0,
    5.0,
)  # of print at the plots' size: a letter's width, a line, a mark


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on the paper, in points of print."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def area(self) -> float:
        return max(0.0, self.right - self.left) * max(0.0, self.top - self.bottom)

    def shared(self, other: Box) -> float:
        """How much of the paper both cover."""
        return Box(
            max(self.left, other.left),
            max(self.bottom, other.bottom),
            min(self.right, other.right),
            min(self.top, other.top),
        ).area


def placed(
    points: Sequence[tuple[float, float]],
    names: Sequence[str],
    paper: Box,
    lines: Sequence[Box] = (),
) -> list[Box]:
    """A box for each name: beside its point if that is free, else a little above or below."""
    marks = [Box(x - POINT, y - POINT, x + POINT, y + POINT) for x, y in points]
    boxes: list[Box] = []
    for (x, y), name in zip(points, names, strict=True):
        wide = LETTER * len(name)
        choices = [
            Box(left, y + up - LINE / 2, left + wide, y + up + LINE / 2)
            for far in range(5)
            for up in (far * LINE, -far * LINE)
            for left in (x + 9, x - 9 - wide)
        ]
        taken = (*marks, *lines, *boxes)
        boxes.append(min(choices, key=lambda box: _cost(box, y, taken, paper)))
    return boxes


def _cost(box: Box, y: float, taken: Sequence[Box], paper: Box) -> float:
    """What it covers of others, what of it leaves the paper, and how far off it stands."""
    far = abs((box.bottom + box.top) / 2 - y)
    return sum(box.shared(other) for other in taken) + box.area - box.shared(paper) + far

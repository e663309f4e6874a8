"""Names beside points do not cover each other."""

from __future__ import annotations

from itertools import combinations

from upheld_lab.bench.page.labels import Box, placed

PAPER = Box(0, 0, 400, 300)


def test_a_name_stands_beside_its_point() -> None:
    (box,) = placed([(100.0, 100.0)], ["rag"], PAPER)
    assert box.left > 100
    assert box.bottom < 100 < box.top


def test_names_of_points_in_one_place_are_spread() -> None:
    names = ["rag", "crag", "cov_rag", "a2r", "upheld"]
    boxes = placed([(200.0, 150.0)] * 5, names, PAPER)
    assert all(one.shared(other) == 0 for one, other in combinations(boxes, 2))


def test_a_name_stays_on_the_paper() -> None:
    (box,) = placed([(390.0, 150.0)], ["fave:sessions=2"], PAPER)
    assert box.shared(PAPER) == box.area

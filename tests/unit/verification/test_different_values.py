"""Two sentences give different values for the same thing, or they do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from upheld.verification.different_values import Difference, different_values

CONFLICTS = Path(__file__).parents[2] / "data" / "conflicts.jsonl"


def test_what_is_reported_as_a_conflict_is_one() -> None:
    """A hundred pairs of sentences, half of them conflicts; one half was never looked at."""
    pairs = [json.loads(line) for line in CONFLICTS.read_text(encoding="utf-8").splitlines()]
    assert len(pairs) == 100
    for half in ("dev", "test"):
        some = [each for each in pairs if each["half"] == half]
        reported = [each for each in some if different_values(each["one"], each["other"])]
        right = sum(each["conflict"] for each in reported)
        assert right / len(reported) >= 0.9
        assert right / sum(each["conflict"] for each in some) >= 0.5


@pytest.mark.parametrize(
    ("one", "other", "difference"),
    [
        ("The tower opens at 9.", "The tower opens at 10.", Difference.QUANTITY),
        ("The fair is on 3 May.", "The fair is on 4 June.", Difference.QUANTITY),
        ("It opens on 3 May.", "It opens on 4 June.", None),  # what does?
        ("Ada Lind designed the tower.", "Paul Roth designed the tower.", Difference.NAME),
        ("Dogs may enter the tower.", "Dogs may not enter the tower.", Difference.DENIAL),
        (
            "Dogs are allowed.",
            "Dogs are not allowed, because there is glass on the floor.",
            Difference.DENIAL,
        ),
        ("It opened in 1882.", "It opened in 1881 on Park Road.", None),
        ("The inn opened in 1882.", "The inn opened in 1881 on Park Road.", Difference.QUANTITY),
        ("The inn has 80 rooms.", "30 rooms of the inn have a balcony.", None),
        ("The tower is 3 km away.", "The tower is 3,000 m away.", None),
        ("The tower opens at 9.", "The old tower opens at 10.", None),
        ("In 2019 the fee was 5 euros.", "In 2020 the fee was 6 euros.", None),
        ("The tower has about 90 steps.", "The tower has 93 steps.", None),
        ("Ada Lind designed the tower.", "Ada Lind and Paul Roth designed the tower.", None),
        ("", "", None),
    ],
)
def test_one_place_differs(one: str, other: str, difference: Difference | None) -> None:
    assert different_values(one, other) == different_values(other, one) == difference

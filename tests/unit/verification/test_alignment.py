"""Alignment: what is wrong in a claim shows in the number that is about it, and in no other."""

from __future__ import annotations

import pytest

from upheld.types import Passage, content_hash
from upheld.verification.alignment import Alignment, align
from upheld.verification.source import Source


def source(text: str) -> Source:
    return Source(Passage("p", text, "d", content_hash(text), 0, len(text)))


@pytest.mark.parametrize(
    ("text", "true", "false", "number"),
    [
        (
            "Exports can be fetched for 48 hours.",
            "An export can be fetched for 48 hours.",
            "An export can be fetched for 48 days.",
            "unit_conflict",
        ),
        (
            "Canoes cost 14 pounds an hour or 45 pounds a day.",
            "A canoe costs 45 pounds a day.",
            "A canoe costs 54 pounds a day.",
            "quantity_absent",
        ),
        (
            "The distance to the audience is 8 metres, to performers 3.",
            "The audience is kept at 8 metres and performers at 3.",
            "The audience is kept at 3 metres and performers at 8.",
            "quantity_conflict",
        ),
        (
            "| month | adults | children |\n|---|---|---|\n| May | 41 | 72 |\n| June | 55 | 91 |",
            "In June 91 children came.",
            "In June 55 children came.",
            "quantity_conflict",
        ),
        (
            "Trout may be kept if they are longer than 25 cm.",
            "A trout of 28 cm may be kept.",
            "A trout of 22 cm may be kept.",
            "bound_conflict",
        ),
        (
            "Members pay at most 30 pounds.",
            "Members pay no more than 30 pounds.",
            "Members pay no less than 30 pounds.",
            "bound_conflict",
        ),
        (
            "Cool down outdoors before you enter the plunge pool.",
            "Guests enter the plunge pool after they cool down outdoors.",
            "Guests cool down outdoors after they enter the plunge pool.",
            "order_conflict",
        ),
        (
            "Some houses still have pipes of lead.",
            "Some houses have pipes of lead.",
            "All houses have pipes of lead.",
            "reach_conflict",
        ),
        (
            "Patients may bring a friend.",
            "Patients can bring a friend.",
            "Patients must bring a friend.",
            "reach_conflict",
        ),
    ],
)
def test_a_wrong_claim_has_the_higher_number(text: str, true: str, false: str, number: str) -> None:
    right, wrong = align(true, [source(text)]), align(false, [source(text)])
    assert getattr(wrong, number) > getattr(right, number)


def test_a_sum_is_not_absent() -> None:
    text = "Staff have 26 days of leave. Drivers have 2 extra days."
    assert align("Drivers have 28 days of leave.", [source(text)]).quantity_absent == 0
    assert align("Drivers have 31 days of leave.", [source(text)]).quantity_absent == 1


def test_nothing_speaks_against_a_claim_without_a_source() -> None:
    assert align("Dogs bark.", []) == Alignment()


def test_a_long_source_is_searched_for_the_sentences_that_matter() -> None:
    text = " ".join(f"Room {n} has a view of the lake." for n in range(100, 160))
    found = align("The boat takes 48 days.", [source(text + " The boat takes 48 hours.")])
    assert found.unit_conflict == 1

"""Statements: terms, markers, and which event comes first."""

from __future__ import annotations

import pytest

from upheld.text.statements import Marker, statement


@pytest.mark.parametrize(
    ("text", "marker"),
    [
        ("All windows", Marker.ALL),
        ("Most windows", Marker.MOST),
        ("Some windows", Marker.SOME),
        ("They have to pay", Marker.MUST),
        ("They may pay", Marker.MAY),
        ("They pay unless it rains", Marker.CONDITION),
        ("They pay whether or not it rains", Marker.REGARDLESS),
    ],
)
def test_markers(text: str, marker: Marker) -> None:
    assert statement(text).markers & marker


def test_the_order_of_events_does_not_depend_on_the_wording() -> None:
    one = statement("Brake the arm before the power is cut.").order
    other = statement("The power is cut after braking the arm.").order
    opening = statement("Before the power is cut, brake the arm.").order
    assert one is not None
    assert one == other == opening
    assert statement("The arm is braked.").order is None


def test_words_of_a_quantity_are_no_terms() -> None:
    assert [term.name for term in statement("It lasts 48 hours.").terms] == ["last"]

"""Quantities: the same value in other words is equal, another unit or bound is not."""

from __future__ import annotations

import pytest

from upheld.text.quantities import Bound, Quantity, computed, quantities
from upheld.text.tokens import tokens


def read(text: str) -> list[Quantity]:
    return quantities(tokens(text))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("half an hour", "30 minutes"),
        ("a fortnight", "two weeks"),
        ("2,340 visitors", "2340 visitors"),
        ("twenty-five people", "25 people"),
        ("half a year", "six months"),
        ("50mm", "5 cm"),
        ("2000mW", "2 watts"),
        ("£8", "8 pounds"),
        ("three quarters", "75 percent"),
        ("2.5 million", "2,500,000"),
        ("at 12:00", "at noon"),
        ("on 1 May", "the first of May"),
        ("per cent: 8 per cent", "8 %"),
    ],
)
def test_equal_quantities(one: str, other: str) -> None:
    assert read(one)[-1].equals(read(other)[-1]) or read(one)[0].equals(read(other)[0])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("48 hours", "48 days"),
        ("8 pounds", "8 euros"),
        ("20 kilograms", "20 litres"),
        ("28 August", "16 September"),
        ("on Tuesday", "on Thursday"),
        ("7:25", "7:15"),
        ("5 MW", "5 mW"),
        ("5MW", "5mW"),
        ("a tenth of the price", "a fifth of the price"),
    ],
)
def test_different_quantities_can_answer_the_same_question_or_not(one: str, other: str) -> None:
    assert not read(one)[0].equals(read(other)[0])


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("at least ten people", Bound.LEAST),
        ("ten or more", Bound.LEAST),
        ("no fewer than 31 days", Bound.LEAST),
        ("no more than 31 days", Bound.MOST),
        ("31 days at most", Bound.MOST),
        ("up to 5 days", Bound.MOST),
        ("It cannot go above 82 cents", Bound.MOST),
        ("under 50 kilograms", Bound.MOST),
        ("exactly 5 days", Bound.NONE),
    ],
)
def test_bounds(text: str, bound: Bound) -> None:
    assert read(text)[0].bound is bound


def test_a_bound_allows_values_on_its_side() -> None:
    [least], [more], [fewer] = read("longer than 25 cm"), read("28 cm"), read("22 cm")
    assert least.allows(more) is True
    assert least.allows(fewer) is False
    assert more.allows(least) is None


def test_a_number_without_a_unit_equals_the_bare_number() -> None:
    [with_unit], [without] = read("3 metres"), read("performers 3")
    assert with_unit.equals(without)


def test_words_that_only_look_like_numbers_bind_no_claim() -> None:
    assert not any(each.binding for each in read("One may come first, a day later."))


def test_what_two_values_come_to() -> None:
    assert computed(28.0, [26.0, 2.0])
    assert computed(18.0, [81.0, 63.0])
    assert computed(10.0, [23750.0, 2375.0])  # percent
    assert not computed(31.0, [26.0, 2.0])

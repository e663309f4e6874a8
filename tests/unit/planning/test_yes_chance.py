from __future__ import annotations

from math import log

import pytest

from upheld.planning.select import yes_probabilities
from upheld.ports import Token


def token(text: str, **probabilities: float) -> Token:
    others = tuple((word, log(chance)) for word, chance in probabilities.items())
    return Token(text, dict(others).get(text, log(0.5)), others)


def test_yes_is_weighed_against_no() -> None:
    assert yes_probabilities([token("yes", yes=0.6, no=0.2)]) == pytest.approx([0.75])
    assert yes_probabilities([token("no", yes=0.2, no=0.6)]) == pytest.approx([0.25])


def test_words_count_however_they_are_written_and_others_do_not() -> None:
    mixed = token("yes", yes=0.3, Yes=0.3, NO=0.1, n=0.1, none=0.1, maybe=0.1)
    assert yes_probabilities([mixed]) == pytest.approx([0.75])


@pytest.mark.parametrize("text", ["yes", ' "yes', "y", 'yes"', ' ["ye'])
def test_a_word_is_found_where_its_token_begins(text: str) -> None:
    assert yes_probabilities([Token("{", -0.1), Token(text, log(0.5)), Token("s", -0.1)]) == [1.0]


def test_a_token_that_is_not_among_its_alternatives_counts_too() -> None:
    assert yes_probabilities([Token("no", log(0.1), (("yes", log(0.3)),))]) == pytest.approx([0.75])


def test_one_chance_for_every_word_in_order() -> None:
    said = [Token("serves", -0.1), token("no", no=0.9, yes=0.1), Token(",", 0), token("yes", yes=1)]
    assert yes_probabilities(said) == pytest.approx([0.1, 1.0])


def test_probabilities_that_vanish_leave_the_word() -> None:
    assert yes_probabilities([Token("yes", -9999.0), Token("no", -9999.0)]) == [1.0, 0.0]


def test_no_tokens_no_chances() -> None:
    assert yes_probabilities([]) == []

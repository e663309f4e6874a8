"""Tokens: how far words are apart, and which of them are negated."""

from __future__ import annotations

import pytest

from upheld.text.tokens import tokens


def negated(text: str) -> set[str]:
    return {token.lower for token in tokens(text) if token.negated and token.is_word}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Dogs are not allowed here, cats are.", {"dogs", "are", "not", "allowed", "here"}),
        ("It is run by the city, not by a firm.", {"not", "by", "a", "firm"}),
        ("It has no key.", {"no", "key"}),
        ("Bring no more than two bags.", set()),
        ("It is never not open.", set()),
        ("Use soap rather than oil.", {"rather", "than", "oil"}),
    ],
)
def test_a_negation_reaches_its_clause_or_what_follows(text: str, words: set[str]) -> None:
    assert negated(text) == words


def test_a_comma_sets_words_apart() -> None:
    near = [token.at for token in tokens("white grapes red") if token.is_word]
    apart = [token.at for token in tokens("white grapes, red") if token.is_word]
    assert apart[2] - apart[1] > near[2] - near[1]


def test_numbers_and_identifiers_are_whole() -> None:
    told = [token.text for token in tokens("Set insured_value to 2,340.5 at 7:25.")]
    assert told == ["Set", "insured_value", "to", "2,340.5", "at", "7:25", "."]

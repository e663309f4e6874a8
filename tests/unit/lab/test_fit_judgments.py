"""`python -m upheld_lab.fits judgments`: what a checker's probability adds to P(right)."""

from __future__ import annotations

import math
import random

import pytest

from upheld.ports import Token
from upheld_lab.bench.verify.figures import auc
from upheld_lab.fits.judgments import Told, joined, p_true

BEFORE = (Token('{"correctness": 0.5, "judgment":', 0.0), Token(' "', 0.0))


def token(text: str, **others: float) -> Token:
    """A token, and the probabilities of all that could stand in its place."""
    chances = tuple((word, math.log(chance)) for word, chance in others.items())
    return Token(text, dict(chances)[text], chances)


@pytest.mark.parametrize("said", ["true", "false"])
def test_the_probability_is_that_of_true_whatever_was_said(said: str) -> None:
    tokens = (*BEFORE, token(said, true=0.6, false=0.15, un=0.05, maybe=0.2), Token('"', 0.0))
    assert p_true(tokens) == pytest.approx(0.75)


def test_other_words_that_are_judgments_do_not_count() -> None:
    early = token("true", true=1.0)
    assert p_true((early, *BEFORE, token("false", false=1.0))) == 0


def test_without_probabilities_what_was_said_counts() -> None:
    assert p_true((*BEFORE, Token("unclear", -1000.0))) == 0


def test_nothing_to_read_is_undecided() -> None:
    assert p_true((Token("{}", 0.0),)) == 0.5


def test_two_signals_tell_more_than_one() -> None:
    dice = random.Random(0)
    told = []
    for _ in range(400):
        one, other = dice.random(), dice.random()
        told.append(Told(one, other, one + other + dice.gauss(0, 0.3) > 1))
    right = [each.right for each in told]
    assert auc(joined(told), right) > auc([each.p_right for each in told], right) + 0.05

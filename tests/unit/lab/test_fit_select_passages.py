"""What tells that a passage answers: fitted on passages that do, and judged on others."""

from __future__ import annotations

import random

from upheld_lab.fits.select_passages import Found, chosen, fitted


def made(number: int) -> Found:
    """One gold passage among three, by far the best graded."""
    dice = random.Random(number)
    gold = dice.randrange(3)
    known = tuple(
        (dice.gauss(3.0 if at == gold else -3.0, 1.0), dice.random(), dice.random())
        for at in range(3)
    )
    return Found("made", known, tuple(at == gold for at in range(3)), gold=1)


def test_what_tells_has_weight_and_what_does_not_has_little() -> None:
    grade, sentence, search, _ = fitted([made(number) for number in range(100)])
    assert grade > 0.5
    assert abs(sentence) < grade
    assert abs(search) < grade


def test_only_the_likeliest_are_chosen() -> None:
    found = Found("made", ((3.0, 0.0, 0.0), (-3.0, 0.0, 0.0)), (True, False), gold=1)
    assert chosen(found, (1.0, 0.0, 0.0, 0.0), most=3) == [True]
    assert chosen(found, (0.0, 0.0, 0.0, 0.0), most=3) == [True, False]
    assert chosen(found, (0.0, 0.0, 0.0, 0.0), most=1) == [True]
    assert chosen(Found("made", (), (), gold=1), (0.0, 0.0, 0.0, 0.0), most=3) == []

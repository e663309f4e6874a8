"""`python -m upheld_lab.fits relevance`: the numbers come out that answers were made by."""

from __future__ import annotations

import random

import pytest

from upheld.types import Answer, Citation, Claim, Passage, Status, Support, Verdict
from upheld_lab.bench.verify.figures import auc
from upheld_lab.fits.relevance import Told, cross_validated, fitted, odds, signals, withheld
from upheld_lab.testing.fake_embedder import FakeEmbedder
from upheld_lab.testing.fake_grader import FakeGrader


def by_lot(count: int) -> list[Told]:
    """Right where 2 x grade + 4 x similarity of the surest claim and some noise are above 1."""
    dice = random.Random(0)
    told = []
    for _ in range(count):
        claims = tuple((dice.gauss(0, 1), dice.random()) for _ in range(2))
        right = max(2 * grade + 4 * near - 1 for grade, near in claims) + dice.gauss(0, 1) > 0
        told.append(Told(claims, right, answerable=right))
    return told


def test_both_signals_are_weighed() -> None:
    grade, similarity, shift = fitted(by_lot(2000))
    assert 1.5 < similarity / grade < 2.5
    assert shift < 0


def test_numbers_are_tried_on_answers_that_they_did_not_see() -> None:
    told = by_lot(400)
    sure, right = cross_validated(told)
    assert len(sure) == 400
    assert sorted(right) == sorted(each.right for each in told)
    assert auc(sure, right) > 0.85


def test_an_answer_is_as_sure_as_its_surest_claim() -> None:
    told = Told(((0.0, 0.9), (3.0, 0.1)), right=True, answerable=True)
    assert told.best((1.0, 0.0, 0.0)) == (3.0, 0.1)
    assert told.sureness((0.0, 1.0, -0.4)) == pytest.approx(0.5)
    assert odds((3.0, 0.1), (1.0, 10.0, 0.0)) == pytest.approx(4.0)


def test_what_withholding_costs_and_brings() -> None:
    told = [
        Told(((-3.0, 0.0),), right=False, answerable=False),
        Told(((-3.0, 0.0),), right=True, answerable=True),
        Told(((3.0, 0.0),), right=True, answerable=True),
        Told(((3.0, 0.0),), right=False, answerable=False),
    ]
    row = withheld(told, (1.0, 0.0, 0.0), 0.5)
    assert row == {
        "least": 0.5,
        "right_withheld": 0.5,
        "wrong_withheld": 0.5,
        "abstention_f1": 0.5,
    }


async def test_signals_are_those_of_the_stage() -> None:
    text = "The ferry to Wren Island takes 35 minutes."
    source = Passage("p", text, "d", "v", 0, len(text), title="Ferries")
    mark = Citation("p", "d", "v", 0, len(text), text)
    greeting = Claim("Hello!", verdict=Verdict(Support.NOT_CHECKWORTHY))
    answer = Answer(
        "a",
        "How long does the ferry to Wren Island take?",
        Status.ANSWERED,
        "upheld",
        text,
        (greeting, Claim(text, (mark,))),
        (source,),
    )
    embedder = FakeEmbedder()
    ((grade, similarity),) = await signals(answer, FakeGrader(), embedder)
    assert embedder.embedded[1] == f"Ferries\n{text}"
    assert 0 < similarity < 1
    assert grade > 0  # nearly all words of the question are there

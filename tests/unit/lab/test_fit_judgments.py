"""`python -m upheld_lab.fits judgments`: what a checker's probability adds to P(right)."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from upheld.prompts.card import JudgmentWeights, ModelCard, read_card
from upheld_lab.bench.verify.figures import auc
from upheld_lab.fits.judgments import Told, compare, joined, weights

EARLIER = JudgmentWeights(p_right=1.0, judgment=1.0, shift=0.0)


def told_by(*, knows: bool, count: int = 400) -> list[Told]:
    """Answers that are right where two signals are high; a checker that knows tells the second."""
    dice = random.Random(0)
    found = []
    for _ in range(count):
        one, other = dice.random(), dice.random()
        is_right = one + other + dice.gauss(0, 0.3) > 1
        found.append(Told(one, other if knows else dice.random(), is_right))
    return found


def test_two_signals_tell_more_than_one() -> None:
    told = told_by(knows=True)
    right = [each.right for each in told]
    assert auc(joined(told), right) > auc([each.p_right for each in told], right) + 0.05
    assert auc(joined(told), right) < 1
    fitted = weights(told)
    assert fitted.p_right > 0
    assert fitted.judgment > 0


@pytest.mark.parametrize("knows", [True, False])
def test_the_card_has_weights_only_of_a_checker_that_helps(tmp_path: Path, knows: bool) -> None:
    card = tmp_path / "card.json"
    plain = ModelCard(name="checker", base="b", upheld="1", prompts={}, judgment=EARLIER)
    card.write_text(plain.model_dump_json())
    told = told_by(knows=knows)
    report = compare(told, "checker", card)
    assert read_card(card).judgment == (weights(told) if knows else None)
    assert report.manifest["noted"] is knows

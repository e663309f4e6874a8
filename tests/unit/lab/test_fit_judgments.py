"""`python -m upheld_lab.fits judgments`: what a checker's probability adds to P(right)."""

from __future__ import annotations

import random

from upheld_lab.bench.verify.figures import auc
from upheld_lab.fits.judgments import Told, joined, weights


def test_two_signals_tell_more_than_one() -> None:
    dice = random.Random(0)
    told = []
    for _ in range(400):
        one, other = dice.random(), dice.random()
        told.append(Told(one, other, one + other + dice.gauss(0, 0.3) > 1))
    right = [each.right for each in told]
    assert auc(joined(told), right) > auc([each.p_right for each in told], right) + 0.05
    assert auc(joined(told), right) < 1
    fitted = weights(told)
    assert fitted.p_right > 0
    assert fitted.judgment > 0

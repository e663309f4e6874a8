"""Pooling: one score a claim from the scores of its windows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from upheld.bench.verify_figures import auc, measure
from upheld.bench.verify_pool import Pooling, featured, fit, overlap, readings
from upheld.bench.verify_sets import Case
from upheld.training.verifier.labels import Label

LONG = "\n\n".join(f"Line {i} speaks of matter number {i} and of little else." for i in range(60))


def case(claim: str, text: str) -> Case:
    return Case("made", claim, (("Title", text),), Label.ENTAILS, "d")


def test_a_short_text_is_read_once_and_a_long_one_by_windows() -> None:
    [short] = readings(case("A claim.", "One sentence. Another one."))
    assert short.gathered == "Title\nOne sentence. Another one."
    assert short.windows == ()
    [long] = readings(case("Line 7 speaks of matter 7.", LONG))
    assert len(long.windows) > 4
    assert "number 7 " in long.gathered
    assert all(f"number {i} " in " ".join(long.windows) for i in range(60))


def test_a_claim_of_two_sentences_is_as_strong_as_the_weaker() -> None:
    def score(pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float32]:
        rows = [[0.1, 0.6, 0.3] if "wrong" in claim else [0.9, 0.05, 0.05] for _, claim in pairs]
        return np.array(rows, np.float32)

    both, one = featured(
        [case("This is right. This is wrong.", "Text."), case("This is right.", "Text.")], score
    )
    assert both[0] < 0 < one[0]
    assert both[6] > one[6] == 0


def test_overlap_is_the_share_of_the_claims_words() -> None:
    assert overlap("Cats sleep daily", "The cat was sleeping.") == 2 / 3
    assert overlap("", "text") == 0


def test_the_fit_finds_the_feature_that_tells() -> None:
    dice = np.random.default_rng(0)
    features = dice.normal(size=(400, 3))
    supported = features[:, 1] + 0.3 * dice.normal(size=400) > 0
    pooling = fit([tuple(row) for row in features.tolist()], supported.tolist(), [1.0] * 400)
    assert pooling.weights[1] > 5 * max(abs(pooling.weights[0]), abs(pooling.weights[2]))
    found = pooling([tuple(row) for row in features.tolist()])
    assert ((found > 0.5) == supported).mean() > 0.85


def test_auc_counts_ties_half() -> None:
    assert auc([0.9, 0.5, 0.5, 0.1], [True, True, False, False]) == 0.875
    assert auc([1, 2, 3, 4], [True, True, False, False]) == 0


def test_a_set_is_measured_beside_word_overlap() -> None:
    def score(pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.float32]:
        sure, against, open_ = [0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.2, 0.1, 0.7]
        told = {"yes": sure, "no": against, "maybe": open_}
        return np.array([told[claim] for _, claim in pairs], np.float32)

    labels = {"yes": Label.ENTAILS, "no": Label.CONTRADICTS, "maybe": Label.NEUTRAL}
    cases = [Case("made", claim, (("", "no"),), label, "d") for claim, label in labels.items()]
    found = measure(cases, score, Pooling((1.0, 0, 0, 0, 0, 0, 0), 0.0))
    assert (found.cases, found.auc, found.against) == (3, 1.0, 1.0)
    assert found.overlap_auc < 1
    assert measure(cases[:2], score, Pooling((1.0,) + (0.0,) * 6, 0.0)).against is None

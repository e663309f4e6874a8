"""The verify bench on made-up cases: what it reads, how it fits, what it keeps."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from upheld.errors import LLMUnavailableError
from upheld.ports import Pair
from upheld.verification.aggregate import Aggregate, Features
from upheld.verification.decide import Decide
from upheld.verification.verify import Verify
from upheld_lab.bench.judgements import KeptJudgements
from upheld_lab.bench.vectors import VectorCache
from upheld_lab.bench.verify.baselines import cosines, judged
from upheld_lab.bench.verify.figures import auc, balanced_accuracy, calibration_error
from upheld_lab.bench.verify.fit import fit
from upheld_lab.bench.verify.labels import Label
from upheld_lab.bench.verify.read import Seen, Sentence, see
from upheld_lab.bench.verify.sets import Case
from upheld_lab.testing.fake_embedder import FakeEmbedder
from upheld_lab.testing.fake_entailment import FakeEntailment
from upheld_lab.testing.fake_llm import FakeLLM, Line

TOWER = "The tower was built in 1869. It opens at nine, and the keeper lives beside it."


def nowhere(what: str, done: int, of: int) -> None:
    """Nobody watches."""


def case(claim: str, label: Label = Label.ENTAILS, text: str = TOWER) -> Case:
    return Case("made", claim, (("Tower", text),), label, text[:20])


async def test_a_case_is_as_strong_as_its_weakest_sentence() -> None:
    strong = case("The tower was built in 1869. The keeper lives beside the tower.")
    weak = case("The keeper lives beside the tower. The harbour has a red crane.")
    one, two = await see(Verify(model=FakeEntailment()), [strong, weak], nowhere, "made")
    assert one.sentences[0].quoted
    assert one.probability(Decide()) > 0.9
    assert two.probability(Decide()) < 0.1
    assert one.overlap > two.overlap


async def test_what_was_not_checked_has_no_probability_of_support() -> None:
    [seen] = await see(Verify(model=None), [case("The keeper's home is near.")], nowhere, "made")
    assert not any(sentence.features for sentence in seen.sentences)
    assert seen.probability(Decide()) == 0.0


async def test_judgements_are_kept_and_counted(tmp_path: Path) -> None:
    model = FakeEntailment()
    kept = KeptJudgements(model, tmp_path / "kept.sqlite")
    pairs = [Pair(TOWER, "The tower opens at nine."), Pair(TOWER, "It is red.")]
    first = await kept.judge(pairs)
    again = await KeptJudgements(model, tmp_path / "kept.sqlite").judge(pairs[::-1])
    assert again == first[::-1]
    assert kept.judged == 2
    assert len(model.asked) == 1
    other = FakeEntailment(identity="another")
    await KeptJudgements(other, tmp_path / "kept.sqlite").judge(pairs)
    assert other.asked == [pairs]


def seen(entails: float, objected: float, label: Label, contradicts: float = 0.0) -> Seen:
    features = Features(
        best=entails,
        second=entails,
        gathered=entails,
        against=0.0,
        premises=0.0,
        overlap=0.5,
        objected=objected,
    )
    return Seen(case("Any.", label), (Sentence(False, (features,), contradicts, False),), 0.5)


def test_the_fit_finds_what_tells_support_and_scores_stay_probabilities() -> None:
    dice = random.Random(7)
    made = []
    for _ in range(600):
        entails, objected = dice.gauss(0, 2), float(dice.random() < 0.3)
        truth = dice.random() < Aggregate(best=1.2, objected=-2.0, bias=-0.3)(
            seen(entails, objected, Label.NEUTRAL).sentences[0].features[0]
        )
        label = Label.ENTAILS if truth else dice.choice([Label.CONTRADICTS, Label.NEUTRAL])
        against = 0.8 if label is Label.CONTRADICTS else 0.1
        made.append(seen(entails, objected, label, against))
    decide = fit({"one": made[:300], "two": made[300:]})
    scores = [one.probability(Decide(aggregate=decide.aggregate)) for one in made]
    truth_ = [one.supported for one in made]
    assert decide.aggregate.objected < -0.5
    assert calibration_error(scores, truth_, bins=5) < 0.08
    assert balanced_accuracy(scores, truth_, decide.supported_above) > 0.7


def test_the_guard_keeps_a_claim_below_the_threshold_whatever_the_fit_says() -> None:
    decide = Decide(aggregate=Aggregate(objected=0.0), supported_above=0.6)
    [sentence] = seen(9.0, 1.0, Label.NEUTRAL).sentences
    assert decide.probability(sentence.features[0]) < 0.6


def test_figures_by_hand() -> None:
    assert auc([3, 2, 1], [True, False, False]) == 1.0
    assert auc([1, 1], [True, False]) == 0.5
    assert balanced_accuracy([0.9, 0.9, 0.1], [True, False, False], 0.5) == 0.75
    assert calibration_error([0.0, 1.0], [False, True], bins=2) == 0.0
    assert calibration_error([1.0, 1.0], [False, True], bins=1) == pytest.approx(0.5)


async def test_the_nearest_window_is_the_baseline_of_vectors(tmp_path: Path) -> None:
    near = case("The tower opens at nine, and the keeper lives beside it.")
    far = case("Cranes lift steel in the yard.")
    one, two = await cosines([near, far], VectorCache(FakeEmbedder(), tmp_path))
    assert one > two


async def test_the_language_models_word_is_counted_and_its_failures_too() -> None:
    lines: list[Line] = [
        {"verdicts": ["supported"]},
        LLMUnavailableError("down"),
        {"verdicts": ["neither"]},
    ]
    cases = [case(f"Claim number {i}.") for i in range(5)]
    found = await judged(FakeLLM(lines), cases, 3, nowhere, "made")
    assert found.supported == (True, False)
    assert len(found.cases) == 2
    assert found.failed == 1


def test_twins_count_for_half_and_no_weight_has_the_wrong_sign() -> None:
    dice = random.Random(3)
    made = [seen(dice.gauss(0, 2), 0.0, Label.ENTAILS) for _ in range(40)]
    made += [seen(dice.gauss(-2, 2), 0.0, Label.NEUTRAL) for _ in range(20)]
    made += [seen(dice.gauss(-2, 2), 0.0, Label.CONTRADICTS, 0.9) for _ in range(20)]
    upside_down = [seen(0.0, 1.0, Label.ENTAILS), seen(0.0, 0.0, Label.NEUTRAL)] * 10
    decide = fit({"natural": made, "twins": upside_down}, half={"twins"})
    assert decide.aggregate.best > 0
    assert decide.aggregate.objected == 0

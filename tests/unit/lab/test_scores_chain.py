"""CoV-RAG's evaluation and its judge, on worked examples and a scripted model."""

from __future__ import annotations

from dataclasses import asdict
from statistics import fmean

import pytest

from tests.unit.graded_answers import A, B, answer, claim
from upheld.errors import LLMOutputError
from upheld.verification.chain import Judgment
from upheld_lab.bench.scores.chain import (
    Checked,
    Quality,
    Ranks,
    is_high_quality,
    judged_rightly,
    ranks,
    revised_rightly,
)
from upheld_lab.bench.scores.judge import Judge, Revision
from upheld_lab.testing.fake_llm import FakeLLM


def quality(
    citation: float = 1,
    correctness: float = 1,
    truthfulness: float = 1,
    bias: float = 0,
    conciseness: float = 1,
) -> Quality:
    return Quality(citation, correctness, truthfulness, bias, conciseness)


def test_the_best_score_is_first_and_equals_share_the_better_place() -> None:
    found = ranks(
        {
            "one": quality(citation=0.9, correctness=1, bias=0.8),
            "two": quality(citation=0.5, correctness=1, bias=0.1),
            "three": quality(citation=0.7, correctness=0.2, bias=0.4),
        }
    )
    # citation: 0.9, 0.7, 0.5; correctness: two first, the other third; of bias, less is better
    assert found == {
        "one": Ranks(1, 1, 1, bias=3, conciseness=1),
        "two": Ranks(3, 1, 1, bias=1, conciseness=1),
        "three": Ranks(2, 3, 1, bias=2, conciseness=1),
    }


def test_no_answers_have_no_places() -> None:
    assert ranks({}) == {}


@pytest.mark.parametrize(
    ("one", "high"),
    [
        (quality(bias=0.29, conciseness=0.51), True),
        (quality(bias=0.3), False),
        (quality(conciseness=0.5), False),
        (quality(citation=0.99), False),
        (quality(correctness=0.9), False),
        (quality(truthfulness=0.9), False),
    ],
)
def test_high_quality(one: Quality, high: bool) -> None:
    assert is_high_quality(one) is high


# judgment, revised, answer right, references right, revision good
CHECKED = [
    Checked(Judgment.TRUE, False, True, True),  # all well
    Checked(Judgment.FALSE, True, False, False, True),  # wrong, found out, asked better
    Checked(Judgment.UNCLEAR, True, False, False, False),  # asked anew, but no better
    Checked(Judgment.FALSE, True, True, True, True),  # nothing was wrong: poor timing
    Checked(Judgment.TRUE, False, False, True),  # wrong, not noticed; asking anew would not help
    Checked(None, False, False, False),  # a reply that could not be read
]


def test_judgements_and_revisions() -> None:
    assert fmean(map(judged_rightly, CHECKED)) == pytest.approx(2 / 6)  # the first two
    assert fmean(map(revised_rightly, CHECKED)) == pytest.approx(3 / 6)  # those and the fifth


# --- the judge -----------------------------------------------------------------------------------

GOOD, BAD = asdict(quality()), asdict(quality(citation=0.2, bias=0.9))
OWLS, BATS = answer(claim("Owls fly.", A), sources=[A]), answer(claim("Bats swim.", B), sources=[B])


async def test_the_judge_scores_answers_side_by_side_without_their_names() -> None:
    llm = FakeLLM([{"answers": [GOOD, BAD]}])
    both = {"rag": OWLS, "upheld": BATS}
    found = ranks(await Judge(llm=llm).qualities("What flies?", ("owls",), both))
    (call,) = llm.calls
    told = call.messages[-1].content
    first = "upheld" if told.index("Bats swim.") < told.index("Owls fly.") else "rag"
    (second,) = {"rag", "upheld"} - {first}
    assert found[first] == Ranks(1, 1, 1, 1, 1)
    assert found[second] == Ranks(2, 1, 1, 2, 1)
    assert "What a says." in told  # each with the passages that its marks mean
    assert "What b says." in told
    assert "owls" in told
    assert "rag" not in told
    assert "upheld" not in told


async def test_the_question_decides_who_comes_first() -> None:
    async def shown_first(question: str, answers: list[str]) -> bool:
        llm = FakeLLM([{"answers": [GOOD, GOOD]}])
        both = {"rag": OWLS, "upheld": BATS}
        await Judge(llm=llm).qualities(question, (), {name: both[name] for name in answers})
        told = llm.calls[0].messages[-1].content
        return told.index("Owls fly.") < told.index("Bats swim.")

    questions = [f"Question {n}?" for n in range(12)]
    orders = [await shown_first(each, ["rag", "upheld"]) for each in questions]
    assert orders == [await shown_first(each, ["upheld", "rag"]) for each in questions]
    assert set(orders) == {True, False}


async def test_one_answer_by_itself() -> None:
    judge = Judge(llm=FakeLLM([{"answers": [BAD]}]))
    assert await judge.qualities("What flies?", (), {"rag": OWLS}) == {"rag": Quality(**BAD)}


@pytest.mark.parametrize("said", [[GOOD], [GOOD, GOOD, GOOD], [GOOD, {**GOOD, "bias": 1.5}]])
async def test_scores_that_do_not_fit_are_refused(said: list[dict[str, float]]) -> None:
    judge = Judge(llm=FakeLLM([{"answers": said}]))
    with pytest.raises(LLMOutputError):
        await judge.qualities("What flies?", (), {"rag": OWLS, "upheld": BATS})


@pytest.mark.parametrize(("score", "good"), [(0.5, True), (0.49, False)])
async def test_a_revision_is_judged_by_what_led_to_it(score: float, good: bool) -> None:
    llm = FakeLLM([{"score": score}])
    revision = Revision("what flies owl", ("owls",), (A, B), "Bats swim.", "Which birds fly?")
    assert await Judge(llm=llm).is_good_revision(revision) is good
    told = llm.calls[0].messages[-1].content
    for each in ("what flies owl", "owls", "What a says.", "Bats swim.", "Which birds fly?"):
        assert each in told

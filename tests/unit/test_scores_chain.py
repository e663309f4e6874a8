"""CoV-RAG's evaluation and its judge, on worked examples and a scripted model."""

from __future__ import annotations

import pytest

from tests.unit.graded_answers import A, B, answer, claim
from upheld.bench.scores.chain import (
    Checked,
    Quality,
    Ranks,
    format_accuracy,
    high_quality_rate,
    is_high_quality,
    judgement_accuracy,
    mean_ranks,
    ranks,
    reference_delta,
    revision_accuracy,
)
from upheld.bench.scores.judge import Judge, Revision
from upheld.errors import LLMOutputError
from upheld.stages.verification import Judgment
from upheld.testing.fake_llm import FakeLLM


def quality(
    citation: float = 1,
    correctness: float = 1,
    truthfulness: float = 1,
    bias: float = 0,
    conciseness: float = 1,
) -> Quality:
    return Quality(
        citation=citation,
        correctness=correctness,
        truthfulness=truthfulness,
        bias=bias,
        conciseness=conciseness,
    )


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


def test_mean_rank_is_the_sum_over_the_number() -> None:
    places = [Ranks(1, 1, 1, 3, 1), Ranks(2, 1, 1, 1, 1), Ranks(3, 2, 1, 1, 1)]
    # citation (1 + 2 + 3) / 3, correctness (1 + 1 + 2) / 3, bias (3 + 1 + 1) / 3
    assert mean_ranks(places) == Ranks(2, 4 / 3, 1, 5 / 3, 1)
    assert mean_ranks([]) is None


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


def test_the_high_quality_rate_is_a_share() -> None:
    assert high_quality_rate([quality(), quality(), quality(bias=1)]) == pytest.approx(2 / 3)
    assert high_quality_rate([]) is None


def test_reference_delta_is_after_minus_before() -> None:
    before, after = [True, False, False, False], [True, True, True, False]
    assert reference_delta(before, after) == 0.5  # 3/4 - 1/4
    assert reference_delta(after, before) == -0.5
    assert reference_delta([], []) is None


# judgment, revised, answer right, references right, revision good
CHECKED = [
    Checked(Judgment.TRUE, False, True, True),  # all well
    Checked(Judgment.FALSE, True, False, False, True),  # wrong, found out, asked better
    Checked(Judgment.UNCLEAR, True, False, False, False),  # asked anew, but no better
    Checked(Judgment.FALSE, True, True, True, True),  # nothing was wrong: poor timing
    Checked(Judgment.TRUE, False, False, True),  # wrong, not noticed; asking anew would not help
    Checked(None, False, False, False),  # a reply that could not be read
]


def test_judgements_revisions_and_formats() -> None:
    assert judgement_accuracy(CHECKED) == pytest.approx(2 / 6)  # the first two
    assert revision_accuracy(CHECKED) == pytest.approx(3 / 6)  # the first two and the fifth
    assert format_accuracy(CHECKED) == pytest.approx(5 / 6)  # all but the last
    assert judgement_accuracy([]) is revision_accuracy([]) is format_accuracy([]) is None


# --- the judge -----------------------------------------------------------------------------------

GOOD, BAD = quality().model_dump(), quality(citation=0.2, bias=0.9).model_dump()
OWLS, BATS = answer(claim("Owls fly.", A), sources=[A]), answer(claim("Bats swim.", B), sources=[B])


async def test_the_judge_scores_answers_side_by_side_without_their_names() -> None:
    llm = FakeLLM([{"answers": [GOOD, BAD]}])
    found = await Judge(llm=llm).rank("What flies?", ("owls",), {"rag": OWLS, "upheld": BATS})
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
    assert await judge.quality("What flies?", (), OWLS) == Quality.model_validate(BAD)


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

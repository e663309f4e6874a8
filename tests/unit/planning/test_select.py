"""FaVe's selector: r_q, r_d, both, off, and what a check that fails is worth."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
from pydantic import BaseModel

from tests.messages import only_says
from tests.unit.ferries import PlayLLM
from upheld.edge.openai.strict_schema import strict_schema
from upheld.errors import BudgetExceededError, LLMUnavailableError
from upheld.planning.plan import Session
from upheld.planning.select import By, Select, r_d, serves_for
from upheld.ports import Message, Output, Reply, Sampling
from upheld.run.budget import Budget
from upheld.run.trace import start_run
from upheld.types import Evidence, Hit, Passage, Question
from upheld_lab.testing.fake_llm import FakeLLM, Line

ASK = Question("Why do some ferries carry no cars?")
A, B, C, D = (
    Question(text, id=text, parent=ASK.id) for text in ("Which?", "What cost?", "Why?", "Who?")
)
ONE: Session = (A, B)
TWO: Session = (C, D)
YES, NO = {"serves": ["yes", "yes"]}, {"serves": ["no", "no"]}


def found(**probabilities: float | None) -> dict[str, Evidence]:
    """Evidence of two hits for A to D, the first with this probability of relevance."""
    evidence = {}
    for question in (A, B, C, D):
        name = "ABCD"[(A, B, C, D).index(question)]
        if name not in probabilities:
            continue
        chance = probabilities[name]
        relevance = None if chance is None else 2 * chance - 1
        passage = Passage("p", "text", "d", "v", 0, 4)
        best = Hit(passage, 1.0, "q", relevance)
        evidence[question.id] = Evidence((best, Hit(passage, 0.5, "q", 1.0)))
    return evidence


async def choose(
    lines: Sequence[Line], grades: dict[str, Evidence], by: By = By.BOTH, delta: int = 5
) -> Session:
    return await chosen(Select(llm=FakeLLM(lines), by=by, delta=delta), [ONE, TWO], grades)


async def chosen(
    select: Select, sessions: Sequence[Session], grades: dict[str, Evidence]
) -> Session:
    return select(sessions, await select.relevance(ASK, sessions), grades)


async def test_the_session_that_serves_the_question_wins_by_r_q() -> None:
    assert await choose([NO, YES], found(A=0.9, B=0.9), By.R_Q) == TWO
    assert await choose([YES, NO], found(C=0.9, D=0.9), By.R_Q) == ONE


async def test_the_session_that_can_be_answered_wins_by_r_d_and_asks_nobody() -> None:
    llm = FakeLLM([])
    select = Select(llm=llm, by=By.R_D)
    assert await chosen(select, [ONE, TWO], found(A=0.2, B=0.4, C=0.3, D=0.4)) == TWO
    assert await chosen(select, [ONE, TWO], found(A=0.9, B=0.4, C=0.5, D=0.4)) == ONE
    assert llm.calls == []


async def test_both_count_the_same() -> None:
    # r_q is 2/5 against 0, so that r_d must be more than 0.4 ahead.
    assert await choose([YES, NO], found(A=0.1, B=0.1, C=0.45, D=0.45)) == ONE
    assert await choose([YES, NO], found(A=0.1, B=0.1, C=0.55, D=0.55)) == TWO


async def test_r_q_is_capped_at_delta() -> None:
    grades = found(A=0.5, B=0.5, C=0.6, D=0.6)
    half = {"serves": ["yes", "no"]}
    assert await choose([YES, half], grades, delta=2) == ONE
    assert await choose([YES, half], grades, delta=1) == TWO


async def test_off_takes_the_first_and_asks_nobody() -> None:
    assert await choose([], found(C=0.9, D=0.9), By.OFF) == ONE


async def test_a_single_session_needs_no_check() -> None:
    llm = FakeLLM([])
    with start_run() as run:
        assert await chosen(Select(llm=llm), [ONE], {}) == ONE
    assert (llm.calls, run.degraded) == ([], [])


async def test_equals_keep_their_order() -> None:
    assert await choose([YES, YES], found(A=0.5, B=0.5, C=0.5, D=0.5)) == ONE


async def test_one_call_shows_a_whole_session_the_question_first() -> None:
    llm = FakeLLM([YES, NO])
    with start_run() as run:
        await chosen(Select(llm=llm), [ONE, TWO], found(A=0.5, B=0.7))
    one, two = (call.messages[-1].content for call in llm.calls)
    assert one.endswith("```\n1. Which?\n2. What cost?\n```")
    assert one.partition("```")[0] == two.partition("```")[0]  # the prefix that they share
    assert Counter(event.stage for event in run.events) == {"relevant": 2, "select": 1}
    assert all(each in run.events[-1].note for each in ("1 of 2", "r_q 0.40", "r_d 0.60"))


async def test_sessions_are_checked_at_the_same_time() -> None:
    both = asyncio.Barrier(2)

    class Meeting(FakeLLM):
        async def _speak(self, *told: object, **more: object) -> list[str]:
            async with asyncio.timeout(5):
                await both.wait()
            return ['{"serves": ["yes", "yes"]}']

    with start_run() as run:
        assert await chosen(Select(llm=Meeting([]), by=By.R_Q), [ONE, TWO], {}) == ONE
    assert run.degraded == []  # nobody waited in vain


# --- P("yes"), as CoQ needs it --------------------------------------------------------------------


def leaning(probabilities: dict[str, float]) -> PlayLLM:
    return PlayLLM(chances=probabilities, serves=lambda question: "yes")


async def test_p_yes_weighs_what_a_bare_yes_would_not_tell_apart() -> None:
    llm = leaning({A.text: 0.6, C.text: 0.9})
    alone = [(A,), (C,)]
    probable = Select(llm=llm, delta=1, probable=True)
    assert await probable.relevance(ASK, alone) == pytest.approx((0.6, 0.9))
    assert await replace(probable, probable=False).relevance(ASK, alone) == (1, 1)
    # r_q does not drown r_d: 0.3 ahead in one, 0.5 behind in the other.
    assert await chosen(probable, alone, found(A=0.9, C=0.4)) == (A,)
    assert await chosen(probable, alone, found(A=0.5, C=0.4)) == (C,)


async def test_a_model_without_probabilities_says_yes_or_no() -> None:
    class Silent(FakeLLM):
        async def generate(
            self, messages: Sequence[Message], output: type[Output], sampling: Sampling = Sampling()
        ) -> Reply[Output]:
            return await super().generate(messages, output, replace(sampling, logprobs=0))

    lines = [{"serves": ["no"]}, {"serves": ["yes"]}]
    with start_run() as run:
        select = Select(llm=Silent(lines), delta=1, probable=True)
        assert await select.relevance(ASK, [(A,), (C,)]) == (0, 1)
    assert only_says(run.degraded, "no probabilities")


# --- failures ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line", [LLMUnavailableError("down"), "no JSON", {"serves": ["maybe", "yes"]}]
)
async def test_a_session_that_was_not_checked_serves_nothing(line: Line) -> None:
    def say(messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
        return line if "Which?" in messages[-1].content else {"serves": ["yes", "no"]}

    with start_run() as run:
        select = Select(llm=FakeLLM(say))
        assert await chosen(select, [ONE, TWO], found(A=0.5, B=0.5, C=0.5, D=0.5)) == TWO
    assert len(run.degraded) == 1
    assert run.degraded[0].startswith("a search session was not checked: ")


async def test_without_the_llm_r_d_decides() -> None:
    lines = [LLMUnavailableError("down"), LLMUnavailableError("down")]
    assert await choose(lines, found(A=0.2, B=0.2, C=0.5, D=0.5)) == TWO


async def test_without_grades_r_q_decides() -> None:
    with start_run() as run:
        assert await choose([NO, YES], found(A=None, B=None, C=None, D=None)) == TWO
    assert only_says(run.degraded, "without grades")


async def test_without_a_model_to_ask_r_d_decides_and_off_takes_the_first() -> None:
    grades = found(A=0.2, B=0.2, C=0.5, D=0.5)
    assert await chosen(Select(llm=None), [ONE, TWO], grades) == TWO
    assert await chosen(Select(llm=None, by=By.R_Q), [ONE, TWO], grades) == ONE


async def test_without_anything_the_first_session_stands() -> None:
    with start_run() as run:
        assert await choose([], found(A=None, C=None)) == ONE
    assert len(run.degraded) == 2


async def test_answers_too_few_or_too_many_count_only_for_what_was_asked() -> None:
    assert await choose([{"serves": ["yes"]}, YES], {}, By.R_Q) == TWO
    assert await choose([{"serves": ["no", "no", "yes", "yes"]}, YES], {}, By.R_Q) == TWO
    assert await choose([{"serves": []}, {"serves": ["no", "yes"]}], {}, By.R_Q) == TWO


async def test_a_session_that_the_budget_leaves_out_serves_nothing() -> None:
    with start_run(Budget(llm_calls=1)) as run:
        assert await choose([YES, YES], {}) == ONE
    assert len(run.degraded) == 1
    assert run.degraded[0].startswith("a search session was not checked: ")


async def test_the_end_of_the_time_passes_through() -> None:
    with start_run(Budget(seconds=0)), pytest.raises(BudgetExceededError):
        await choose([YES, YES], {})


# --- pure parts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("grades", "mean"),
    [
        ({"A": 0.2, "B": 0.6}, 0.4),
        ({"A": 0.2}, 0.1),  # nothing was found for B
        ({}, 0.0),
        ({"A": None, "B": 0.6}, 0.3),
    ],
)
def test_r_d_is_the_mean_of_the_best_passages(grades: dict[str, float | None], mean: float) -> None:
    assert r_d(ONE, found(**grades)) == pytest.approx(mean)


def test_a_sub_question_without_hits_counts_nothing() -> None:
    assert r_d((A,), {A.id: Evidence()}) == 0


def test_the_schema_asks_one_word_for_each() -> None:
    serves = strict_schema(serves_for(3))["properties"]["serves"]
    assert (serves["minItems"], serves["maxItems"]) == (3, 3)
    assert serves["items"]["enum"] == ["yes", "no"]

"""CoQ step by step; its chains C1 and C2; CoQ + selector; what remains when a part fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from pydantic import BaseModel

from tests.messages import only_says
from tests.unit.ferries import (
    ASK,
    COST,
    DECK,
    OWLS,
    RAMP,
    RULES,
    TEXTS,
    PlayLLM,
    Together,
    search,
    texts,
    told,
)
from upheld.errors import BudgetExceededError, LLMError, LLMOutputError, LLMUnavailableError
from upheld.generation.extract import ExtractiveWriter
from upheld.generation.write import WriteClaims
from upheld.generation.writers import WriteAfter
from upheld.methods.coq import CoQ, selector
from upheld.planning.next_question import NextQuestion
from upheld.planning.select import By
from upheld.ports import Message, QueryPassagePair
from upheld.retrieval.rerank import Order
from upheld.run.budget import Budget
from upheld.run.trace import start_run
from upheld.types import Draft, Evidence, Question
from upheld_lab.testing.fake_grader import FakeGrader, shared_words
from upheld_lab.testing.fake_llm import Line

FIVE = (DECK, RULES, COST, OWLS, RAMP)


async def coq(llm: PlayLLM, *, samples: int = 1, grader: FakeGrader | None = None) -> CoQ:
    return CoQ(
        search=await search(),
        next_question=NextQuestion(llm=llm, samples=samples),
        order=Order(grader=grader or FakeGrader(), limit=2),
        write=WriteAfter(write=WriteClaims(llm=llm), quote=ExtractiveWriter()),
    )


def order_of(llm: PlayLLM) -> list[str]:
    """The parts in the order in which they were asked."""
    return [call.output.__name__ for call in llm.calls if call.output is not None]


# --- the chain -----------------------------------------------------------------------------------


async def test_sub_question_and_answer_alternate_until_the_model_is_done() -> None:
    llm = PlayLLM(steps=[DECK, RULES])
    with start_run() as run:
        draft = await (await coq(llm))(ASK)
    assert order_of(llm) == ["Next", "Claims", "Next", "Claims", "Next"]
    assert texts(draft) == told("deck", "rules")
    assert (draft.question, run.best, run.degraded) == (ASK, draft, [])
    assert run.meter.used.completions == 5
    assert run.meter.used.searches == 1


async def test_n_sub_questions_are_the_most_and_cost_2n_in_a_row() -> None:
    llm = PlayLLM(steps=[*FIVE, "One more?"])
    with start_run() as run:
        await (await coq(llm))(ASK)
    assert llm.parts() == {"next": 5, "write": 5}
    assert run.meter.used.completions == 10
    assert llm.depth == 10


@pytest.mark.parametrize("n", [1, 2, 3])
async def test_n_is_a_field(n: int) -> None:
    llm = PlayLLM(steps=FIVE)
    await replace(await coq(llm), max_questions=n)(ASK)
    assert llm.parts() == {"next": n, "write": n}


async def test_the_question_is_searched_for_while_the_first_step_is_thought_of() -> None:
    both = Together(next=1, search=1)
    found = await search()

    async def watched(question: Question) -> Evidence:
        await both.meet("search")
        return await found(question)

    llm = PlayLLM(steps=[DECK], meet=both.meet)
    assert texts(await replace(await coq(llm), search=watched)(ASK)) == told("deck")


async def test_a_step_is_written_from_the_best_m_of_its_sub_question() -> None:
    llm = PlayLLM(steps=[DECK, RULES])
    method = await coq(llm)
    await replace(method, order=replace(method.order, limit=1), answers_see_answers=False)(ASK)
    one, two = llm.prompts("write")
    assert (TEXTS["deck"] in one, TEXTS["rules"] in one) == (True, False)
    assert (TEXTS["deck"] in two, TEXTS["rules"] in two) == (False, True)


async def test_a_step_without_an_answer_is_left_out_but_not_forgotten() -> None:
    mars = "Is there life on Mars?"
    llm = PlayLLM(steps=[mars, DECK])
    draft = await (await coq(llm))(ASK)
    assert texts(draft) == told("deck")
    assert f"1. {mars}\n   Answer: none was found" in llm.prompts("next")[1]


async def test_a_repeated_sub_question_ends_the_chain() -> None:
    llm = PlayLLM(steps=[DECK, RULES, DECK.upper(), COST])
    assert texts(await (await coq(llm))(ASK)) == told("deck", "rules")


# --- C1 and C2 -----------------------------------------------------------------------------------


@pytest.mark.parametrize("c1", [True, False])
@pytest.mark.parametrize("c2", [True, False])
async def test_each_chain_can_be_broken(c1: bool, c2: bool) -> None:
    llm = PlayLLM(steps=[DECK, RULES])
    method = replace(await coq(llm), queries_see_answers=c1, answers_see_answers=c2)
    draft = await replace(method, order=Order(grader=FakeGrader(), limit=1))(ASK)
    _, second, _ = llm.prompts("next")
    assert DECK in second  # sub-questions always see sub-questions
    assert (TEXTS["deck"] in second) is c1
    _, answer = llm.prompts("write")
    assert (TEXTS["deck"] in answer) is c2
    assert texts(draft) == told("deck", "rules")
    assert llm.parts() == {"next": 3, "write": 2}


async def test_earlier_answers_are_earlier_turns_of_the_writer() -> None:
    llm = PlayLLM(steps=[DECK, RULES, COST])
    await (await coq(llm))(ASK)
    roles = [each.role for each in llm.calls[5].messages]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]


# --- CoQ + selector ------------------------------------------------------------------------------


def by_words(grades: dict[str, float]) -> FakeGrader:
    """Ordered by words, on a scale that each sub-question is given."""

    def score(pair: QueryPassagePair) -> float:
        return grades[pair.query] * shared_words(pair) / 0.98

    return FakeGrader(score=score)


@pytest.mark.parametrize(
    ("by", "best"),
    [(By.BOTH, "rules"), (By.R_Q, "deck"), (By.R_D, "owls"), (By.OFF, "cost")],
)
async def test_of_several_sub_questions_only_the_best_is_answered(by: By, best: str) -> None:
    # r_q: 0.5, 0.9, 0.8, 0.1. r_d: 0.2, 0.1, 0.6, 0.7.
    llm = PlayLLM(
        steps=[COST, DECK, RULES, OWLS],
        chances={COST: 0.5, DECK: 0.9, RULES: 0.8, OWLS: 0.1},
    )
    grader = by_words({COST: 0.2, DECK: 0.1, RULES: 0.6, OWLS: 0.7})
    method = replace(await coq(llm, samples=4, grader=grader), select=selector(llm, by))
    with start_run() as run:
        draft = await replace(method, max_questions=1)(ASK)
    assert texts(draft) == told(best)
    asks = by in (By.BOTH, By.R_Q)
    assert llm.parts() == {"next": 4, "write": 1} | ({"relevant": 4} if asks else {})
    assert run.degraded == []


async def test_the_chain_goes_on_from_what_was_chosen() -> None:
    llm = PlayLLM(
        steps=[COST, DECK, RULES, DECK.lower(), "", ""],
        chances={COST: 0.2, DECK: 0.9, RULES: 0.9},
    )
    method = replace(await coq(llm, samples=2), select=selector(llm))
    assert texts(await method(ASK)) == told("deck", "rules")
    # two samples and two checks; two samples, of which one is no news; two that say done
    assert llm.parts() == {"next": 6, "relevant": 2, "write": 2}


async def test_relevance_is_asked_while_passages_are_ordered() -> None:
    both = Together(relevant=1, grade=1)

    class Meeting(FakeGrader):
        async def grade(self, pairs: Sequence[QueryPassagePair]) -> list[float]:
            await both.meet("grade")
            return await super().grade(pairs)

    llm = PlayLLM(steps=[COST, DECK], meet=both.meet)
    method = replace(await coq(llm, samples=2, grader=Meeting()), select=selector(llm))
    assert (await replace(method, max_questions=1)(ASK)).claims


# --- what remains --------------------------------------------------------------------------------


async def test_without_a_language_model_the_question_is_its_own_step() -> None:
    method = CoQ(
        search=await search(),
        next_question=None,
        order=Order(grader=FakeGrader(), limit=2),
        write=WriteAfter(write=None, quote=ExtractiveWriter()),
    )
    with start_run() as run:
        draft = await method(ASK)
    assert texts(draft)[0] == TEXTS["deck"]
    assert only_says(run.degraded, "question", "no language model")


@pytest.mark.parametrize("error", [LLMUnavailableError("down"), LLMOutputError("no JSON")])
@pytest.mark.parametrize("part", ["next", "relevant", "write"])
async def test_a_call_that_fails_leaves_a_draft_and_a_label(part: str, error: LLMError) -> None:
    llm = PlayLLM(steps=[DECK, RULES], broken={part: error})
    method = replace(await coq(llm, samples=2), select=selector(llm), max_questions=1)
    with start_run() as run:
        draft = await method(ASK)
    assert draft.question == ASK
    assert len(run.degraded) == 1
    assert draft.claims or part == "next"  # the scripted writer knows sub-questions only


async def test_a_later_step_that_fails_keeps_the_earlier_ones() -> None:
    class Failing(PlayLLM):
        def _play(self, messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
            if len(self.calls) == 3:
                return LLMUnavailableError("down")
            return super()._play(messages, output)

    with start_run() as run:
        draft = await (await coq(Failing(steps=[DECK, RULES])))(ASK)
    assert texts(draft) == told("deck")
    assert only_says(run.degraded, "sub-questions", "down")


async def test_nothing_found_ends_it_before_anything_is_written() -> None:
    async def nothing(question: Question) -> Evidence:
        return Evidence()

    llm = PlayLLM(steps=FIVE)
    draft = await replace(await coq(llm), search=nothing)(ASK)
    assert draft == Draft(ASK, notes=draft.notes)
    assert only_says(draft.notes, "nothing to write from")
    assert llm.parts() == {"next": 1}


async def test_when_the_budget_ends_the_steps_so_far_are_the_best_draft() -> None:
    llm = PlayLLM(steps=FIVE)
    with start_run(Budget(llm_calls=4)) as run, pytest.raises(BudgetExceededError):
        await (await coq(llm))(ASK)
    assert run.best is not None
    assert (run.best.question, texts(run.best)) == (ASK, told("deck", "rules"))
    assert run.meter.used.requests == 4


async def test_a_budget_without_calls_quotes() -> None:
    with start_run(Budget(llm_calls=0)) as run:
        draft = await replace(await coq(PlayLLM(steps=FIVE)), max_questions=1)(ASK)
    assert draft.claims
    assert all("LLM calls is used up" in label for label in run.degraded)


@pytest.mark.parametrize(("rounds", "steps"), [(0, 1), (2, 3)])
async def test_further_steps_are_rounds_of_the_budget(rounds: int, steps: int) -> None:
    llm = PlayLLM(steps=FIVE)
    with start_run(Budget(rounds=rounds)):
        await (await coq(llm))(ASK)
    assert llm.parts() == {"next": steps, "write": steps}

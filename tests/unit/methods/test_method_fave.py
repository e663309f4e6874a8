"""FaVe, line by line of Algorithm 1; its ablations; UoQ; what remains when a part fails."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

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
from upheld.generation.fallback import WriteOrQuote
from upheld.generation.write import WriteClaims
from upheld.generation.writers import BestOf
from upheld.methods.fave import FaVe
from upheld.planning.plan import Plan
from upheld.planning.select import By, Select
from upheld.ports import QueryPassagePair
from upheld.retrieval.rerank import Order
from upheld.run.budget import Budget
from upheld.run.trace import start_run
from upheld.types import Draft, Evidence, Question
from upheld.verification.verify import Verify
from upheld.verification.verify_draft import VerifyDraft
from upheld_lab.testing.fake_entailment import FakeEntailment
from upheld_lab.testing.fake_grader import FakeGrader, shared_words

DOWN = LLMUnavailableError("down")
FIVE = (DECK, RULES, COST, OWLS, RAMP)


async def fave(
    llm: PlayLLM, *, sessions: int = 2, by: By = By.BOTH, grader: FakeGrader | None = None
) -> FaVe:
    return FaVe(
        search=await search(),
        plan=Plan(llm=llm, sessions=sessions),
        order=Order(grader=grader or FakeGrader(), limit=2),
        select=Select(llm=llm, by=by),
        write=WriteOrQuote(write=WriteClaims(llm=llm), quote=ExtractiveWriter()),
    )


# --- Algorithm 1 ---------------------------------------------------------------------------------


async def test_the_best_session_is_answered_in_its_order() -> None:
    llm = PlayLLM(
        sessions=[(OWLS, DECK), (RULES, DECK)], serves=lambda q: "no" if q == OWLS else "yes"
    )
    with start_run() as run:
        draft = await (await fave(llm))(ASK)
    assert texts(draft) == told("rules", "deck")
    assert draft.question == ASK
    assert run.best == draft
    assert llm.parts() == {"plan": 2, "relevant": 2, "write": 2}
    assert run.degraded == []


async def test_line_1_sessions_are_one_request() -> None:
    llm = PlayLLM(sessions=[(DECK,), (RULES,), (COST,)])
    with start_run() as run:
        await (await fave(llm, sessions=3))(ASK)
    assert run.meter.used.requests == 1 + 3 + 1
    assert llm.calls[0].sampling.samples == 3


async def test_line_1_the_question_is_searched_for_once_while_sessions_are_planned() -> None:
    both = Together(plan=1, search=1)
    searched: list[Question] = []
    found = await search()

    async def watched(question: Question) -> Evidence:
        searched.append(question)
        await both.meet("search")
        return await found(question)

    llm = PlayLLM(sessions=[(DECK, RULES), (COST,)], meet=both.meet)
    await replace(await fave(llm), search=watched)(ASK)
    assert searched == [ASK]


async def test_line_2_every_distinct_sub_question_orders_the_same_candidates_once() -> None:
    grader = FakeGrader()
    llm = PlayLLM(sessions=[(DECK, RULES), (RULES, COST)])
    draft = await (await fave(llm, grader=grader))(ASK)
    assert sorted({pair.query for call in grader.asked for pair in call}) == sorted(
        [DECK, RULES, COST]
    )
    assert [len(call) for call in grader.asked] == [4, 4, 4]
    assert all(hit.relevance is not None for hit in draft.evidence)


@pytest.mark.parametrize("m", [1, 2])
async def test_line_2_the_writer_sees_the_best_m_of_its_own_sub_question_only(m: int) -> None:
    llm = PlayLLM(sessions=[(DECK, RULES)])
    method = await fave(llm, sessions=1)
    await replace(method, order=replace(method.order, limit=m))(ASK)
    one, two = llm.prompts("write")
    assert (TEXTS["deck"] in one, TEXTS["rules"] in two) == (True, True)
    assert (f"[{m}]" in one, f"[{m + 1}]" in one) == (True, False)
    assert TEXTS["deck"] not in two or m == 2


async def test_lines_2_and_3_relevance_is_asked_while_passages_are_ordered() -> None:
    both = Together(relevant=1, grade=1)

    class Meeting(FakeGrader):
        async def grade(self, pairs: Sequence[QueryPassagePair]) -> list[float]:
            await both.meet("grade")
            return await super().grade(pairs)

    llm = PlayLLM(sessions=[(DECK,), (RULES,)], meet=both.meet)
    draft = await (await fave(llm, grader=Meeting()))(ASK)
    assert draft.claims


async def test_line_3_r_is_the_mean_of_both() -> None:
    # r_q: 1/5 against 2/5. r_d: about 1 against about 1/2, as nothing is said of Mars.
    llm = PlayLLM(sessions=[(DECK,), (RULES, "Is there life on Mars?")])
    assert texts(await (await fave(llm))(ASK)) == told("deck")


async def test_line_4_answers_are_written_at_the_same_time() -> None:
    llm = PlayLLM(sessions=[(DECK, RULES, COST)], meet=Together(write=3).meet)
    assert texts(await (await fave(llm, sessions=1))(ASK)) == told("deck", "rules", "cost")


async def test_line_4_no_answer_sees_another() -> None:
    llm = PlayLLM(sessions=[(DECK, RULES)])
    await (await fave(llm, sessions=1))(ASK)
    for call in llm.calls[1:]:
        assert [each.role for each in call.messages] == ["system", "user"]
    assert DECK not in llm.prompts("write")[1]


async def test_what_is_not_answered_and_what_is_said_before_is_left_out() -> None:
    llm = PlayLLM(sessions=[(COST, "Is there life on Mars?", RAMP, DECK)])
    with start_run() as run:
        draft = await (await fave(llm, sessions=1))(ASK)
    assert texts(draft) == told("cost", "deck")
    assert (draft.notes, run.degraded) == ((), [])


# --- cost ----------------------------------------------------------------------------------------


async def test_at_n_5_and_s_8_there_are_21_completions_in_a_row_of_three() -> None:
    turns = [FIVE[n:] + FIVE[:n] for n in range(5)]
    backwards = [each[::-1] for each in turns[:3]]
    llm = PlayLLM(sessions=[*turns, *backwards])
    with start_run() as run:
        await (await fave(llm, sessions=8))(ASK)
    assert llm.parts() == {"plan": 8, "relevant": 8, "write": 5}
    assert run.meter.used.completions == 21
    assert llm.depth == 3
    assert run.meter.used.searches == 1
    assert run.meter.used.pairs_checked == 5 * 4  # sub-questions by candidates


async def test_union_of_query_is_one_session_without_verification() -> None:
    llm = PlayLLM(sessions=[FIVE])
    with start_run() as run:
        draft = await (await fave(llm, sessions=1, by=By.OFF))(ASK)
    assert llm.parts() == {"plan": 1, "write": 5}
    assert run.meter.used.completions == 1 + 5
    assert llm.depth == 2
    assert texts(draft) == told("deck", "rules", "cost", "owls")


# --- ablations -----------------------------------------------------------------------------------


@pytest.mark.parametrize("sessions", range(1, 9))
async def test_sessions_from_one_to_eight(sessions: int) -> None:
    llm = PlayLLM(sessions=[(f"{DECK} {n}",) for n in range(8)])
    await (await fave(llm, sessions=sessions))(ASK)
    checks = {"relevant": sessions} if sessions > 1 else {}
    assert llm.parts() == {"plan": sessions, **checks, "write": 1}


@pytest.mark.parametrize(
    ("by", "best", "checks"),
    [
        (By.OFF, "owls", 0),  # the first
        (By.R_Q, "deck", 4),  # two that serve, by the model's word
        (By.R_D, "rules", 0),  # the best passage, by the grader's
        (By.BOTH, "cost", 4),
    ],
)
async def test_the_selector_off_by_r_q_by_r_d_and_by_both(by: By, best: str, checks: int) -> None:
    # r_q: 0, 2/5, 0, 1/5. r_d: 0.1, 0.2, 0.7, 0.6.
    grades = {OWLS: 0.1, DECK: 0.2, "Is it low?": 0.2, RULES: 0.7, COST: 0.6}
    serving = (DECK, "Is it low?", COST)
    llm = PlayLLM(
        sessions=[(OWLS,), (DECK, "Is it low?"), (RULES,), (COST,)],
        serves=lambda question: "yes" if question in serving else "no",
    )

    def score(
        pair: QueryPassagePair,
    ) -> float:  # ordered by words, on the scale of this sub-question
        return grades[pair.query] * shared_words(pair) / 0.98

    method = await fave(llm, sessions=4, by=by, grader=FakeGrader(score=score))
    assert texts(await method(ASK)) == told(best)
    assert llm.parts().get("relevant", 0) == checks


@pytest.mark.parametrize(("delta", "best"), [(5, "deck"), (1, "rules")])
async def test_delta_caps_what_many_sub_questions_gain(delta: int, best: str) -> None:
    # r_q: 2/5 against 1/5, or 1 against 1; r_d is a little better for the second.
    llm = PlayLLM(sessions=[(DECK, "Which ferries have a low deck and bar?"), (RULES,)])
    method = await fave(llm)
    chosen = await replace(method, select=replace(method.select, delta=delta))(ASK)
    assert texts(chosen) == told(best)


@pytest.mark.parametrize(("limit", "pairs"), [(20, 4), (100, 4), (2, 2)])
async def test_candidates_are_as_many_as_the_search_finds(limit: int, pairs: int) -> None:
    grader = FakeGrader()
    llm = PlayLLM(sessions=[(DECK,)])
    method = await fave(llm, sessions=1, grader=grader)
    await replace(method, search=await search(limit))(ASK)
    assert [len(call) for call in grader.asked] == [pairs]


async def test_answer_feedback_keeps_the_best_cited_of_eight_samples() -> None:
    class Wavering(PlayLLM):
        """Writes something else at first, and what the passage says in its sixth sample."""

        samples = 0

        def _written(self, messages: object) -> dict[str, object]:
            self.samples += 1
            said = TEXTS["deck"] if self.samples == 6 else f"Ferries have {self.samples} decks."
            return {"claims": [{"sources": [1], "text": said}]}

    llm = Wavering(sessions=[(DECK,)])
    check = VerifyDraft(verify=Verify(model=FakeEntailment()))
    best_of = BestOf(write=WriteClaims(llm=llm), check=check)
    method = replace(await fave(llm, sessions=1), write=best_of)
    assert texts(await method(ASK)) == told("deck")
    assert llm.parts() == {"plan": 1, "write": 8}


# --- what remains --------------------------------------------------------------------------------


async def test_without_a_language_model_the_question_is_its_own_session() -> None:
    method = FaVe(
        search=await search(),
        plan=None,
        order=Order(grader=FakeGrader(), limit=2),
        select=Select(llm=None),
        write=ExtractiveWriter(),
    )
    with start_run() as run:
        draft = await method(ASK)
    assert texts(draft)[0] == TEXTS["deck"]
    assert only_says(run.degraded, "question", "no language model")


@pytest.mark.parametrize("error", [DOWN, LLMOutputError("no JSON")])
@pytest.mark.parametrize("part", ["plan", "relevant", "write"])
async def test_a_call_that_fails_leaves_a_draft_and_a_label(part: str, error: LLMError) -> None:
    llm = PlayLLM(
        sessions=[(DECK, RULES), (RULES, COST)],
        broken={part: error},
    )
    method = await fave(llm)
    with start_run() as run:
        draft = await method(ASK)
    assert draft.question == ASK
    assert len(run.degraded) == 1
    assert draft.claims or part == "plan"  # the scripted writer knows sub-questions only


async def test_nothing_found_asks_for_no_more_than_the_plan() -> None:
    async def nothing(question: Question) -> Evidence:
        return Evidence()

    llm = PlayLLM(sessions=[(DECK,), (RULES,)])
    draft = await replace(await fave(llm), search=nothing)(ASK)
    assert draft == Draft(ASK, notes=draft.notes)
    assert only_says(draft.notes, "nothing to write from")
    assert llm.parts() == {"plan": 2}


async def test_a_failing_search_cancels_the_plan() -> None:
    cancelled = asyncio.Event()

    async def meet(part: str) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async def failing(question: Question) -> Evidence:
        await asyncio.sleep(0)
        raise LLMOutputError("any typed error")

    method = replace(await fave(PlayLLM(meet=meet)), search=failing)
    with pytest.raises(LLMOutputError):
        await method(ASK)
    assert cancelled.is_set()


@dataclass(frozen=True)
class TimeIsUp:
    """A writer for whom the time is up at one sub-question, when the others have been answered."""

    write: WriteOrQuote
    at: str
    others: asyncio.Semaphore

    async def __call__(self, question: Question, evidence: Evidence) -> Draft:
        if question.text == self.at:
            await self.others.acquire()
            await asyncio.sleep(0)
            raise BudgetExceededError("time is up")
        draft = await self.write(question, evidence)
        self.others.release()
        return draft


async def test_when_the_time_ends_the_answers_so_far_are_the_best_draft() -> None:
    llm = PlayLLM(sessions=[(RULES, DECK)])
    method = await fave(llm, sessions=1)
    assert isinstance(method.write, WriteOrQuote)
    late = TimeIsUp(method.write, RULES, asyncio.Semaphore(0))
    with start_run() as run, pytest.raises(BudgetExceededError):
        await replace(method, write=late)(ASK)
    assert run.best is not None
    assert (run.best.question, texts(run.best)) == (ASK, told("deck"))


@pytest.mark.parametrize("calls", [0, 1, 2, 3])
async def test_a_budget_without_calls_for_plan_or_verification_still_answers(calls: int) -> None:
    llm = PlayLLM(sessions=[(DECK,), (RULES,)])
    with start_run(Budget(llm_calls=calls)) as run:
        draft = await (await fave(llm))(ASK)
    assert draft.claims
    assert run.best == draft
    assert run.meter.used.requests == calls
    assert all("LLM calls is used up" in label for label in run.degraded)


async def test_no_time_passes_through() -> None:
    with start_run(Budget(seconds=0)), pytest.raises(BudgetExceededError):
        await (await fave(PlayLLM(sessions=[(DECK,), (RULES,)])))(ASK)


async def test_answers_beyond_the_budget_are_quotes() -> None:
    llm = PlayLLM(sessions=[(DECK, RULES, COST)])
    with start_run(Budget(llm_calls=2)) as run:
        draft = await (await fave(llm, sessions=1))(ASK)
    assert set(told("deck", "rules", "cost")) <= set(texts(draft))
    assert run.meter.used.requests == 2
    assert "LLM calls is used up" in run.degraded[0]

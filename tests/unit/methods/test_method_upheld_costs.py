"""Our own method: what it costs, and what is left when budgets end and parts fail."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from tests.unit.museum import (
    ASK,
    COST,
    FREE,
    LATE,
    LEAD,
    LED,
    MONDAY,
    MUSEUM,
    OPEN,
    OPENED,
    PARTS,
    Says,
    ask,
    by_word,
    method,
    repairs,
    shelf,
    supports,
)
from tests.unit.shelf import called, told, writer, written
from upheld.answer.verdicts import is_checkworthy, is_supported
from upheld.errors import BudgetExceededError, LLMUnavailableError
from upheld.generation.refine import Restate
from upheld.generation.write import Claims, WriteClaims
from upheld.methods.by_diagnosis.method import ByDiagnosis
from upheld.methods.by_diagnosis.unsupported_policy import UnsupportedPolicy
from upheld.ports import Message
from upheld.retrieval.grade import Grade
from upheld.retrieval.rewrite import Rewrite
from upheld.run.budget import Budget
from upheld.run.trace import Run, Score, start_run
from upheld.types import Claim, Draft, Evidence, Question, Support
from upheld.verification.verify import Verify
from upheld.verification.verify_draft import VerifyDraft
from upheld_lab.testing.fake_entailment import FakeEntailment, Fault
from upheld_lab.testing.fake_grader import FakeGrader
from upheld_lab.testing.fake_llm import FakeLLM, Line

THREE = Says(
    {
        OPEN: written((LATE, [1])),
        LEAD: written((LED, [1])),
        COST: written((FREE, [1]), (MONDAY, [1])),
    },
    {LATE: written((OPENED, [1])), MONDAY: written((MUSEUM["whale"], [1]))},
    phrases=("museum",),
)


async def three(**changes: Any) -> ByDiagnosis:
    """Three facets, one claim contradicted, one unsupported; evidence that calls for more."""
    fallback_search = await shelf({"web": "The museum has a web page."})
    search = by_word(await shelf(MUSEUM), "Monday", await shelf({"w": MUSEUM["whale"]}))
    doubtful = Grade(grader=FakeGrader(), upper=0.99, lower=-0.9)
    return method(
        search, FakeLLM(THREE), **{"grade": doubtful, "fallback_search": fallback_search, **changes}
    )


async def test_three_facets_and_two_repairs_cost_no_more_than_twelve_completions() -> None:
    draft, run = await ask(await three(), PARTS)
    assert told(draft) == [OPENED, LED, FREE, MUSEUM["whale"]]
    assert set(supports(draft)) == {Support.SUPPORTED}
    assert sorted(called(run)) == sorted(
        ["plan", *["rewrite"] * 3, *["write"] * 3, *["restate"] * 2]
    )
    assert run.meter.used.completions == 9 <= 12
    assert len(repairs(run)) == 2
    assert run.best_score[:3] == (0, 3, 1.0)


async def test_repairs_of_a_round_run_at_once() -> None:
    made, both = await three(fallback_search=None), asyncio.Barrier(2)
    assert made.restate is not None
    restate = made.restate

    async def meeting(question: Question, claim: Claim, evidence: Evidence) -> Draft:
        await asyncio.wait_for(both.wait(), 5)
        return await restate(question, claim, evidence)

    draft, _ = await ask(replace(made, restate=cast("Restate", meeting)), PARTS)
    assert set(supports(draft)) == {Support.SUPPORTED}


@pytest.mark.parametrize("budget", [Budget(rounds=0), None])
async def test_rounds_are_bounded_by_the_field_and_by_the_budget(budget: Budget | None) -> None:
    rounds = 0 if budget is None else 2
    draft, run = await ask(await three(rounds=rounds), PARTS, budget)
    assert repairs(run) == []
    assert LATE in told(draft)


async def test_rounds_end_when_nothing_is_left_to_repair() -> None:
    draft, run = await ask(await three(rounds=5), PARTS)
    assert run.meter.rounds == 1
    assert set(supports(draft)) == {Support.SUPPORTED}


TUESDAY = "The museum closed on a Tuesday."
BELLS = "The bells of the museum rang on a Monday."
OPEN_TUESDAYS = "The museum closed on no Tuesday."
NEWS = {"news": f"{MONDAY} {BELLS} {OPEN_TUESDAYS}"}


async def test_what_one_repair_finds_is_held_against_other_claims() -> None:
    """Upheld, a claim needs no repair of its own; contradicted, it is one for the next round."""
    first = written((OPENED, [1]), (MONDAY, [1]), (BELLS, [1]), (TUESDAY, [1]))
    again: dict[str, list[Line]] = {
        BELLS: [written()],
        TUESDAY: [written(), written((OPEN_TUESDAYS, [1]))],
    }

    def say(messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
        if messages[-1].content.startswith("This claim"):
            (before,) = Claims.model_validate_json(messages[-2].content).claims
            return again[before.text].pop(0)
        return first

    search = by_word(await shelf(MUSEUM, 4), "opened on a Monday", await shelf(NEWS))
    draft, run = await ask(method(search, FakeLLM(say)))
    assert told(draft) == [OPENED, MONDAY, BELLS, OPEN_TUESDAYS]
    assert set(supports(draft)) == {Support.SUPPORTED}
    assert (called(run), run.meter.rounds) == (["write", *["restate"] * 3], 2)
    assert len(repairs(run)) == 4  # three, then one; what failed is not tried again
    assert repairs(run)[-1].note == f"contradicted: {TUESDAY} -> {OPEN_TUESDAYS}"


async def test_a_round_that_does_not_help_is_the_last_and_changes_nothing() -> None:
    llm = FakeLLM(Says({OPEN: written((OPENED, [1]), (MONDAY, [1]))}, {MONDAY: written()}))
    draft, run = await ask(method(await shelf(MUSEUM), llm, rounds=5))
    assert told(draft) == [OPENED, MONDAY]
    assert run.meter.rounds == 1
    assert run.best_score == (0, 1, 0.5, -1)  # of the first draft, before the call in vain


@pytest.mark.parametrize("calls", range(10))
async def test_when_the_calls_run_out_the_best_draft_is_kept(calls: int) -> None:
    made = await three()
    with start_run(Budget(llm_calls=calls)) as run:
        try:
            await made(PARTS)
        except BudgetExceededError:
            assert calls < 9
    assert run.meter.used.requests <= calls
    assert run.best is not None  # the quote writer stands in for the language model
    assert run.best.question is PARTS
    assert run.best.claims


@pytest.mark.parametrize("calls", range(10))
async def test_nothing_that_was_paid_for_is_lost(calls: int) -> None:
    """Without the quote writer: a call that is refused does not undo those beside it."""
    made = await three(rewrite=None, fallback_search=None)  # plan, 3 x write, 2 x restate
    made = replace(made, write=made.write.write)  # type: ignore[attr-defined]  # the LLM's alone
    with start_run(Budget(llm_calls=calls)) as run:
        try:
            await made(PARTS)
        except BudgetExceededError:
            assert calls < 6
    said = [] if run.best is None else told(run.best)
    mended = [OPENED, LED, FREE, MUSEUM["whale"]]
    assert (
        said
        == {
            0: [],
            1: [],
            2: [],  # the only sentence is contradicted: withheld
            3: [LATE, LED],
            4: [LATE, LED, FREE, MONDAY],
            5: [OPENED, LED, FREE, MONDAY] if OPENED in said else [LATE, *mended[1:]],
        }.get(calls, mended)
    )


@pytest.mark.parametrize("failing", range(9))
async def test_a_language_model_that_fails_at_any_call_leaves_an_answer(failing: int) -> None:
    count = 0

    def say(messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
        nonlocal count
        count += 1
        return LLMUnavailableError("down") if count == failing + 1 else THREE(messages, output)

    made, llm = await three(), FakeLLM(say)
    made = replace(
        made,
        plan=replace(made.plan, llm=llm) if made.plan else None,
        rewrite=Rewrite(llm=llm),
        write=writer(llm),
        restate=Restate(llm=llm),
    )
    draft, run = await ask(made, PARTS)
    assert draft.claims
    assert run.degraded
    assert Support.SUPPORTED in supports(draft)


async def test_when_the_time_ends_the_facets_that_are_done_are_kept() -> None:
    llm = FakeLLM(
        Says({OPEN: written((OPENED, [1])), LEAD: written((LED, [1]))}, plans=(OPEN, LEAD))
    )
    write = WriteClaims(llm=llm)

    async def stuck(question: Question, evidence: Evidence) -> Draft:
        if question.text == LEAD:
            await asyncio.Event().wait()
        return await write(question, evidence)

    made = method(await shelf(MUSEUM), llm, write=stuck)
    with start_run() as run, pytest.raises(TimeoutError):
        await asyncio.wait_for(made(PARTS), 0.5)
    assert run.best is not None
    assert (run.best.question, told(run.best)) == (PARTS, [OPENED])


# --- the score never goes down -------------------------------------------------------------------

SENTENCES = [OPENED, LED, FREE, MONDAY, LATE, *MUSEUM.values(), "The passages do not say.", ""]
CLAIMS = st.lists(st.tuples(st.sampled_from(SENTENCES), st.lists(st.integers(0, 5), max_size=2)))
LINES = st.one_of(
    st.builds(lambda claims: written(*claims), CLAIMS),
    st.sampled_from(["no JSON", LLMUnavailableError("down"), written()]),
)
FAULTS = st.sampled_from([None, None, None, *(each for each in Fault if each is not Fault.HANG)])


@settings(max_examples=60, deadline=None)
@given(
    lines=st.lists(LINES, min_size=1, max_size=12),
    faults=st.lists(FAULTS, max_size=4),
    calls=st.one_of(st.none(), st.integers(0, 12)),
    question=st.sampled_from([ASK, PARTS]),
    unsupported=st.sampled_from(UnsupportedPolicy),
)
def test_the_best_is_returned_whatever_goes_wrong(
    lines: list[Line],
    faults: list[Fault | None],
    calls: int | None,
    question: Question,
    unsupported: UnsupportedPolicy,
) -> None:
    """What is offered is recorded, and held against what comes back."""
    left, offered = list(lines), list[tuple[Score, Draft]]()

    def say(messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
        if output is not None and issubclass(output, Claims):
            return left.pop(0) if left else written()
        return THREE(messages, output)

    class Recording(Run):
        def offer(self, draft: Draft, score: Score = ()) -> bool:
            offered.append((score, draft))
            return super().offer(draft, score)

    async def answered() -> tuple[Draft | None, Run]:
        check = VerifyDraft(verify=Verify(model=FakeEntailment(faults=list(faults))))
        whole = method(
            await shelf(MUSEUM, limit=2), FakeLLM(say), check=check, unsupported=unsupported
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("upheld.run.trace.Run", Recording)
            with start_run(Budget(llm_calls=calls)) as run:
                try:
                    return await whole(question), run
                except BudgetExceededError:
                    assert calls is not None
                    return None, run

    draft, run = asyncio.run(answered())
    assert run.meter.used.requests <= (1000 if calls is None else calls)
    if draft is not None:
        assert draft is run.best
    if run.best is None:
        return
    assert run.best_score == max(score for score, _ in offered)
    best = run.best
    assert best.question is question
    ids = {passage.id for passage in best.evidence.passages}
    assert {each.passage_id for claim in best.claims for each in claim.citations} <= ids
    found = set(supports(best))
    assert not best.claims or found & {Support.SUPPORTED, Support.NOT_CHECKED}
    if unsupported is UnsupportedPolicy.MARK and best.claims and math.isfinite(run.best_score[0]):
        said = [claim for claim in best.claims if is_checkworthy(claim)]
        assert run.best_score[0] == -supports(best).count(Support.CONTRADICTED)
        assert run.best_score[2] == sum(map(is_supported, said)) / len(said)
    if unsupported is UnsupportedPolicy.DROP:
        assert not found & {Support.UNSUPPORTED, Support.CONTRADICTED}

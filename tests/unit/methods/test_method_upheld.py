"""Our own method, row by row of its table, at the ports."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from pydantic import BaseModel

from tests.messages import only_says
from tests.unit.museum import (
    COST,
    LATE,
    LEAD,
    LED,
    MONDAY,
    MUSEUM,
    OPEN,
    OPENED,
    PARTS,
    Asked,
    Says,
    ask,
    by_word,
    method,
    repairs,
    shelf,
    supports,
)
from tests.unit.shelf import called, sources, told, written
from upheld.generation.write import Claims, WriteClaims
from upheld.methods.by_diagnosis.unsupported_policy import UnsupportedPolicy
from upheld.ports import Message
from upheld.retrieval.distil import Distil
from upheld.retrieval.grade import Grade
from upheld.types import Cause, Draft, Evidence, Question, Support
from upheld.verification.verify import Verify
from upheld.verification.verify_draft import VerifyDraft
from upheld_lab.testing.fake_entailment import FakeEntailment, Fault
from upheld_lab.testing.fake_grader import FakeGrader
from upheld_lab.testing.fake_llm import FakeLLM, Line

# --- the first pass ------------------------------------------------------------------------------


async def test_a_simple_question_that_holds_costs_one_completion() -> None:
    llm = FakeLLM(Says({OPEN: written((OPENED, [1]))}))
    draft, run = await ask(method(await shelf(MUSEUM), llm))
    assert (told(draft), supports(draft)) == ([OPENED], [Support.SUPPORTED])
    assert called(run) == ["write"]
    assert (run.meter.used.completions, run.meter.used.searches) == (1, 1)
    assert (repairs(run), run.degraded) == ([], [])
    assert run.best_score == (0, 1, 1.0, -1)


async def test_wrong_marks_are_mended_without_a_call() -> None:
    llm = FakeLLM(Says({OPEN: written((OPENED, [2]))}))
    draft, run = await ask(method(await shelf(MUSEUM), llm))
    (claim,) = draft.claims
    assert claim.verdict.cause is Cause.ENTAILED_ELSEWHERE
    assert [each.document_id for each in claim.citations] == ["opened"]
    assert called(run) == ["write"]


async def test_facets_are_answered_apart_and_joined_in_order() -> None:
    llm = FakeLLM(
        Says(
            {OPEN: written((OPENED, [1])), LEAD: written((LED, [1])), COST: written((OPENED, [1]))}
        )
    )
    search = await shelf(MUSEUM, limit=2)
    draft, run = await ask(method(search, llm), PARTS)
    assert told(draft) == [OPENED, LED]  # what the third repeats is said once
    assert draft.question is PARTS
    assert called(run) == ["plan", "write", "write", "write"]
    assert search.queries[:4] == [PARTS.text, OPEN, LEAD, COST]
    assert set(sources(draft)) >= {"opened", "leader"}


async def test_the_question_is_searched_before_the_plan_is_there() -> None:
    search = await shelf(MUSEUM)
    seen: list[int] = []

    def say(messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
        seen.append(len(search.queries))
        return {"questions": [OPEN, LEAD]} if len(seen) == 1 else written()

    await ask(method(search, FakeLLM(say), rounds=0), PARTS)
    assert seen[0] == 1


async def test_the_check_of_one_facet_overlaps_the_writing_of_another() -> None:
    checked = asyncio.Event()
    check = VerifyDraft(verify=Verify(model=FakeEntailment()))
    llm = FakeLLM(
        Says({OPEN: written((OPENED, [1])), LEAD: written((LED, [1]))}, plans=(OPEN, LEAD))
    )
    write = WriteClaims(llm=llm)

    async def slow(question: Question, evidence: Evidence) -> Draft:
        if question.text == LEAD:
            await asyncio.wait_for(checked.wait(), 5)
        return await write(question, evidence)

    async def telling(draft: Draft) -> Draft:
        done = await check(draft)
        checked.set()
        return done

    draft, _ = await ask(method(await shelf(MUSEUM), llm, write=slow, check=telling), PARTS)
    assert told(draft) == [OPENED, LED]


async def test_a_plan_that_fails_leaves_the_question_whole() -> None:
    llm = FakeLLM(Says({PARTS.text: written((OPENED, [1]))}, plans=()))
    draft, run = await ask(method(await shelf(MUSEUM), llm), PARTS)
    assert told(draft) == [OPENED]
    assert called(run) == ["plan", "write"]


async def test_no_more_facets_than_allowed() -> None:
    llm = FakeLLM(Says({OPEN: written((OPENED, [1])), LEAD: written((LED, [1]))}))
    draft, run = await ask(method(await shelf(MUSEUM), llm, max_facets=2), PARTS)
    assert told(draft) == [OPENED, LED]
    assert called(run) == ["plan", "write", "write"]


async def test_another_facets_passages_may_uphold_a_claim() -> None:
    lost = written((OPENED, [1]), (LED, [1]))  # only the search for the second finds the leader
    llm = FakeLLM(Says({OPEN: lost, LEAD: written((LED, [1]))}, plans=(OPEN, LEAD)))
    draft, run = await ask(method(await shelf(MUSEUM, limit=1), llm), PARTS)
    assert supports(draft) == [Support.SUPPORTED] * 2
    assert (called(run), repairs(run)) == (["plan", "write", "write"], [])


# --- row: evidence graded incorrect --------------------------------------------------------------

OWLS = {"owls": "Owls sleep by day, when nobody sees them."}
WEB = {"web": "The house that has opened in 1881 is the museum."}


async def test_bad_evidence_is_corrected_before_writing() -> None:
    fallback_search = await shelf(WEB)
    llm = FakeLLM(Says({OPEN: written((OPENED, [1]))}))
    draft, run = await ask(method(await shelf(OWLS), llm, fallback_search=fallback_search))
    assert (told(draft), sources(draft)) == ([OPENED], ["web"])
    assert called(run) == ["rewrite", "write"]
    assert fallback_search.queries == ["house director"]


async def test_doubtful_evidence_is_joined_by_a_wider_search() -> None:
    llm = FakeLLM(Says({OPEN: written((OPENED, [2]))}))
    doubtful = {"shop": "The museum has a shop."}
    made = method(await shelf(doubtful), llm, fallback_search=await shelf(WEB))
    draft, run = await ask(replace(made, grade=Grade(grader=FakeGrader(), upper=0.9, lower=-0.5)))
    assert sources(draft) == ["shop", "web"]
    assert called(run) == ["rewrite", "write"]


async def test_bad_evidence_is_never_written_from() -> None:
    search = await shelf({"owls": "When owls sleep nobody has seen them."})
    llm = FakeLLM(Says({OPEN: written(("Owls.", [1]))}))
    draft, run = await ask(method(search, llm))
    assert draft.claims == ()
    assert sources(draft) == ["owls"]
    assert called(run) == ["rewrite"]  # in other words, too, there is nothing
    assert draft.notes == (f"searched for: {OPEN}; house director",)


async def test_a_facet_falls_back_on_what_the_whole_question_found() -> None:
    class Deaf:
        """Finds for the facet what has nothing to do with it."""

        async def __call__(self, question: Question) -> Evidence:
            return await (owls if question.text == LEAD else museum)(question)

    owls, museum = await shelf({"owls": "Who has seen owls?"}), await shelf(MUSEUM)
    llm = FakeLLM(
        Says({OPEN: written((OPENED, [1])), LEAD: written((LED, [1]))}, plans=(OPEN, LEAD))
    )
    draft, _ = await ask(method(Deaf(), llm), PARTS)
    assert told(draft) == [OPENED, LED]


async def test_strips_are_what_is_written_from() -> None:
    long = {"long": f"{MUSEUM['opened']} Owls sleep. They do so by day. Nobody minds them."}
    llm = FakeLLM(Says({OPEN: written((OPENED, [1]))}))
    made = method(await shelf(long), llm, distil=Distil(grader=FakeGrader(), sentences=1))
    draft, _ = await ask(made)
    assert [passage.text for passage in draft.evidence.passages] == [MUSEUM["opened"]]
    whole, _ = await ask(replace(made, distil=None))
    assert [passage.text for passage in whole.evidence.passages] == [long["long"]]


async def test_without_grades_whatever_was_found_is_written_from() -> None:
    llm = FakeLLM(Says({OPEN: written((MUSEUM["entry"], [1]))}))
    draft, run = await ask(method(await shelf({"entry": MUSEUM["entry"]}), llm, grade=None))
    assert told(draft) == [MUSEUM["entry"]]
    assert called(run) == ["write"]


# --- row: unsupported ----------------------------------------------------------------------------

MONDAYS = {"monday": "It was a Monday on which the museum opened."}


async def test_a_claim_is_searched_for_and_upheld_as_it_stands() -> None:
    llm = FakeLLM(Says({OPEN: written((OPENED, [1]), (MONDAY, [1]))}))
    search = by_word(await shelf(MUSEUM, 1), "Monday", await shelf(MONDAYS))
    draft, run = await ask(method(search, llm))
    assert supports(draft) == [Support.SUPPORTED] * 2
    assert [each.document_id for each in draft.claims[1].citations] == ["monday"]
    assert sources(draft) == ["opened", "monday"]
    assert called(run) == ["write"]
    (repair,) = repairs(run)
    assert repair.note == f"unsupported: {MONDAY} -> {MONDAY}"
    under = [event.stage for event in run.events if event.parent == repair.id]
    assert under == ["search", "verify"]


async def test_a_claim_that_nothing_new_upholds_is_restated_alone() -> None:
    llm = FakeLLM(
        Says({OPEN: written((OPENED, [1]), (MONDAY, [1]))}, {MONDAY: written((LED, [1]))})
    )
    search = by_word(await shelf(MUSEUM, 1), "Monday", await shelf({"leader": MUSEUM["leader"]}))
    draft, run = await ask(method(search, llm))
    assert (told(draft), supports(draft)) == ([OPENED, LED], [Support.SUPPORTED] * 2)
    assert called(run) == ["write", "restate"]
    assert sources(draft) == ["opened", "leader"]
    shown = llm.calls[1].messages[1].content
    assert shown.index("Okafor") < shown.index("Cromwell Road")  # what is new, and what it cites


async def test_restating_knows_what_the_new_passages_say_against_it() -> None:
    late = "The museum was opened in 1882."
    llm = FakeLLM(Says({OPEN: written((late, [1]))}, {late: written((OPENED, [1]))}))
    first = await shelf({"shop": "The museum has opened a shop."})
    draft, _ = await ask(method(by_word(first, "1882", await shelf(MUSEUM)), llm))
    assert told(draft) == [OPENED]
    assert "a source says otherwise: [1]" in llm.calls[1].messages[-1].content


@pytest.mark.parametrize(
    ("unsupported", "kept"),
    [(UnsupportedPolicy.MARK, [OPENED, MONDAY]), (UnsupportedPolicy.DROP, [OPENED])],
)
async def test_what_is_still_unsupported_is_marked_or_dropped(
    unsupported: UnsupportedPolicy, kept: list[str]
) -> None:
    llm = FakeLLM(Says({OPEN: written((OPENED, [1]), (MONDAY, [1]))}, {MONDAY: written()}))
    draft, run = await ask(method(await shelf(MUSEUM), llm, unsupported=unsupported))
    assert told(draft) == kept
    assert called(run) == ["write", "restate"]  # once: the same repair is not tried twice
    (settled,) = (event for event in run.events if event.stage == "apply_policy")
    assert re.findall(r"\d+", settled.note) == ["1", str(len(kept) - 1)]  # rejected, shown
    assert repairs(run)[0].note == f"unsupported: {MONDAY} -> as it was"


@pytest.mark.parametrize("again", [MONDAY, LATE, "The passages do not say."])
async def test_a_restatement_that_does_not_hold_changes_nothing(again: str) -> None:
    llm = FakeLLM(
        Says({OPEN: written((OPENED, [1]), (MONDAY, [1]))}, {MONDAY: written((again, [1]))})
    )
    draft, _ = await ask(method(await shelf(MUSEUM), llm))
    assert told(draft) == [OPENED, MONDAY]


async def test_without_restating_the_claim_is_still_searched_for() -> None:
    llm = FakeLLM(Says({OPEN: written((OPENED, [1]), (MONDAY, [1]))}))
    search = await shelf(MUSEUM)
    draft, run = await ask(method(search, llm, restate=None))
    assert told(draft) == [OPENED, MONDAY]
    assert search.queries[:2] == [OPEN, MONDAY]
    assert only_says(run.degraded, "no language model", "restated")


# --- row: contradicted ---------------------------------------------------------------------------


async def test_a_contradicted_claim_is_restated_from_what_says_otherwise() -> None:
    llm = FakeLLM(Says({OPEN: written((LATE, [2]))}, {LATE: written((OPENED, [1]))}))
    draft, run = await ask(method(await shelf(MUSEUM), llm))
    assert (told(draft), supports(draft)) == ([OPENED], [Support.SUPPORTED])
    assert called(run) == ["write", "restate"]
    assert "[1]\n```\nThe museum opened in 1881" in llm.calls[1].messages[1].content
    assert draft.conflicts == ()


async def test_documents_that_disagree_are_told_to_the_reader() -> None:
    both = MUSEUM | {"plaque": "The museum opened in 1882 on Cromwell Road."}
    llm = FakeLLM(Says({OPEN: written((OPENED, [1, 2]))}))
    draft, run = await ask(method(await shelf(both), llm))
    assert told(draft) == [OPENED]
    (conflict,) = draft.conflicts
    assert {conflict.one.document_id, conflict.other.document_id} == {"opened", "plaque"}
    assert (called(run), repairs(run)) == (["write"], [])


# --- row: a facet unanswered ---------------------------------------------------------------------


async def test_an_unanswered_facet_is_asked_in_other_words_and_its_answer_appended() -> None:
    answers: dict[str, list[Line]] = {LEAD: [written(), written((LED, [1]))]}
    says = Says({OPEN: written((OPENED, [1]))}, plans=(OPEN, LEAD), phrases=("Okafor",))

    def say(messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
        asked = messages[-1].content.rpartition("Question: ")[2]
        if output is not None and issubclass(output, Claims) and asked in answers:
            return answers[asked].pop(0)
        return says(messages, output)

    search = by_word(await shelf({"opened": MUSEUM["opened"]}), "Okafor", await shelf(MUSEUM))
    draft, run = await ask(method(search, FakeLLM(say)), PARTS)
    assert told(draft) == [OPENED, LED]
    assert called(run) == ["plan", "write", "write", "rewrite", "write"]
    assert repairs(run)[0].note == f"unanswered: {LEAD} -> {LED}"


async def test_the_second_attempt_also_looks_wider() -> None:
    llm = FakeLLM(Says({OPEN: written((OPENED, [1]))}))
    fallback_search = await shelf(WEB)
    made = method(Asked(), llm, fallback_search=fallback_search)
    made = replace(made, grade=None)  # nothing is found, so nothing is graded bad
    draft, run = await ask(made)
    assert told(draft) == [OPENED]
    assert called(run) == ["rewrite", "write"]


async def test_a_second_attempt_that_finds_nothing_new_writes_nothing() -> None:
    llm = FakeLLM(Says({OPEN: written()}, phrases=("museum opened",)))
    draft, run = await ask(method(await shelf(MUSEUM), llm))
    assert draft.claims == ()
    assert called(run) == ["write", "rewrite"]
    assert draft.notes == (f"searched for: {OPEN}; museum opened",)


async def test_a_second_answer_that_does_not_hold_is_not_appended() -> None:
    lines = [written(), written((LATE, [1]), (MONDAY, [1]))]

    def say(messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
        return lines.pop(0) if output and issubclass(output, Claims) else {"phrases": ["Cromwell"]}

    search = by_word(await shelf({"shop": "The museum has opened"}), "Crom", await shelf(MUSEUM))
    draft, run = await ask(method(search, FakeLLM(say)))
    assert draft.claims == ()
    assert called(run) == ["write", "rewrite", "write"]


# --- row: nothing supports anything --------------------------------------------------------------


async def test_where_nothing_holds_it_abstains_and_says_what_was_searched() -> None:
    llm = FakeLLM(Says({OPEN: written((MONDAY, [1]), (LATE, [1]))}))
    draft, _ = await ask(method(await shelf(MUSEUM), llm))
    assert draft.claims == ()
    assert len(draft.evidence) == 4
    withheld, searched = draft.notes
    assert only_says([withheld], "2 sentences", "withheld")
    assert searched == f"searched for: {OPEN}; {MONDAY}"


@pytest.mark.parametrize("fault", [Fault.KILLED, Fault.NOT_A_NUMBER])
async def test_where_nothing_could_be_checked_nothing_is_thrown_away(fault: Fault) -> None:
    llm = FakeLLM(Says({OPEN: written((MONDAY, [1]))}))
    check = VerifyDraft(verify=Verify(model=FakeEntailment(faults=[fault] * 9)))
    draft, run = await ask(method(await shelf(MUSEUM), llm, check=check, unsupported="drop"))
    assert (told(draft), supports(draft)) == ([MONDAY], [Support.NOT_CHECKED])
    assert called(run) == ["write"]


# --- without a language model --------------------------------------------------------------------


async def test_quotes_need_no_language_model() -> None:
    draft, run = await ask(method(await shelf(MUSEUM), None))
    assert told(draft)[0] == MUSEUM["opened"]
    assert set(supports(draft)) == {Support.SUPPORTED}
    assert (called(run), run.degraded) == ([], [])


async def test_quotes_for_several_parts_are_not_planned_and_that_is_said() -> None:
    draft, run = await ask(method(await shelf(MUSEUM), None), PARTS)
    assert draft.claims
    assert only_says(run.degraded, "no plan")


async def test_quotes_abstain_honestly() -> None:
    draft, run = await ask(method(await shelf(OWLS), None))
    assert draft.claims == ()
    assert draft.notes == (f"searched for: {OPEN}",)
    assert called(run) == []

"""The verify stage: every rung, what it asks of the model, and what it says."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from tests.messages import only_says
from upheld.answer.verdicts import fix_citations
from upheld.ports import Judgement, Pair
from upheld.run.budget import Budget
from upheld.run.trace import start_run
from upheld.types import Cause, Citation, Claim, Passage, Question, Support
from upheld.verification.decide import Decide
from upheld.verification.premises import Finding, Task
from upheld.verification.rules import ConsistencyRules
from upheld.verification.verify import Verify
from upheld_lab.testing.fake_entailment import FakeEntailment, Fault

TOWER = (
    "The lighthouse was built in 1869. It opens to visitors at nine. 2,340 people came last year."
)
FERRY = "The ferry leaves the harbour at noon. Dogs are not allowed on the ferry."
SURE = Judgement(0.98, 0.01, 0.01)


def passage(name: str, text: str, title: str = "") -> Passage:
    return Passage(name, text, f"doc-{name}", "v1", 100, 100 + len(text), title)


TOWER_PASSAGE, FERRY_PASSAGE = passage("tower", TOWER), passage("ferry", FERRY)
BOTH = (TOWER_PASSAGE, FERRY_PASSAGE)


def claim(text: str, *cited: Passage) -> Claim:
    citations = tuple(
        Citation(each.id, each.document_id, each.document_version, each.start, each.end, each.text)
        for each in cited
    )
    return Claim(text, citations)


async def checked(
    text: str, *cited: Passage, passages: Sequence[Passage] = BOTH, stage: Verify | None = None
) -> Claim:
    stage = stage or Verify(model=FakeEntailment())
    [found] = await stage([claim(text, *cited)], passages, None)
    return found


def assert_exact(found: Claim, passages: Sequence[Passage] = BOTH) -> None:
    """Every citation's words are where it says they are."""
    known = {each.id: each for each in passages}
    verdict = found.verdict
    for citation in (*found.citations, *verdict.evidence_for, *verdict.evidence_against):
        source = known[citation.passage_id]
        start, end = citation.start - source.start, citation.end - source.start
        assert source.text[start:end] == citation.quote


async def test_a_quote_needs_no_model() -> None:
    model = FakeEntailment()
    found = await checked(
        "The lighthouse was built in 1869.", TOWER_PASSAGE, stage=Verify(model=model)
    )
    assert found.verdict.support is Support.SUPPORTED
    assert found.verdict.checked_by == "quote"
    assert found.verdict.cause is Cause.QUOTED
    assert found.verdict.probability == 1.0
    assert found.citations[0].support is Support.SUPPORTED
    assert found.citations[0].quote == "The lighthouse was built in 1869."
    assert model.asked == []
    assert_exact(found)


async def test_what_the_cited_passage_entails_is_supported_at_the_exact_sentence() -> None:
    found = await checked("The lighthouse opens to visitors at nine.", TOWER_PASSAGE)
    assert found.verdict.support is Support.SUPPORTED
    assert found.verdict.checked_by == "fake-entailment"
    assert found.verdict.cause is Cause.ENTAILED
    assert found.verdict.probability == pytest.approx(0.96)
    assert found.verdict.evidence_for[0].quote == "It opens to visitors at nine."
    assert found.citations[0].support is Support.SUPPORTED
    assert_exact(found)


async def test_other_passages_are_not_asked_when_the_cited_one_is_enough() -> None:
    model = FakeEntailment()
    await checked("Visitors come to the lighthouse at nine.", stage=Verify(model=model))
    await checked("The lighthouse opens at nine.", TOWER_PASSAGE, stage=Verify(model=model))
    assert len(model.asked[-1]) == 2  # its nearest sentence, and all of it


async def test_passages_that_only_together_entail_it() -> None:
    one, two = passage("one", "The keeper is Bell."), passage("two", "Bell was born in Ayr.")
    found = await checked("The keeper Bell was born in Ayr.", one, two, passages=(one, two))
    assert found.verdict.support is Support.SUPPORTED
    assert [each.support for each in found.citations] == [Support.SUPPORTED] * 2
    assert {each.passage_id for each in found.verdict.evidence_for} == {"one", "two"}


async def test_uncited_passages_are_tried_together_too() -> None:
    one, two = passage("one", "The keeper is Bell."), passage("two", "Bell was born in Ayr.")
    found = await checked("The keeper Bell was born in Ayr.", passages=(one, two, FERRY_PASSAGE))
    assert found.verdict.support is Support.SUPPORTED


async def test_a_citation_that_adds_nothing_is_told_from_the_one_that_upholds() -> None:
    found = await checked("The lighthouse opens at nine.", TOWER_PASSAGE, FERRY_PASSAGE)
    assert [each.support for each in found.citations] == [Support.SUPPORTED, Support.UNSUPPORTED]
    assert [each.passage_id for each in fix_citations(found).citations] == ["tower"]


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("The ferry leaves at noon.", Cause.ENTAILED_ELSEWHERE),
        ("The ferry leaves the harbour at noon.", Cause.QUOTED),
    ],
)
async def test_a_wrong_mark_is_found_and_can_be_mended(text: str, cause: Cause) -> None:
    found = await checked(text, TOWER_PASSAGE)
    assert found.verdict.support is Support.SUPPORTED
    assert found.verdict.cause is cause
    assert "another source" in found.verdict.reason
    assert found.citations[0].support is Support.UNSUPPORTED
    assert [each.passage_id for each in found.verdict.evidence_for] == ["ferry"]
    assert fix_citations(found).citations == found.verdict.evidence_for
    assert_exact(found)


async def test_contradiction_keeps_its_evidence() -> None:
    found = await checked("Dogs are allowed on the ferry.", FERRY_PASSAGE)
    assert found.verdict.support is Support.CONTRADICTED
    assert found.verdict.evidence_against[0].quote == "Dogs are not allowed on the ferry."
    assert found.citations[0].support is Support.CONTRADICTED
    assert fix_citations(found) == found
    assert_exact(found)


async def test_evidence_for_and_against_are_both_kept() -> None:
    other = passage("other", "The ferry never leaves at noon.")
    found = await checked(
        "The ferry leaves at noon.", FERRY_PASSAGE, other, passages=(FERRY_PASSAGE, other)
    )
    assert found.verdict.support is Support.SUPPORTED
    assert [each.passage_id for each in found.verdict.evidence_for] == ["ferry"]
    assert [each.passage_id for each in found.verdict.evidence_against] == ["other"]


async def test_what_nothing_says_is_unsupported() -> None:
    found = await checked("Gulls nest under the roof.", TOWER_PASSAGE)
    assert found.verdict.support is Support.UNSUPPORTED
    assert found.verdict.cause is Cause.NOT_ENTAILED
    assert found.verdict.probability == pytest.approx(0.04)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("In all, 2,430 people came.", Cause.FIGURE_ABSENT),
        ("The keeper is Ahab.", Cause.NAME_ABSENT),
    ],
)
async def test_the_guard_overrules_a_sure_model(text: str, cause: Cause) -> None:
    sure = FakeEntailment(always=SURE)
    guarded = await checked(text, TOWER_PASSAGE, stage=Verify(model=sure))
    assert guarded.verdict.support is Support.UNSUPPORTED
    assert guarded.verdict.cause is cause
    assert guarded.verdict.probability == pytest.approx(0.0, abs=0.001)
    assert guarded.citations[0].support is Support.UNSUPPORTED
    off = ConsistencyRules(check_figures=False, check_names=False)
    open_ = await checked(text, TOWER_PASSAGE, stage=Verify(model=sure, rules=off))
    assert open_.verdict.support is Support.SUPPORTED


async def test_a_name_may_stand_in_the_title_a_figure_must_stand_in_the_window() -> None:
    titled = passage(
        "t", "She found 12 gulls. " + "It rained. " * 200 + "It was 1903.", title="Marie"
    )
    sure = Verify(model=FakeEntailment(always=SURE), max_windows=99)
    found = await checked(
        "In that year Marie found 12 gulls.", titled, passages=[titled], stage=sure
    )
    assert found.verdict.support is Support.SUPPORTED
    assert found.verdict.evidence_for[0].quote == "She found 12 gulls."


@pytest.mark.parametrize("threshold", [0.95, 0.97])
async def test_thresholds_are_fields(threshold: float) -> None:
    stage = Verify(model=FakeEntailment(), decide=Decide(supported_above=threshold))
    found = await checked("The ferry leaves at noon.", FERRY_PASSAGE, stage=stage)
    assert (found.verdict.support is Support.SUPPORTED) is (threshold < 0.96)


async def test_one_call_a_rung_of_each_claim_and_each_pair_once() -> None:
    model = FakeEntailment()
    text = "Gulls nest under the roof."
    claims = [claim(text, TOWER_PASSAGE), claim(text, TOWER_PASSAGE), claim("Seals swim far out.")]
    with start_run() as run:
        await Verify(model=model)(claims, BOTH, None)
    assert len(model.asked) == 3  # two rungs, the same claim again, and a claim without marks
    asked = [pair for call in model.asked for pair in call]
    assert len(asked) == len(set(asked))
    assert run.meter.used.pairs_checked == len(asked)
    [event] = run.events
    assert event.stage == "verify"
    assert event.usage.pairs_checked == len(asked)


async def test_title_and_headings_are_part_of_the_premise() -> None:
    model = FakeEntailment()
    source = Passage("t", "It opens at nine.", "d", "v", 0, 17, "Tower", heading_path=("Hours",))
    await checked("The tower opens at nine.", source, passages=[source], stage=Verify(model=model))
    assert model.asked == [[Pair("Tower\nHours\nIt opens at nine.", "The tower opens at nine.")]]


async def test_a_long_source_is_read_in_windows_to_its_end() -> None:
    days = " ".join(f"It rained all of day {day}." for day in range(300))
    text = f"{days} The ferry leaves at noon sharp."
    long = passage("long", text)
    model = FakeEntailment()
    found = await checked(
        "The ferry leaves sharp at noon.", long, passages=[long], stage=Verify(model=model)
    )
    assert found.verdict.support is Support.SUPPORTED
    assert found.verdict.evidence_for[0].quote == "The ferry leaves at noon sharp."
    assert len(model.asked[0]) >= 5
    assert_exact(found, [long])


async def test_question_and_previous_sentence_go_along_when_asked_to() -> None:
    model = FakeEntailment()
    stage = Verify(model=model, carry_question=True, carry_previous=True)
    claims = [claim("The ferry is red.", FERRY_PASSAGE), claim("It leaves early.", FERRY_PASSAGE)]
    await stage(claims, [FERRY_PASSAGE], Question("When does it leave?"))
    told = [call[0].claim for call in model.asked]
    assert told == [
        "When does it leave? The ferry is red.",
        "When does it leave? The ferry is red. It leaves early.",
    ]


async def test_context_that_does_not_fit_goes_and_the_claim_stays_whole() -> None:
    model = FakeEntailment()
    stage = Verify(model=model, carry_question=True)
    await stage([claim("It leaves early.", FERRY_PASSAGE)], [FERRY_PASSAGE], Question("why " * 300))
    assert model.asked[0][0].claim == "It leaves early."


async def test_without_a_model_quotes_count_and_the_rest_is_not_checked() -> None:
    stage = Verify(model=None)
    quoted = await checked("It opens to visitors at nine.", TOWER_PASSAGE, stage=stage)
    other = await checked("The lighthouse opens at nine.", TOWER_PASSAGE, stage=stage)
    assert quoted.verdict.support is Support.SUPPORTED
    assert other.verdict.support is Support.NOT_CHECKED
    assert other.verdict.cause is Cause.NO_MODEL
    assert other.citations[0].support is Support.NOT_CHECKED


async def test_support_that_was_found_outlives_a_later_failure() -> None:
    model = FakeEntailment(faults=[None, Fault.ERROR])
    claims = [
        claim("The lighthouse opens at nine.", TOWER_PASSAGE),
        claim("Gulls nest under the roof.", TOWER_PASSAGE),
    ]
    with start_run(Budget()) as run:
        first, second = await Verify(model=model)(claims, BOTH, None)
    assert first.verdict.support is Support.SUPPORTED
    assert second.verdict.support is Support.NOT_CHECKED
    assert second.verdict.cause is Cause.MODEL_FAILED
    assert only_says(run.degraded, "not checked", "told to fail")


async def test_without_a_model_the_run_is_told() -> None:
    with start_run(Budget()) as run:
        await checked("Gulls nest under the roof.", TOWER_PASSAGE, stage=Verify(model=None))
    assert only_says(run.degraded, "not checked", "no verifier")


@pytest.mark.parametrize(("grace", "cause"), [(5.0, Cause.QUOTED), (0.0, Cause.OUT_OF_TIME)])
async def test_when_time_is_up_quotes_are_looked_for_within_the_grace(
    grace: float, cause: Cause
) -> None:
    with start_run(Budget(seconds=0)) as run:
        found = await checked(
            "It opens to visitors at nine.", TOWER_PASSAGE, stage=Verify(model=None, grace=grace)
        )
    assert found.verdict.cause is cause
    assert bool(run.degraded) is (cause is Cause.OUT_OF_TIME)
    assert (
        all(each.support is not Support.SUPPORTED for each in found.citations) or not run.degraded
    )


@dataclass(frozen=True, kw_only=True)
class Watched(Decide):
    """Remembers the threads that weigh what was found."""

    threads: set[threading.Thread] = field(default_factory=set)

    def upholds(self, task: Task, findings: Sequence[Finding]) -> bool:
        self.threads.add(threading.current_thread())
        return super().upholds(task, findings)


@pytest.mark.parametrize("small", [0, 5_000])
async def test_findings_on_long_sources_are_not_weighed_on_the_event_loop(small: int) -> None:
    decide = Watched()
    stage = Verify(model=FakeEntailment(), decide=decide, small=small)
    await checked("The ferry leaves at noon.", TOWER_PASSAGE, stage=stage)
    assert decide.threads
    assert (threading.current_thread() in decide.threads) is bool(small)


class Slow(Decide):
    """Takes its time."""

    def upholds(self, task: Task, findings: Sequence[Finding]) -> bool:
        time.sleep(0.3)
        return super().upholds(task, findings)


async def test_a_search_that_takes_too_long_is_not_checked() -> None:
    stage = Verify(model=FakeEntailment(), decide=Slow(), grace=5.0, small=0)
    with start_run(Budget(seconds=0.1)):
        found = await checked("Gulls nest under the roof.", TOWER_PASSAGE, stage=stage)
    assert found.verdict.cause is Cause.OUT_OF_TIME


async def test_no_claims_cost_nothing() -> None:
    model = FakeEntailment()
    assert await Verify(model=model)([], BOTH, None) == ()
    assert model.asked == []


@pytest.mark.parametrize(
    ("text", "support"),
    [
        ("at noon: The ferry leaves the harbour at noon.", Support.SUPPORTED),
        ("Yes: The ferry leaves at noon.", Support.SUPPORTED),
        ("No: Dogs are not allowed on the ferry.", Support.SUPPORTED),
        ("Yes: Dogs are allowed on the ferry.", Support.CONTRADICTED),
        ("No: The ferry leaves at noon.", Support.UNSUPPORTED),  # the two parts do not agree
        ("at one: The ferry leaves the harbour at noon.", Support.UNSUPPORTED),
    ],
)
async def test_of_a_short_answer_with_its_sentence_the_sentence_is_checked(
    text: str, support: Support
) -> None:
    found = await checked(text, FERRY_PASSAGE)
    assert (found.text, found.verdict.support) == (text, support)

"""`ask` checks what it says: verdicts, mended marks, deadlines, and keep_supported."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.messages import only_says
from tests.unit.fake_kb import QUESTION, TEXT, WRITTEN, kb
from upheld.answer.render import NOTHING_UPHELD, NOTHING_WRITTEN
from upheld.run.budget import Budget
from upheld.types import Answer, Cause, Status, Support
from upheld_lab.testing.fake_entailment import FakeEntailment, Fault


def written(*texts: str) -> dict[str, object]:
    return {"claims": [{"sources": [1], "text": text} for text in texts]}


def verdicts(answer: Answer) -> list[Support]:
    return [claim.verdict.support for claim in answer.claims]


MIXED = written("It takes 35 minutes.", "The crossing takes 50 minutes.", "Gulls nest on deck.")


async def test_every_claim_has_its_verdict_and_the_words_for_it(tmp_path: Path) -> None:
    async with await kb(tmp_path, [MIXED], entailment=FakeEntailment()) as opened:
        answer = await opened.ask(QUESTION)
    assert verdicts(answer) == [Support.SUPPORTED, Support.CONTRADICTED, Support.UNSUPPORTED]
    first, second, _ = answer.claims
    assert first.verdict.evidence_for[0].quote == "The crossing takes 35 minutes."
    assert first.citations[0].support is Support.SUPPORTED
    assert second.verdict.evidence_against[0].quote == "The crossing takes 35 minutes."
    assert answer.status is Status.ANSWERED
    assert answer.guarantee is None


@pytest.mark.parametrize(
    "claim",
    [
        {"sources": [1, 99], "text": "It takes 35 minutes."},
        {"sources": [1], "text": "It takes 35 minutes [99]."},
    ],
)
async def test_a_mark_that_names_no_passage_makes_its_claim_unsupported(
    tmp_path: Path, claim: dict[str, object]
) -> None:
    model = FakeEntailment()
    async with await kb(tmp_path, [{"claims": [claim]}], entailment=model) as opened:
        answer = await opened.ask(QUESTION, method="rag")
    assert verdicts(answer) == [Support.UNSUPPORTED]
    assert answer.claims[0].verdict.cause is Cause.UNKNOWN_SOURCE
    assert "[99]" in answer.claims[0].verdict.reason


async def test_the_check_is_a_step_of_the_run_and_is_paid_for(tmp_path: Path) -> None:
    async with await kb(tmp_path, [MIXED], entailment=FakeEntailment()) as opened:
        answer = await opened.ask(QUESTION)
    [step] = [event for event in answer.trace if event.stage == "verify"]
    graded = sum(
        event.usage.pairs_checked
        for event in answer.trace
        if event.stage in ("rerank", "relevance")
    )
    assert step.usage.pairs_checked == answer.usage.pairs_checked - graded > 0


async def test_a_claim_of_several_sentences_is_checked_one_by_one(tmp_path: Path) -> None:
    several = written("It takes 35 minutes. Gulls nest on deck.")
    async with await kb(tmp_path, [several], entailment=FakeEntailment()) as opened:
        answer = await opened.ask(QUESTION)
    assert answer.text == "It takes 35 minutes. [1] Gulls nest on deck. [1]"
    assert verdicts(answer) == [Support.SUPPORTED, Support.UNSUPPORTED]
    assert [answer.text[claim.start : claim.end] for claim in answer.claims] == [
        "It takes 35 minutes.",
        "Gulls nest on deck.",
    ]


async def test_quotes_are_supported_without_a_model(tmp_path: Path) -> None:
    async with await kb(tmp_path) as opened:
        answer = await opened.ask(QUESTION)
    assert answer.claims[0].verdict.cause is Cause.QUOTED
    assert answer.degraded == ()


async def test_without_a_model_the_rest_is_not_checked_and_the_answer_says_so(
    tmp_path: Path,
) -> None:
    async with await kb(tmp_path, [WRITTEN]) as opened:
        answer = await opened.ask(QUESTION)
    assert answer.claims[0].verdict.cause is Cause.NO_MODEL
    assert answer.status is Status.ANSWERED
    assert only_says(answer.degraded, "not checked", "no verifier")


async def test_a_model_that_fails_does_not_fail_the_answer(tmp_path: Path) -> None:
    broken = FakeEntailment(faults=[Fault.KILLED])
    async with await kb(tmp_path, [WRITTEN], entailment=broken) as opened:
        answer = await opened.ask(QUESTION)
    assert answer.text == "It takes 35 minutes. [1]"
    assert answer.claims[0].verdict.cause is Cause.MODEL_FAILED


async def test_the_check_ends_with_the_deadline(tmp_path: Path) -> None:
    hangs = FakeEntailment(faults=[Fault.HANG])
    async with await kb(tmp_path, [WRITTEN], entailment=hangs) as opened:
        answer = await opened.ask(QUESTION, budget=Budget(seconds=1))
    assert answer.claims[0].verdict.cause is Cause.OUT_OF_TIME
    assert only_says(answer.degraded, "not checked", "limit: 1 s")


async def test_when_the_time_is_up_the_model_is_not_asked(tmp_path: Path) -> None:
    model = FakeEntailment()
    async with await kb(tmp_path, [WRITTEN], latency=30, entailment=model) as opened:
        answer = await opened.ask(QUESTION, budget=Budget(seconds=1))
    assert answer.status is Status.PARTIAL
    assert model.asked == []
    # What was quoted before the time was up is still seen to be a quote.
    assert answer.claims[0].verdict.cause is Cause.QUOTED


async def test_closing_closes_the_model(tmp_path: Path) -> None:
    model = FakeEntailment()
    async with await kb(tmp_path, entailment=model):
        assert not model.dead
    assert model.dead


async def test_keep_supported_says_only_what_is_upheld_and_counts_the_rest(tmp_path: Path) -> None:
    async with await kb(tmp_path, [MIXED], entailment=FakeEntailment()) as opened:
        answer = await opened.ask(QUESTION, keep_supported=True)
    assert answer.text == "It takes 35 minutes. [1]"
    assert verdicts(answer) == [Support.SUPPORTED]
    assert answer.status is Status.ANSWERED
    assert only_says(answer.degraded, "keep_supported", "1 contradicted, 1 unsupported")


async def test_keep_supported_abstains_where_nothing_is_upheld(tmp_path: Path) -> None:
    lost = written("Here is the answer:", "Gulls nest on deck.")
    async with await kb(tmp_path, [lost], entailment=FakeEntailment()) as opened:
        answer = await opened.ask(QUESTION, keep_supported=True)
    assert (answer.status, answer.claims, answer.sources) == (Status.ABSTAINED, (), ())
    assert answer.text == NOTHING_UPHELD
    assert only_says(answer.degraded, "keep_supported", "1 not checkworthy, 1 unsupported")


@pytest.mark.parametrize(
    ("beside", "is_said"),
    [
        ("Hello!", True),
        ("How long does it take?", True),
        ("**Key facts**", False),
        ("I'm not sure.", False),
        ("The documents do not mention the mayor.", False),
    ],
)
async def test_keep_supported_keeps_only_greetings_and_questions_beside_what_is_upheld(
    tmp_path: Path, beside: str, is_said: bool
) -> None:
    said = written(beside, "It takes 35 minutes.")
    async with await kb(tmp_path, [said], entailment=FakeEntailment()) as opened:
        answer = await opened.ask(QUESTION, keep_supported=True)
    assert answer.text == f"{f'{beside} [1] ' if is_said else ''}It takes 35 minutes. [1]"
    assert bool(answer.degraded) is not is_said


@pytest.mark.parametrize("fault", [Fault.ERROR, Fault.NOT_A_NUMBER, Fault.TOO_FEW])
async def test_keep_supported_does_not_say_what_could_not_be_checked(
    tmp_path: Path, fault: Fault
) -> None:
    model = FakeEntailment(faults=[fault])
    async with await kb(tmp_path, [WRITTEN], entailment=model) as opened:
        answer = await opened.ask(QUESTION, keep_supported=True)
    assert (answer.status, answer.text) == (Status.ABSTAINED, NOTHING_UPHELD)
    assert any("1 not checked" in label for label in answer.degraded)
    assert any("the verifier" in label for label in answer.degraded)


async def test_keep_supported_abstention_without_a_draft_is_the_documents_silence(
    tmp_path: Path,
) -> None:
    async with await kb(tmp_path, [{"claims": []}]) as opened:
        answer = await opened.ask(QUESTION, keep_supported=True)
    assert answer.text == NOTHING_WRITTEN[Status.ABSTAINED]
    assert "verify" not in {event.stage for event in answer.trace}


async def test_keep_supported_quotes_stand_as_they_are(tmp_path: Path) -> None:
    async with await kb(tmp_path) as opened:
        plain = await opened.ask(QUESTION)
        supported = await opened.ask(QUESTION, keep_supported=True)
    assert supported.text == plain.text
    assert TEXT.split(". ")[0] in supported.text

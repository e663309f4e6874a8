"""A draft checked against its evidence: sentences, mended marks, sources of what speaks against."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from upheld.answer.render import render
from upheld.generation.fallback import WriteAndPrepare
from upheld.run.trace import Run, start_run
from upheld.text.sentences import sentences
from upheld.types import (
    Cause,
    Citation,
    Claim,
    Draft,
    Evidence,
    Hit,
    Passage,
    Question,
    Support,
    Verdict,
)
from upheld.verification.verify import Verify
from upheld.verification.verify_draft import VerifyDraft, one_a_sentence
from upheld_lab.testing.fake_entailment import FakeEntailment, Fault

DOCUMENTS = Path(__file__).parent.parent.parent.parent / "examples" / "documents"
TOWER = "It was built in 1869. It opens to visitors at nine."
FERRY = "The ferry leaves the harbour at noon. Dogs are not allowed on the ferry."


def passage(name: str, text: str) -> Passage:
    return Passage(name, text, f"doc-{name}", "v", 0, len(text))


def claim(text: str, *cites: str) -> Claim:
    return Claim(text, tuple(Citation(name, f"doc-{name}", "v", 0, 0, "") for name in cites))


def draft(*claims: Claim) -> Draft:
    passages = (passage("tower", TOWER), passage("ferry", FERRY))
    evidence = Evidence(tuple(Hit(each, 1.0, "q") for each in passages))
    return Draft(Question("When does it leave?"), claims, evidence)


async def test_a_wrong_mark_is_mended_before_the_reader_sees_it() -> None:
    checked = await VerifyDraft(verify=Verify(model=FakeEntailment()))(
        draft(claim("The ferry leaves at noon.", "tower"))
    )
    [mended] = checked.claims
    assert mended.verdict.cause is Cause.ENTAILED_ELSEWHERE
    answer = render(checked, method="rag", run=Run())
    assert [source.id for source in answer.sources] == ["ferry"]
    assert answer.text == "The ferry leaves at noon. [1]"
    assert answer.claims[0].citations[0].quote == "The ferry leaves the harbour at noon."


async def test_what_speaks_against_a_claim_is_among_the_sources_but_not_marked() -> None:
    checked = await VerifyDraft(verify=Verify(model=FakeEntailment()))(
        draft(claim("Dogs are allowed on the ferry.", "tower")),
    )
    assert checked.claims[0].verdict.support is Support.CONTRADICTED
    answer = render(checked, method="rag", run=Run())
    assert answer.text == "Dogs are allowed on the ferry. [1]"
    assert [source.id for source in answer.sources] == ["tower", "ferry"]


async def test_with_nothing_to_check_the_model_is_not_called() -> None:
    model, empty = FakeEntailment(), draft()
    assert await VerifyDraft(verify=Verify(model=model))(empty) is empty
    assert model.asked == []


def test_each_sentence_keeps_the_citations_of_the_whole() -> None:
    whole = claim("It opens at nine. It was built in 1869.", "tower", "ferry")
    parts = one_a_sentence(whole)
    assert [part.text for part in parts] == ["It opens at nine.", "It was built in 1869."]
    assert all(part.citations == whole.citations for part in parts)


def test_one_sentence_stays_as_it_is_written() -> None:
    whole = claim("It was built by Dr. A. Tolliver,\nwho lived on the island.", "tower")
    assert one_a_sentence(whole) == (whole,)


@pytest.mark.parametrize("name", ["lighthouse.md", "ferry.txt"])
def test_a_quoted_sentence_is_not_cut_again(name: str) -> None:
    text = (DOCUMENTS / name).read_text(encoding="utf-8")
    for sentence in sentences(text):
        quoted = claim(sentence)
        assert one_a_sentence(quoted) == (quoted,)


async def test_a_run_does_not_check_again_what_it_has_checked() -> None:
    model = FakeEntailment()
    with start_run() as run:
        check = VerifyDraft(verify=Verify(model=model))
        checked = await check(draft(claim("The ferry leaves at noon.", "tower")))
        assert await check(checked) == checked
        assert [event.stage for event in run.events] == ["verify"]
        fewer = replace(checked, evidence=Evidence(checked.evidence.hits[1:]))
        await check(fewer)  # against other passages it is
        assert [event.stage for event in run.events] == ["verify", "verify"]


async def test_citations_are_fixed_later_without_another_check() -> None:
    own = VerifyDraft(verify=Verify(model=FakeEntailment()), fixes_citations=False)
    fixing = replace(own, fixes_citations=True)
    with start_run() as run:
        checked = await own(draft(claim("The ferry leaves at noon.", "tower")))
        fixed = await fixing(checked)
        assert await fixing(fixed) == fixed
    assert [each.document_id for each in checked.claims[0].citations] == ["doc-tower"]
    assert [each.document_id for each in fixed.claims[0].citations] == ["doc-ferry"]
    assert [event.stage for event in run.events] == ["verify"]


async def test_what_could_not_be_checked_is_tried_again() -> None:
    model = FakeEntailment(faults=[Fault.ERROR])
    with start_run():
        check = VerifyDraft(verify=Verify(model=model))
        missed = await check(draft(claim("The ferry leaves at noon.", "ferry")))
        assert missed.claims[0].verdict.support is Support.NOT_CHECKED
        assert (await check(missed)).claims[0].verdict.support is Support.SUPPORTED


async def test_a_check_that_is_cut_off_takes_no_verdict_back() -> None:
    model = FakeEntailment()
    check = VerifyDraft(verify=Verify(model=model))
    with start_run():
        checked = await check(draft(claim("The ferry leaves at noon.", "ferry")))
        model.faults = [Fault.ERROR] * 9
        more = replace(checked, claims=(*checked.claims, claim("Dogs swim.", "ferry")))
        again = await check(more)
    assert [each.verdict.support for each in again.claims] == [
        Support.SUPPORTED,
        Support.NOT_CHECKED,
    ]


async def test_a_verdict_that_a_method_brings_along_counts_for_nothing() -> None:
    own = replace(
        claim("The tower is made of cheese. Aliens built it.", "tower"),
        verdict=Verdict(Support.SUPPORTED, 0.9),
    )
    with start_run():
        checked = await VerifyDraft(verify=Verify(model=None))(draft(own))
    assert {each.verdict.support for each in checked.claims} == {Support.NOT_CHECKED}


async def test_passages_are_made_ready_while_the_model_writes() -> None:
    ready: list[bool] = []

    class Watched(Verify):
        def prepare(self, passages: Sequence[Passage]) -> None:
            super().prepare(passages)
            written.set()

    written = threading.Event()

    async def write(question: Question, evidence: Evidence) -> Draft:
        ready.append(await asyncio.to_thread(written.wait, 10))  # it would wait for ever otherwise
        return Draft(question, (), evidence)

    both = draft().evidence
    with start_run() as run:
        await WriteAndPrepare(write=write, verify=Watched(model=None))(Question("q"), both)
        assert list(run.known["sources"]) == list(both.passages)
    assert ready == [True]

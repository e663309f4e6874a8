"""A draft checked against its evidence: sentences, mended marks, sources of what speaks against."""

from __future__ import annotations

from pathlib import Path

import pytest

from upheld.sentences import sentences
from upheld.stages.render import render
from upheld.stages.verify import Verify
from upheld.stages.verify_draft import one_a_sentence, verify_draft
from upheld.testing.fake_entailment import FakeEntailment
from upheld.trace import Run
from upheld.types import Cause, Citation, Claim, Draft, Evidence, Hit, Passage, Question, Support

DOCUMENTS = Path(__file__).parent.parent.parent / "examples" / "documents"
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
    checked = await verify_draft(
        Verify(model=FakeEntailment()), draft(claim("The ferry leaves at noon.", "tower"))
    )
    [mended] = checked.claims
    assert mended.verdict.cause is Cause.ENTAILED_ELSEWHERE
    answer = render(checked, method="rag", run=Run())
    assert [source.id for source in answer.sources] == ["ferry"]
    assert answer.text == "The ferry leaves at noon. [1]"
    assert answer.claims[0].citations[0].quote == "The ferry leaves the harbour at noon."


async def test_what_speaks_against_a_claim_is_among_the_sources_but_not_marked() -> None:
    checked = await verify_draft(
        Verify(model=FakeEntailment()),
        draft(claim("Dogs are allowed on the ferry.", "tower")),
    )
    assert checked.claims[0].verdict.support is Support.CONTRADICTED
    answer = render(checked, method="rag", run=Run())
    assert answer.text == "Dogs are allowed on the ferry. [1]"
    assert [source.id for source in answer.sources] == ["tower", "ferry"]


async def test_nothing_to_check_asks_nobody() -> None:
    model, empty = FakeEntailment(), draft()
    assert await verify_draft(Verify(model=model), empty) is empty
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

"""The quote writer: verbatim, exact, in order, and silent when nothing fits."""

from __future__ import annotations

from upheld.generation.candidates import sentences_of
from upheld.generation.extract import ExtractiveWriter
from upheld.generation.extractive_answerer import ExtractiveAnswerer
from upheld.types import Draft, Evidence, Hit, Passage, Question

LIGHTHOUSE = (
    "Harrow Point Lighthouse stands on Wren Island. It was built between 1868 and 1871 by Agnes "
    "Tolliver. Tickets cost four pounds for adults. The climb has 142 steps."
)
FERRY = "The ferry sails five times a day. The crossing takes 35 minutes. Dogs travel free."


def passage(text: str, name: str, start: int = 0) -> Passage:
    return Passage(name, text, f"doc-{name}", "v1", start, start + len(text), title=name)


def evidence(*passages: Passage) -> Evidence:
    return Evidence(tuple(Hit(each, 1.0, "q") for each in passages))


BOTH = evidence(passage(LIGHTHOUSE, "Lighthouse", start=100), passage(FERRY, "Ferry"))


async def quote(question: str, found: Evidence = BOTH, sentences: int = 3) -> Draft:
    return await ExtractiveWriter(max_sentences=sentences)(Question(question), found)


async def test_it_picks_the_sentence_that_answers() -> None:
    draft = await quote("How long does the ferry crossing take?", sentences=1)
    assert [claim.text for claim in draft.claims] == ["The crossing takes 35 minutes."]


async def test_every_quote_is_exact_in_document_coordinates() -> None:
    draft = await quote("How much do tickets cost for adults at the lighthouse?")
    assert draft.claims
    for claim in draft.claims:
        (citation,) = claim.citations
        document = "x" * 100 + LIGHTHOUSE if citation.document_id == "doc-Lighthouse" else FERRY
        assert document[citation.start : citation.end] == citation.quote == claim.text


async def test_it_abstains_when_nothing_fits() -> None:
    draft = await quote("Which enzyme breaks down lactose?")
    assert draft.claims == ()


async def test_it_abstains_on_no_evidence() -> None:
    assert (await quote("Anything?", Evidence())).claims == ()


async def test_sentences_of_a_passage_keep_their_order() -> None:
    draft = await quote("How many steps has the climb, and what do tickets cost?")
    starts = [claim.citations[0].start for claim in draft.claims]
    assert len(starts) == 2
    assert starts == sorted(starts)


async def test_the_same_sentence_is_quoted_once() -> None:
    twice = evidence(passage(FERRY, "Ferry"), passage(FERRY, "Copy"))
    draft = await quote("How long does the crossing take?", twice)
    texts = [claim.text for claim in draft.claims]
    assert len(texts) == len(set(texts))


async def test_headings_are_not_quoted() -> None:
    found = evidence(passage("# Ferry crossing times today\n\nThe crossing takes an hour.", "F"))
    draft = await quote("How long does the crossing take?", found)
    assert [claim.text for claim in draft.claims] == ["The crossing takes an hour."]


async def test_of_no_passages_is_nothing() -> None:
    assert (
        await ExtractiveAnswerer(quote=ExtractiveWriter())(Question("Anything?"), Evidence())
    ).claims == ()


CUT = (
    "Checks can be skipped. The option is new.\n\n"
    "cannot be used in a transaction block.\n\n"
    "With the option you can\n\n"
    "You must not:\n- run VACUUM FULL in a transaction block\n- run it twice in a block\n\n"
    "To clean up:\n- run VACUUM in any block you like"
)


async def test_only_whole_sentences_are_quoted() -> None:
    question = "Can VACUUM FULL be used in a transaction block?"
    found = sentences_of(evidence(passage(CUT, "Vacuum")).passages)
    assert [each.text for each in found] == [
        "Checks can be skipped.",
        "The option is new.",
        "You must not:\n- run VACUUM FULL in a transaction block\n- run it twice in a block",
        "To clean up:\n- run VACUUM in any block you like",
        "- run VACUUM in any block you like",
    ]
    draft = await quote(question, evidence(passage(CUT, "Vacuum")))
    assert draft.claims[0].text.startswith("You must not:")
    assert not any(claim.text.startswith("- run VACUUM FULL") for claim in draft.claims)


async def test_a_text_without_capitals_is_quoted() -> None:
    found = sentences_of([passage("it opens at nine. the gate is closed in winter.", "gate")])
    assert [each.text for each in found] == ["it opens at nine.", "the gate is closed in winter."]


async def test_the_value_that_is_asked_for_comes_before_a_long_sentence() -> None:
    text = "By default a book may be kept for 28 days, but less if somebody else waits for it."
    draft = await quote("How long may I keep a book?", evidence(passage(text, "Library")))
    assert draft.claims[0].text == f"28 days: {text}"
    assert draft.claims[0].citations[0].quote == text

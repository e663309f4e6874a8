"""The language model's word counts inside the band only, and never instead of a check."""

from __future__ import annotations

from dataclasses import replace

import pytest

from upheld.answer.verdicts import fix_citations
from upheld.errors import LLMUnavailableError
from upheld.run.budget import Budget
from upheld.run.trace import start_run
from upheld.types import Cause, Citation, Claim, Passage, Support, Verdict, content_hash
from upheld.verification.llm_judge import JudgeUncertain, Word, band_around
from upheld_lab.testing.fake_llm import FakeLLM, Line

TEXT = "The ferry leaves at noon. It takes forty minutes."
FERRY = Passage("ferry", TEXT, "doc", content_hash(TEXT), 0, len(TEXT), title="Ferry")
OTHER = Passage("other", "Seals swim. Gulls fly.", "other", "v", 0, 22)
WORDS = "It takes forty minutes."
CITED = (
    Citation(
        "ferry", "doc", FERRY.document_version, TEXT.index(WORDS), len(TEXT), WORDS,
        Support.UNSUPPORTED,
    ),
)  # fmt: skip
UPHOLDS = tuple(replace(each, support=Support.SUPPORTED) for each in CITED)
BAND = (0.3, 0.7)


def claim(
    text: str, probability: float | None, cause: Cause, against: tuple[Citation, ...] = ()
) -> Claim:
    verdict = Verdict(Support.UNSUPPORTED, probability, (), against, cause=cause)
    return Claim(text, CITED, verdict)


UNSURE = claim("The crossing lasts forty minutes.", 0.5, Cause.NOT_ENTAILED)
SURE_NOT = claim("The ferry is blue.", 0.1, Cause.NOT_ENTAILED)
SURE = claim("The ferry leaves at noon.", 0.9, Cause.ENTAILED)
GUARDED = claim("It takes 55 minutes.", 0.5, Cause.FIGURE_ABSENT)
NAMED = claim("Ahab steers it.", 0.5, Cause.NAME_ABSENT)
DENIED = claim("It takes an hour.", 0.5, Cause.CONTRADICTED, CITED)
DISPUTED = claim("The crossing is long.", 0.5, Cause.ENTAILED, CITED)
UNCITED = replace(claim("Seals swim.", 0.5, Cause.NOT_ENTAILED), citations=())
LOST = claim("It was not checked.", None, Cause.MODEL_FAILED)
CLOSED = (SURE, GUARDED, NAMED, DENIED, DISPUTED, UNCITED, LOST)


@pytest.mark.parametrize(
    ("word", "support", "score"),
    [
        (Word.SUPPORTED, Support.SUPPORTED, 0.7),
        (Word.CONTRADICTED, Support.CONTRADICTED, 0.3),
        (Word.NEITHER, Support.UNSUPPORTED, 0.3),
    ],
)
async def test_an_uncertain_claim_gets_the_judges_verdict_and_the_edge_of_the_band(
    word: Word, support: Support, score: float
) -> None:
    llm = FakeLLM([{"verdicts": [word.value]}])
    with start_run(Budget()):
        [judged] = await JudgeUncertain(llm=llm, band=BAND)([UNSURE], [FERRY])
    assert judged.verdict.support is support
    assert judged.verdict.probability == score
    assert judged.verdict.checked_by == "fake"
    quotes = [each.quote for each in judged.verdict.evidence_for]
    assert quotes == ([WORDS] if support is Support.SUPPORTED else [])


async def test_words_that_nobody_checked_are_not_called_supporting() -> None:
    judge = JudgeUncertain(llm=FakeLLM([{"verdicts": ["supported"]}]), band=BAND)
    with start_run(Budget()):
        [judged] = await judge([UNSURE], [FERRY])
    assert [each.support for each in judged.citations] == [Support.NOT_CHECKED]
    assert judged.verdict.evidence_for == judged.citations == fix_citations(judged).citations


async def test_the_verifiers_own_evidence_stays() -> None:
    verdict = Verdict(Support.SUPPORTED, 0.6, UPHOLDS, reason="so", cause=Cause.ENTAILED_ELSEWHERE)
    elsewhere = replace(UNSURE, citations=(replace(CITED[0], passage_id="other"),), verdict=verdict)
    llm = FakeLLM([{"verdicts": ["supported"]}])
    with start_run(Budget()):
        [judged] = await JudgeUncertain(llm=llm, band=BAND)([elsewhere], [FERRY, OTHER])
    assert (judged.verdict.evidence_for, judged.verdict.cause) == (UPHOLDS, verdict.cause)
    assert fix_citations(judged).citations == UPHOLDS
    shown = llm.calls[0].messages[-1].content
    assert FERRY.text in shown
    assert OTHER.text in shown


async def test_the_judge_is_shown_all_that_the_claims_rest_on_and_nothing_else() -> None:
    passages = [replace(FERRY, id=f"p{n}", text=f"Passage number {n}.") for n in range(9)]
    cited = tuple(replace(CITED[0], passage_id=f"p{n}") for n in range(7))
    llm = FakeLLM([{"verdicts": ["neither"]}])
    with start_run(Budget()):
        [judged] = await JudgeUncertain(llm=llm, band=BAND)(
            [replace(UNSURE, citations=cited)], passages
        )
    shown = llm.calls[0].messages[-1].content
    assert [passage.text in shown for passage in passages] == [True] * 7 + [False] * 2
    assert "judge" in judged.verdict.reason


async def test_a_claim_whose_sources_do_not_fit_is_left_to_the_verifier() -> None:
    long = replace(OTHER, text="Seals swim. " * 5_000)
    of_long = replace(UNSURE, citations=(replace(CITED[0], passage_id="other"),))
    llm = FakeLLM([{"verdicts": ["supported"]}])
    with start_run(Budget()):
        judged = await JudgeUncertain(llm=llm, band=BAND)([of_long, UNSURE], [long, FERRY])
    assert judged[0] == of_long
    assert judged[1].verdict.support is Support.SUPPORTED
    assert "Seals" not in llm.calls[0].messages[-1].content


async def test_a_claim_that_the_judge_rejects_has_no_supporting_citation() -> None:
    verdict = Verdict(Support.SUPPORTED, 0.6, UPHOLDS, cause=Cause.ENTAILED)
    supported = replace(UNSURE, citations=UPHOLDS, verdict=verdict)
    for word, left in ((Word.SUPPORTED, Support.SUPPORTED), (Word.NEITHER, Support.UNSUPPORTED)):
        judge = JudgeUncertain(llm=FakeLLM([{"verdicts": [word.value]}]), band=BAND)
        with start_run(Budget()):
            [judged] = await judge([supported], [FERRY])
        assert [each.support for each in judged.citations] == [left]


def test_the_band_is_around_the_threshold_and_holds_probabilities() -> None:
    assert band_around(0.5) == pytest.approx((0.3, 0.7))
    assert band_around(0.1) == pytest.approx((0.0, 0.3))
    assert band_around(0.95) == pytest.approx((0.75, 1.0))


async def test_only_uncertain_claims_are_asked_about_and_all_in_one_call() -> None:
    llm = FakeLLM([{"verdicts": ["supported", "neither"]}])
    second = claim("The crossing is short.", 0.6, Cause.ENTAILED)
    given = [SURE, UNSURE, GUARDED, second, SURE_NOT, DENIED, LOST]
    with start_run(Budget()):
        judged = await JudgeUncertain(llm=llm, band=BAND)(given, [FERRY])
    assert len(llm.calls) == 1
    shown = llm.calls[0].messages[-1].content
    assert UNSURE.text in shown
    assert second.text in shown
    assert not any(each.text in shown for each in (SURE_NOT, GUARDED, DENIED, LOST))
    assert [each for each in judged if each not in given] == [judged[1], judged[3]]


@pytest.mark.parametrize("closed", CLOSED, ids=lambda claim: str(claim.verdict.cause))
async def test_what_is_not_open_to_doubt_is_not_asked_about(closed: Claim) -> None:
    llm = FakeLLM([])
    with start_run(Budget()):
        judged = await JudgeUncertain(llm=llm, band=BAND)([closed], [FERRY])
    assert judged == (closed,)
    assert not llm.calls


@pytest.mark.parametrize(
    "line", [LLMUnavailableError("down"), {"verdicts": []}, {"verdicts": ["supported"] * 2}, "yes"]
)
async def test_a_judge_that_fails_changes_nothing_and_is_noted(line: Line) -> None:
    with start_run(Budget()) as run:
        judged = await JudgeUncertain(llm=FakeLLM([line]), band=BAND)([UNSURE], [FERRY])
        assert judged == (UNSURE,)
        assert any("judge" in label for label in run.degraded)


async def test_a_judge_without_budget_is_not_asked() -> None:
    llm = FakeLLM([{"verdicts": ["supported"]}])
    with start_run(Budget(llm_calls=0)) as run:
        assert await JudgeUncertain(llm=llm, band=BAND)([UNSURE], [FERRY]) == (UNSURE,)
        assert run.degraded
    assert not llm.calls

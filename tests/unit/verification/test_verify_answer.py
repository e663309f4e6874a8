"""Any answer against any sources: marks, places, and the library's plain call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import upheld_verifier
from tests.messages import only_says
from upheld.check import check, kept_checker, opened_verify, verify, verify_async
from upheld.errors import SettingsError, UsageError
from upheld.ports import Judgement
from upheld.resources.open import open_verify
from upheld.settings import Settings, load_settings
from upheld.types import Cause, Passage, Support
from upheld.verification.llm_judge import JudgeUncertain
from upheld.verification.verify import Verify
from upheld.verification.verify_answer import verify_answer
from upheld_lab.testing.fake_entailment import FakeEntailment
from upheld_lab.testing.fake_llm import FakeLLM

TOWER = "The lighthouse was built in 1869. It opens to visitors at nine."
FERRY = "The ferry leaves the harbour at noon."


async def test_marks_name_sources_and_claims_keep_their_places() -> None:
    answer = "It opens to visitors at nine. [1] The ferry leaves at noon [2]. What else?"
    claims = await verify_answer(Verify(model=FakeEntailment()), answer, [TOWER, FERRY])
    assert [answer[claim.start : claim.end] for claim in claims] == [c.text for c in claims]
    assert [[c.passage_id for c in claim.citations] for claim in claims] == [
        ["source-1"],
        ["source-2"],
        [],
    ]
    assert [claim.verdict.support for claim in claims] == [
        Support.SUPPORTED,
        Support.SUPPORTED,
        Support.NOT_CHECKWORTHY,
    ]
    assert claims[0].citations[0].quote == "It opens to visitors at nine."


@pytest.mark.parametrize(
    ("answer", "source", "support"),
    [
        ("argv[0] is the name of it.", "argv[0] is the name of it.", Support.SUPPORTED),
        ("argv[1] is the name of it.", "argv[0] is the name of it.", Support.CONTRADICTED),
        ("argv[1] is the name of it.", "The argv is the name of it.", Support.SUPPORTED),
        ("The ferry[1] leaves at noon[1].", "The ferry leaves at noon.", Support.SUPPORTED),
    ],
)
async def test_a_number_in_brackets_is_an_index_where_the_source_has_one(
    answer: str, source: str, support: Support
) -> None:
    [claim] = await verify_answer(Verify(model=FakeEntailment()), answer, [source])
    assert claim.verdict.support is support


@pytest.mark.parametrize("model", [None, FakeEntailment()])
@pytest.mark.parametrize("marks", ["[99]", "[1] [99]", "[1-4]", "[0]"])
async def test_a_mark_that_names_no_source_makes_its_claim_unsupported(
    marks: str, model: FakeEntailment | None
) -> None:
    answer = f"It opens to visitors at nine. {marks} {FERRY} [2] What else? [99]"
    wrong, right, question = await verify_answer(Verify(model=model), answer, [TOWER, FERRY])
    assert wrong.verdict.support is Support.UNSUPPORTED
    assert wrong.verdict.cause is Cause.UNKNOWN_SOURCE
    assert wrong.verdict.reason.endswith("and there is no such source")
    assert right.verdict.support is Support.SUPPORTED
    assert question.verdict.cause is Cause.QUESTION


async def test_passages_keep_their_own_coordinates() -> None:
    passage = Passage("p", FERRY, "d", "v", 500, 500 + len(FERRY))
    [claim] = await verify_answer(Verify(model=None), f"{FERRY} [1]", [passage])
    assert (claim.citations[0].start, claim.citations[0].end) == (500, 500 + len(FERRY))


async def test_references_at_the_end_are_left_off() -> None:
    answer = f"{FERRY} [1]\n\nReferences\n[1] Harbour notes"
    claims = await verify_answer(Verify(model=None), answer, [FERRY])
    assert claims[0].verdict.support is Support.SUPPORTED
    assert {claim.verdict.cause for claim in claims[1:]} == {Cause.REFERENCE}


async def test_a_claim_in_a_list_of_sources_is_checked() -> None:
    answer = f"{FERRY} [1]\n\nSources:\n[1] Harbour notes\n[1] The moon is made of cheese."
    checked = await check(Verify(model=FakeEntailment()), answer, [FERRY])
    assert [each.verdict.support for each in checked.claims] == [
        Support.SUPPORTED,
        Support.NOT_CHECKWORTHY,
        Support.NOT_CHECKWORTHY,
        Support.UNSUPPORTED,
    ]
    assert not checked.supported


@settings(max_examples=50)
@given(st.text(max_size=120), st.lists(st.text(max_size=120), max_size=3))
async def test_any_text_gets_a_verdict_and_exact_citations(answer: str, sources: list[str]) -> None:
    for claim in await verify_answer(Verify(model=FakeEntailment()), answer, sources):
        assert answer[claim.start : claim.end] == claim.text
        verdict = claim.verdict
        assert verdict.cause is not None
        for each in (*claim.citations, *verdict.evidence_for, *verdict.evidence_against):
            source = sources[int(each.passage_id.removeprefix("source-")) - 1]
            assert source[each.start : each.end] == each.quote


async def test_check_tells_what_it_cost_and_whether_all_is_well() -> None:
    stage = Verify(model=FakeEntailment())
    good = await check(stage, "Hello! The ferry leaves at noon. [1]", [FERRY])
    bad = await check(stage, "The ferry leaves at noon. [1] Gulls sing.", [FERRY])
    assert good.supported
    assert not bad.supported
    assert bad.usage.pairs_checked > 0
    assert [source.id for source in bad.sources] == ["source-1"]
    for nothing in ("[1]", "Hello!", "# Harbour\n\nIs it open?"):
        assert not (await check(stage, nothing, [FERRY])).supported
    with pytest.raises(UsageError, match="empty"):
        await check(stage, " \n", [FERRY])


async def test_check_says_that_there_is_no_model() -> None:
    checked = await check(Verify(model=None), "The ferry leaves at noon. [1]", [FERRY])
    assert only_says(checked.degraded, "not checked", "no verifier")


async def test_the_judge_has_its_say() -> None:
    stage = Verify(model=FakeEntailment(always=Judgement(0.45, 0.05, 0.5)))
    judge = JudgeUncertain(llm=FakeLLM([{"verdicts": ["supported"]}]), band=(0.3, 0.7))
    checked = await check(stage, "Boats leave at noon. [1]", [FERRY], judge=judge)
    assert checked.supported
    assert checked.claims[0].verdict.checked_by == "fake"


def test_the_plain_call_opens_what_is_installed() -> None:
    checked = verify("It opens to visitors at nine. [1]", [TOWER])
    assert checked.supported
    assert checked.claims[0].verdict.checked_by == "quote"


def test_sources_may_be_files(tmp_path: Path) -> None:
    page = tmp_path / "tower.html"
    page.write_text(f"<html><title>Towers</title><body><p>{TOWER}</p></body></html>")
    checked = verify(
        "It opens to visitors at nine. [1] The ferry leaves at noon. [2]", [page, FERRY]
    )
    assert checked.claims[0].verdict.support is Support.SUPPORTED
    citation = checked.claims[0].citations[0]
    assert (citation.title, citation.uri) == ("Towers", str(page))
    with pytest.raises(UsageError, match=r"gone\.txt"):
        verify("It opens.", [tmp_path / "gone.txt"])


async def test_the_plain_call_works_inside_a_running_loop_and_has_an_async_twin() -> None:
    answer = "It opens to visitors at nine. [1]"
    assert verify(answer, [TOWER]) == await verify_async(answer, [TOWER])


def test_the_model_is_opened_once_for_the_same_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    model = FakeEntailment()
    opened: list[Settings] = []

    def open_verify(settings: Settings) -> Verify:
        opened.append(settings)
        return Verify(model=model)

    monkeypatch.setattr("upheld.resources.open.open_verify", open_verify)
    for threads in ("3", "3", "5"):
        monkeypatch.setenv("UPHELD_THREADS", threads)
        assert verify("The ferry leaves at noon. [1]", [FERRY]).supported
    assert [settings.threads for settings in opened] == [3, 5]
    kept_checker().close()
    assert model.dead


def test_a_judge_without_a_language_model_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UPHELD_JUDGE", "true")
    with pytest.raises(SettingsError, match="no language model"):
        verify("The ferry leaves at noon. [1]", [FERRY])


async def test_without_local_models_only_quotes_count() -> None:
    without = load_settings(local_models=False)
    assert open_verify(without).model is None
    async with opened_verify(without) as stage:
        checked = await check(stage, "The ferry leaves at noon. [1]", [FERRY])
    assert checked.claims[0].verdict.cause is Cause.NO_MODEL


async def test_weights_that_cannot_be_read_are_told_and_nothing_is_supported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gone = upheld_verifier.verifier_model().with_name("gone.onnx")
    monkeypatch.setattr(upheld_verifier, "verifier_model", lambda: gone)
    async with opened_verify(load_settings()) as stage:
        checked = await check(stage, "The ferry leaves at noon. [1]", [FERRY])
    assert checked.claims[0].verdict.cause is Cause.NO_MODEL
    assert "cannot be opened" in checked.claims[0].verdict.reason


@pytest.mark.parametrize(
    ("answer", "sources", "question", "told"),
    [
        ("It opens.", "It opens.", None, "sources must be a list, not str"),
        ("It opens.", b"It opens.", None, "sources must be a list, not bytes"),
        ("It opens.", None, None, "sources must be a list, not NoneType"),
        ("It opens.", [b"It opens."], None, "Source 1 must be text, not bytes"),
        (None, ["It opens."], None, "answer must be a string, not NoneType"),
        ("It opens.", ["It opens."], 7, "question must be a string, not int"),
    ],
)
async def test_wrong_kinds_are_refused_with_advice(
    answer: Any, sources: Any, question: Any, told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        await check(Verify(model=None), answer, sources, question=question)

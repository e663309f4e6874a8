"""The judge in `ask`: the last rung for uncertain claims, if the settings ask for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.messages import only_says
from tests.unit.fake_kb import QUESTION, WRITTEN, kb
from upheld.client import AsyncUpheld
from upheld.errors import LLMUnavailableError, SettingsError
from upheld.ports import Judgement
from upheld.run.budget import Budget
from upheld.types import Answer, Cause, Support
from upheld_lab.testing.fake_entailment import FakeEntailment
from upheld_lab.testing.fake_llm import FakeLLM, Line

HARDLY = Judgement(0.55, 0.05, 0.40)
NOT_QUITE = Judgement(0.45, 0.05, 0.50)


async def asked(
    tmp_path: Path, *said: Line, thinks: Judgement = HARDLY, judge: bool = True
) -> tuple[Answer, FakeLLM]:
    model = FakeEntailment(always=thinks)
    async with await kb(tmp_path, [WRITTEN, *said], entailment=model, judge=judge) as opened:
        llm = opened._parts.llm
        assert isinstance(llm, FakeLLM)
        return await opened.ask(QUESTION), llm


async def test_what_the_verifier_is_unsure_of_is_judged(tmp_path: Path) -> None:
    answer, llm = await asked(tmp_path, {"verdicts": ["neither"]})
    assert answer.claims[0].verdict.support is Support.UNSUPPORTED
    assert answer.claims[0].verdict.checked_by == "fake"
    assert [event.stage for event in answer.trace if event.usage.requests] == ["write", "judge"]
    assert len(llm.calls) == answer.usage.requests == 2
    assert answer.degraded == ()


async def test_a_claim_that_the_judge_upholds_cites_the_words_for_it(tmp_path: Path) -> None:
    answer, _ = await asked(tmp_path, {"verdicts": ["supported"]}, thinks=NOT_QUITE)
    [claim] = answer.claims
    assert claim.verdict.support is Support.SUPPORTED
    # The judge comes before marks are mended.
    assert claim.citations == claim.verdict.evidence_for
    assert claim.citations[0].quote == "The crossing takes 35 minutes."


async def test_a_judge_that_fails_leaves_the_verdicts_and_is_told(tmp_path: Path) -> None:
    answer, _ = await asked(tmp_path, LLMUnavailableError("the server is down"))
    assert answer.claims[0].verdict.cause is Cause.ENTAILED
    assert only_says(answer.degraded, "judge", "the server is down")


async def test_a_budget_without_a_call_for_the_judge_leaves_the_verdicts(tmp_path: Path) -> None:
    model = FakeEntailment(always=HARDLY)
    async with await kb(tmp_path, [WRITTEN], entailment=model, judge=True) as opened:
        answer = await opened.ask(QUESTION, budget=Budget(llm_calls=1))
    assert answer.claims[0].verdict.support is Support.SUPPORTED
    assert any("the judge did not answer" in label for label in answer.degraded)


async def test_without_the_setting_the_judge_is_not_called(tmp_path: Path) -> None:
    answer, llm = await asked(tmp_path, judge=False)
    assert answer.claims[0].verdict.support is Support.SUPPORTED
    assert len(llm.calls) == 1


async def test_the_pipeline_names_the_judge(tmp_path: Path) -> None:
    judged, _ = await asked(tmp_path, {"verdicts": ["neither"]})
    alone, _ = await asked(tmp_path, judge=False)
    assert judged.pipeline == f"{alone.pipeline} | judge"


async def test_without_a_language_model_nothing_is_opened(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"no language model[^$]*llm_url"):
        await AsyncUpheld.open(tmp_path / "kb", judge=True, local_models=False)
    assert not (tmp_path / "kb").exists()

"""Plain RAG on fakes: what is searched and written, what remains when a part fails, budgets."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.messages import only_says
from tests.unit.fake_kb import QUESTION, TEXT, WRITTEN, kb
from upheld.errors import LLMUnavailableError, UsageError
from upheld.run.budget import Budget
from upheld.types import Status
from upheld_lab.testing.fake_embedder import FakeEmbedder


async def test_the_llm_writes_from_what_was_found(tmp_path: Path) -> None:
    async with await kb(tmp_path, [WRITTEN]) as opened:
        answer = await opened.ask(QUESTION)
    assert answer.text == "It takes 35 minutes. [1]"
    assert answer.claims[0].citations[0].quote == "The crossing takes 35 minutes."
    assert (answer.usage.requests, answer.usage.searches) == (1, 1)
    stages = {event.stage: event for event in answer.trace}
    assert stages["write"].usage.completion_tokens == answer.usage.completion_tokens > 0


async def test_a_model_that_gives_no_claims_abstains(tmp_path: Path) -> None:
    async with await kb(tmp_path, [{"claims": []}]) as opened:
        answer = await opened.ask(QUESTION)
    assert (answer.status, answer.claims) == (Status.ABSTAINED, ())


@pytest.mark.parametrize("line", [LLMUnavailableError("down"), "not JSON at all"])
async def test_when_the_llm_fails_sentences_are_quoted(
    tmp_path: Path, line: LLMUnavailableError | str
) -> None:
    async with await kb(tmp_path, [line]) as opened:
        answer = await opened.ask(QUESTION)
    assert answer.text.startswith("The crossing takes 35 minutes. [1]")
    assert "no language model" in answer.degraded[0]


async def test_when_the_embedder_fails_words_still_find(tmp_path: Path) -> None:
    async with await kb(tmp_path, embedder=FakeEmbedder(fail=True)) as opened:
        answer = await opened.ask(QUESTION)
    assert "35 minutes" in answer.text
    assert any("searched by words only" in label for label in answer.degraded)


async def test_a_budget_without_calls_quotes_and_says_why(tmp_path: Path) -> None:
    async with await kb(tmp_path, [WRITTEN]) as opened:
        answer = await opened.ask(QUESTION, budget=Budget(llm_calls=0))
    assert "The crossing takes 35 minutes." in answer.text
    assert answer.usage.requests == 0
    assert "LLM calls is used up" in answer.degraded[0]


async def test_when_the_time_runs_out_what_was_quoted_is_the_answer(tmp_path: Path) -> None:
    async with await kb(tmp_path, [WRITTEN], latency=30) as opened:
        answer = await opened.ask(QUESTION, budget=Budget(seconds=1))
    assert answer.status is Status.PARTIAL
    assert "The crossing takes 35 minutes." in answer.text
    assert answer.degraded[0] in (  # the call's deadline and the run's strike together
        "the budget ended the run: timeout",
        "the budget ended the run: time ran out while the language model wrote",
    )


async def test_no_time_at_all_is_a_failure_that_says_so(tmp_path: Path) -> None:
    async with await kb(tmp_path, [WRITTEN]) as opened:
        answer = await opened.ask(QUESTION, budget=Budget(seconds=0))
    assert (answer.status, answer.claims) == (Status.FAILED, ())
    assert "No answer" in answer.text
    assert only_says(answer.degraded, "budget", "0 seconds")


@pytest.mark.parametrize("mode", ["bm25", "nearest", "hybrid"])
async def test_every_search_mode_finds(tmp_path: Path, mode: str) -> None:
    async with await kb(tmp_path, search=mode) as opened:
        evidence = await opened.search(QUESTION, limit=1)
        assert evidence.passages[0].text == TEXT


async def test_wrong_questions_and_methods_are_usage_errors(tmp_path: Path) -> None:
    async with await kb(tmp_path) as opened:
        with pytest.raises(UsageError, match="empty"):
            await opened.ask(" \n")
        with pytest.raises(UsageError, match="characters"):
            await opened.ask("why " * 2000)
        with pytest.raises(UsageError, match="magic"):
            await opened.ask(QUESTION, method="magic")

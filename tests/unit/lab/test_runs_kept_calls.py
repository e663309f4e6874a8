"""Replies are kept for one question: taken up again, it costs what it cost, and asks nobody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from upheld.errors import LLMOutputError, LLMRejectedError, LLMUnavailableError
from upheld.ports import LLM, Reply, Sampling
from upheld.testing.llm_conformance import ASK, Choice, LLMConformance, say_choice
from upheld_lab.bench.runs.kept_calls import KeptCalls
from upheld_lab.testing.fake_llm import FakeLLM

RED = Choice(colour="red", sure=True)
GREEN = Choice(colour="green", sure=True)
HOT = Sampling(temperature=1.0, samples=2)


class TestKeptCalls(LLMConformance):
    @pytest.fixture
    def llm(self, tmp_path: Path) -> LLM:
        return KeptCalls(FakeLLM(say_choice), tmp_path / "rag.sqlite3", "facts/1")


def kept(folder: Path, *lines: Any, question: str = "facts/1") -> tuple[KeptCalls, FakeLLM]:
    llm = FakeLLM(lines)
    return KeptCalls(llm, folder / "rag.sqlite3", question), llm


async def test_after_an_interruption_it_is_the_same_at_the_same_cost(tmp_path: Path) -> None:
    before, _ = kept(tmp_path, RED, RED, "no JSON")
    first = await before.generate(ASK, Choice, Sampling(logprobs=2))
    some = await before.generate(ASK, Choice, HOT)  # one of two samples fits
    after, nobody = kept(tmp_path)
    assert await after.generate(ASK, Choice, Sampling(logprobs=2)) == first
    assert await after.generate(ASK, Choice, HOT) == some
    assert len(some.generations) == 1
    assert some.usage.completions == 2
    assert first.usage.requests == 1
    assert first.usage.prompt_tokens > 0
    assert nobody.calls == []
    assert (before.replayed, after.replayed) == (0, 2)


async def test_the_same_call_again_is_asked_again_and_kept_apart(tmp_path: Path) -> None:
    before, llm = kept(tmp_path, RED, GREEN)
    assert [await _said(before), await _said(before)] == [RED, GREEN]
    assert len(llm.calls) == 2  # a method that asks twice pays twice
    after, nobody = kept(tmp_path)
    assert [await _said(after), await _said(after)] == [RED, GREEN]
    assert nobody.calls == []


async def test_other_questions_and_files_share_nothing(tmp_path: Path) -> None:
    one, _ = kept(tmp_path, RED)
    other, _ = kept(tmp_path, GREEN, question="facts/2")
    assert [await _said(one), await _said(other)] == [RED, GREEN]
    assert (one.replayed, other.replayed) == (0, 0)


async def test_a_reply_that_did_not_fit_is_kept_with_its_cost(tmp_path: Path) -> None:
    before, _ = kept(tmp_path, "no JSON")
    with pytest.raises(LLMOutputError, match="does not fit") as failed:
        await _said(before)
    after, nobody = kept(tmp_path)
    with pytest.raises(LLMOutputError, match="does not fit") as again:
        await _said(after)
    assert again.value.usage == failed.value.usage
    assert failed.value.usage.completion_tokens > 0
    assert nobody.calls == []


async def test_a_server_that_is_gone_or_refuses_is_noted_and_asked_again(tmp_path: Path) -> None:
    gone, refuses = LLMUnavailableError("gone"), LLMRejectedError("no such model")
    calls, _ = kept(tmp_path, gone, refuses, RED)
    for error in (gone, refuses):
        with pytest.raises(type(error)):
            await _said(calls)
    assert (calls.unavailable, calls.rejected) == (gone, refuses)
    after, _ = kept(tmp_path, GREEN)
    assert await _said(after) == GREEN
    assert after.unavailable is None


async def _said(llm: KeptCalls) -> Choice:
    reply: Reply[Choice] = await llm.generate(ASK, Choice)
    return reply.value

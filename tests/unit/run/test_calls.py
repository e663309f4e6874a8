"""What a run remembers: the same search, pair and call without chance happen once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.unit.fake_kb import QUESTION, kb
from upheld.errors import LLMUnavailableError, ModelError
from upheld.generation.write import Claims
from upheld.ports import Message, QueryPassagePair, Sampling
from upheld.run.calls import generate, grade
from upheld.run.trace import start_run
from upheld_lab.testing.fake_entailment import Fault
from upheld_lab.testing.fake_grader import FakeGrader
from upheld_lab.testing.fake_llm import FakeLLM

ASK = (Message("user", "Say something."),)
ONE, OTHER = (
    QueryPassagePair("tower", "The tower is tall."),
    QueryPassagePair("ferry", "The ferry is late."),
)
EMPTY: dict[str, list[object]] = {"claims": []}


async def test_the_same_call_at_once_is_made_once() -> None:
    llm = FakeLLM([EMPTY], latency=0.01)
    with start_run() as run:
        replies = await asyncio.gather(*(generate(llm, "write", ASK, Claims) for _ in range(3)))
    assert len(llm.calls) == run.meter.used.requests == 1
    assert replies[0] is replies[1] is replies[2]


async def test_chance_is_asked_for_again() -> None:
    llm = FakeLLM([EMPTY, EMPTY])
    with start_run():
        for _ in range(2):
            await generate(llm, "plan", ASK, Claims, Sampling(temperature=1.0))
    assert len(llm.calls) == 2


async def test_another_run_asks_again() -> None:
    llm = FakeLLM([EMPTY, EMPTY])
    for _ in range(2):
        with start_run():
            await generate(llm, "write", ASK, Claims)
    assert len(llm.calls) == 2


async def test_a_failure_is_not_remembered() -> None:
    llm = FakeLLM([LLMUnavailableError("down"), EMPTY])
    with start_run():
        with pytest.raises(LLMUnavailableError):
            await generate(llm, "write", ASK, Claims)
        assert (await generate(llm, "write", ASK, Claims)).value == Claims(claims=[])


async def test_a_pair_is_graded_once_in_a_run() -> None:
    grader = FakeGrader()
    with start_run() as run:
        first = await grade(grader, "grade", [ONE, ONE])
        both = await grade(grader, "rerank", [OTHER, ONE])
    assert grader.asked == [[ONE], [OTHER]]
    assert both == [*await FakeGrader().grade([OTHER]), first[0]]
    assert run.meter.used.pairs_checked == 2


async def test_pairs_whose_grading_failed_are_asked_for_again() -> None:
    grader = FakeGrader(faults=[Fault.NOT_A_NUMBER])
    with start_run():
        with pytest.raises(ModelError):
            await grade(grader, "grade", [ONE])
        assert len(await grade(grader, "grade", [ONE])) == 1


async def test_the_same_words_are_searched_for_once(tmp_path: Path) -> None:
    async with await kb(tmp_path) as opened:
        with start_run() as run:
            found = await asyncio.gather(*(opened.search(QUESTION) for _ in range(2)))
    assert found[0] == found[1]
    assert run.meter.used.searches == 1

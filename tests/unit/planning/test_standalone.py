"""A conversation becomes one question; without a model its last message is the question."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.fake_kb import QUESTION, WRITTEN, kb
from upheld.ask_options import AskOptions
from upheld.edge.openai.strict_schema import strict_schema
from upheld.errors import BudgetExceededError, LLMUnavailableError
from upheld.planning.standalone import Standalone, StandaloneQuestion, conversation
from upheld.ports import Message
from upheld.run.budget import Budget
from upheld.run.trace import start_run
from upheld.types import Question
from upheld_lab.testing.fake_llm import FakeLLM, Line

EARLIER = (Message("user", "Is there a ferry?"), Message("assistant", "Yes,\nto Wren Island. [1]"))
ASK = Question("How long does it take?")
WHOLE = "How long does the ferry to Wren Island take?"


async def test_what_was_said_before_goes_into_the_question() -> None:
    llm = FakeLLM([{"question": f" {WHOLE}\n"}])
    with start_run() as run:
        question = await Standalone(llm=llm)(ASK, EARLIER)
    assert (question.text, question.id) == (WHOLE, ASK.id)
    assert [(event.stage, event.note) for event in run.events] == [
        ("condense", ""),
        ("standalone", WHOLE),
    ]
    assert run.degraded == []
    asked = llm.calls[0].messages[-1].content
    assert "user: Is there a ferry?\nassistant: Yes, to Wren Island. [1]\n" in asked
    assert asked.endswith(f"Last message: {ASK.text}")


async def test_a_first_message_costs_nothing() -> None:
    llm = FakeLLM([])
    with start_run() as run:
        assert await Standalone(llm=llm)(ASK, ()) is ASK
    assert (llm.calls, run.events) == ([], [])


@pytest.mark.parametrize("line", [None, LLMUnavailableError("down"), "no JSON", {"question": " "}])
async def test_what_remains_without_a_model_is_the_last_message(line: Line | None) -> None:
    llm = None if line is None else FakeLLM([line])
    with start_run() as run:
        assert await Standalone(llm=llm)(ASK, EARLIER) is ASK
    assert "last message" in run.events[-1].note
    assert len(run.degraded) == 1
    assert run.degraded[0].startswith("earlier messages were not read: ")


async def test_no_call_left_is_no_reason_to_stop_but_no_time_is() -> None:
    llm = FakeLLM([{"question": WHOLE}])
    with start_run(Budget(llm_calls=0)):
        assert await Standalone(llm=llm)(ASK, EARLIER) is ASK
    with start_run(Budget(seconds=0)), pytest.raises(BudgetExceededError):
        await Standalone(llm=llm)(ASK, EARLIER)


def test_only_the_last_turns_are_read_and_long_ones_in_part() -> None:
    text = conversation([Message("user", f"{turn} " + "x" * 5000) for turn in range(20)])
    assert [line[:8] for line in text.splitlines()] == [f"user: {turn}" for turn in range(12, 20)]
    assert len(text) < 9000


async def test_an_answer_is_to_the_whole_question(tmp_path: Path) -> None:
    async with await kb(tmp_path, [{"question": QUESTION}, WRITTEN]) as opened:
        answer = await opened.ask("And how long?", options=AskOptions(earlier=EARLIER))
    assert answer.question == QUESTION
    assert QUESTION in [event.note for event in answer.trace if event.stage == "standalone"]
    assert answer.usage.requests == 2


def test_the_schema_can_be_asked_for() -> None:
    assert strict_schema(StandaloneQuestion)["required"] == ["question"]

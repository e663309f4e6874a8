"""The short answer as the last stage of every method: verified, or left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from tests.unit.fake_kb import TEXT, kb
from upheld import Status
from upheld.generation.short_answer import Short
from upheld.generation.write import Claims
from upheld.methods.build import StageFactory
from upheld.methods.registry import METHODS, MakeMethod, Method
from upheld.planning.plan import SubQuestions
from upheld.ports import Message
from upheld.run.budget import Budget
from upheld.types import Answer, Draft, Question, Support
from upheld.verification.chain import Chain
from upheld_lab.testing.fake_entailment import FakeEntailment
from upheld_lab.testing.fake_llm import Line, Script

LONG, FREE = TEXT.split(". ")[0] + ".", TEXT.split(". ")[1]
HOW_LONG = "How long does the crossing take?"
DOGS = "Do dogs travel free of charge on the ferry?"
VALUE = {"statements": [1], "sentence": "The crossing takes 35 minutes.", "answer": "35 minutes"}
YES = {"statements": [1], "sentence": "Dogs travel free of charge on the ferry.", "answer": "Yes"}


def playing(question: str, short: dict[str, Any]) -> Script:
    """A model that quotes what answers the question, and has this short answer."""
    said = LONG if question == HOW_LONG else FREE

    def say(messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
        assert output is not None
        if issubclass(output, Short):
            return short
        if issubclass(output, Claims):
            return {"claims": [{"sources": [1], "text": said}]}
        if issubclass(output, Chain):
            scores = dict.fromkeys(Chain.model_fields, 0.9) | {"bias": 0.1}
            return {**scores, "judgment": "true", "revised_question": ""}
        if issubclass(output, SubQuestions):
            return {"questions": [question]}
        return {"done": False, "question": question, "serves": ["yes"], "phrases": ["ferry"]}

    return say


async def asked(
    tmp_path: Path,
    methods: Iterable[str | MakeMethod],
    question: str,
    short: dict[str, Any] | None,
    budget: Budget | None = None,
) -> list[Answer]:
    script = None if short is None else playing(question, short)
    how: dict[str, Any] = {"parameters": {"short": True}, "budget": budget}
    async with await kb(tmp_path, script, entailment=FakeEntailment(), latency=0) as opened:
        return [await opened.ask(question, method=method, **how) for method in methods]


@pytest.mark.parametrize(
    ("question", "short", "begins"), [(HOW_LONG, VALUE, "35 minutes: "), (DOGS, YES, "Yes: ")]
)
async def test_every_method_has_one_and_it_is_verified(
    tmp_path: Path, question: str, short: dict[str, Any], begins: str
) -> None:
    for answer in await asked(tmp_path, METHODS, question, short):
        first, *rest = answer.claims
        assert first.text == f"{begins}{short['sentence']}", answer.method
        assert first.verdict.support is Support.SUPPORTED
        assert {each.quote for each in first.citations} == {short["sentence"]}
        assert answer.text.startswith(first.text)
        assert not rest, "its sentence is the whole answer, and is not said twice"
        assert not any("short" in note for note in answer.degraded)
        assert [event.stage for event in answer.trace].count("short_answer") == 1


@pytest.mark.parametrize(
    ("question", "short"),
    [
        (HOW_LONG, VALUE | {"sentence": "The crossing takes 36 minutes.", "answer": "36 minutes"}),
        (HOW_LONG, VALUE | {"answer": "36 minutes"}),
        (DOGS, YES | {"answer": "No"}),
        (DOGS, YES | {"sentence": "Dogs do not travel free of charge.", "answer": "No"}),
        (DOGS, YES | {"sentence": "The crossing takes 35 minutes."}),
    ],
)
async def test_one_that_is_not_verified_is_left_out(
    tmp_path: Path, question: str, short: dict[str, Any]
) -> None:
    for answer in await asked(tmp_path, METHODS, question, short):
        texts = [claim.text for claim in answer.claims]
        assert texts == [LONG if question == HOW_LONG else FREE], answer.method
        assert [note for note in answer.degraded if "short answer" in note]


async def test_without_a_language_model_the_answer_says_so(tmp_path: Path) -> None:
    for answer in await asked(tmp_path, METHODS, HOW_LONG, None):
        assert answer.claims, answer.method
        assert [note for note in answer.degraded if "no short answer" in note]


async def test_beyond_the_budget_the_answer_stays_as_it_is(tmp_path: Path) -> None:
    [answer] = await asked(tmp_path, ["rag"], HOW_LONG, VALUE, Budget(llm_calls=1))
    assert [claim.text for claim in answer.claims] == [LONG]
    assert answer.status is Status.ANSWERED
    assert [note for note in answer.degraded if "1 LLM calls" in note]


async def test_a_method_of_ones_own_has_it_too(tmp_path: Path) -> None:
    def own(stages: StageFactory) -> Method:
        async def answer(question: Question) -> Draft:
            return await stages.write(question, await stages.search()(question))

        return answer

    [answer] = await asked(tmp_path, [own], DOGS, YES)
    assert answer.claims[0].text.startswith("Yes: ")

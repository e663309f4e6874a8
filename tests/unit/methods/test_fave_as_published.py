"""FaVe's prompts and its answer feedback, against figures 8 and 9, section 4.4 and appendix F."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from tests.unit.fake_kb import QUESTION, kb
from upheld.client import AsyncUpheld
from upheld.generation.write import Claims
from upheld.planning.plan import SubQuestions
from upheld.ports import Message
from upheld.prompts import load
from upheld.types import Answer
from upheld_lab.testing.fake_entailment import FakeEntailment
from upheld_lab.testing.fake_llm import Line

LONG, OLD = "The crossing takes 35 minutes.", "The crossing museum opened in 1881."
THREE = "How long is the crossing, who sails it, and what does it cost?"


def rules_of(name: str) -> str:
    """The first message of a prompt."""
    prompt = load(name)
    return prompt.render(**dict.fromkeys(prompt.values, "…"))[0].content


class Scripted:
    """A model that writes these claims in turn, one a sample, and remembers what it was told."""

    def __init__(self, *claims: dict[str, Any]) -> None:
        self._claims: Iterator[dict[str, Any]] = cycle(claims)
        self.told: dict[str, set[str]] = {"plan": set(), "write": set()}

    def __call__(self, messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
        assert output is not None
        if issubclass(output, Claims):
            self.told["write"].add(messages[0].content)
            return {"claims": [next(self._claims)]}
        if issubclass(output, SubQuestions):
            self.told["plan"].add(messages[0].content)
        return {"questions": [QUESTION], "done": False, "question": QUESTION, "serves": ["yes"]}


# --- figure 9 and section 4.4: a session ---------------------------------------------------------


def test_a_session_may_go_on_from_an_answer_that_the_model_thinks_of() -> None:
    """Section 4.4: it envisions an answer to a sub-question before it generates the next."""
    rules = rules_of("session")
    assert "answer for granted" not in rules
    assert "not answer anything" not in rules
    assert re.search(r"country .*\?\" ask about France", rules)


def test_a_session_has_one_demonstration_of_several_sub_questions() -> None:
    """Figure 9."""
    shown = re.findall(r'(?m)^- Question: ".*"\n- Reply:\n(.*)$', rules_of("session"))
    assert [len(re.findall(r'"[^"]+\?"', each)) for each in shown] == [4]


@pytest.mark.parametrize("method", ["fave", "uoq"])
async def test_sessions_are_planned_by_this_prompt(tmp_path: Path, method: str) -> None:
    model = Scripted({"sources": [1], "text": LONG})
    async with await kb(tmp_path, model) as opened:
        await opened.ask(QUESTION, method=method)
    assert model.told["plan"] == {rules_of("session")}


async def test_our_own_method_takes_no_answer_for_granted(tmp_path: Path) -> None:
    model = Scripted({"sources": [1], "text": LONG})
    async with await kb(tmp_path, model) as opened:
        await opened.ask(THREE, method="upheld")
    assert model.told["plan"] == {rules_of("plan")}


# --- figure 8: prompt B --------------------------------------------------------------------------


def test_prompt_b_demonstrates_steps_with_cited_answers() -> None:
    """Figure 8: one question, with a search and a cited output, several times."""
    _, example = rules_of("write_step").split("\n\nExample: ")
    searches = re.findall(r'(?m)^- Question: ".*\?"$', example)
    passages = re.findall(r"(?m)^  Passages: (.*)$", example)
    outputs = re.findall(r"(?m)^  Reply:\n(.*)$", example)
    assert len(searches) == len(passages) == len(outputs) > 1
    for shown, written in zip(passages, outputs, strict=True):
        numbers = {int(each) for each in re.findall(r"\[(\d)\]", shown)}
        claims = Claims.model_validate_json(written).claims
        assert claims
        for claim in claims:
            assert claim.sources
            assert set(claim.sources) <= numbers


@pytest.mark.parametrize(
    ("method", "prompt"),
    [("fave", "write_step"), ("uoq", "write_step"), ("coq", "write_step"), ("rag", "write")],
)
async def test_sub_questions_are_answered_by_prompt_b(
    tmp_path: Path, method: str, prompt: str
) -> None:
    """Appendix A.2: union of queries uses the prompt of chain of query."""
    model = Scripted({"sources": [1], "text": LONG})
    async with await kb(tmp_path, model) as opened:
        await opened.ask(QUESTION, method=method)
    assert model.told["write"] == {rules_of(prompt)}


# --- appendix F: test-time answer feedback -------------------------------------------------------


async def best_of_two(tmp_path: Path, *claims: tuple[str, str]) -> Answer:
    """What is answered if each sample cites the passage that has this word."""

    def say(messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
        assert output is not None
        if not issubclass(output, Claims):
            return {"questions": [QUESTION]}
        word, text = next(samples)
        _, *passages = re.split(r"(?m)^\[\d\]$", messages[-1].content)
        (number,) = [at for at, each in enumerate(passages, 1) if word in each]
        return {"claims": [{"sources": [number], "text": text}]}

    samples = cycle(claims)
    opened: AsyncUpheld = await kb(tmp_path, say, entailment=FakeEntailment())
    async with opened:
        museum = tmp_path / "museum.txt"
        museum.write_text(OLD, encoding="utf-8")
        await opened.add(museum)
        chosen = {"best_of": 2, "sessions": 1, "steps": 1}
        return await opened.ask(QUESTION, method="fave", parameters=chosen)


async def test_citation_recall_is_by_the_marks_that_the_model_set(tmp_path: Path) -> None:
    """Both claims are supported; the first cites the wrong passage."""
    answer = await best_of_two(tmp_path, ("1881", LONG), ("1881", OLD))
    assert [claim.text for claim in answer.claims] == [OLD]


async def test_marks_are_fixed_after_the_choice(tmp_path: Path) -> None:
    answer = await best_of_two(tmp_path, ("1881", LONG))
    assert [each.quote for claim in answer.claims for each in claim.citations] == [LONG]

"""A method, a searcher and an index of one's own behind `ask`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import upheld
from tests.unit.fake_kb import QUESTION, TEXT, kb
from upheld import (
    Draft,
    Evidence,
    Hit,
    Method,
    Passage,
    Question,
    StageFactory,
    Support,
    UpheldError,
)
from upheld.client import AsyncUpheld
from upheld.errors import UsageError
from upheld.methods.rag import RAG
from upheld.types import content_hash, passage_id, union
from upheld_lab.testing.fake_index import FakeIndex


def plain(stages: StageFactory) -> Method:
    return RAG(search=stages.search(), write=stages.write)


def silent(stages: StageFactory) -> Method:
    async def say_nothing(question: Question) -> Draft:
        return Draft(question, evidence=await stages.search()(question))

    return say_nothing


async def test_a_method_of_ones_own_answers_under_its_own_name(tmp_path: Path) -> None:
    async with await kb(tmp_path) as opened:
        own = await opened.ask(QUESTION, method=plain)
        shipped = await opened.ask(QUESTION, method="rag")
        assert own.text == shipped.text
        assert own.method == "tests.unit.test_own_parts.plain"
        assert own.pipeline != shipped.pipeline  # a guarantee for one is none for the other
        few = await opened.ask(QUESTION, method=plain, parameters={"passages": 1})
        assert "passages=1" in few.pipeline
        assert (await opened.ask(QUESTION, method=silent)).status == "abstained"


def look_again(stages: StageFactory) -> Method:
    search, write, check = stages.search(), stages.write, stages.check

    async def answer(question: Question) -> Draft:
        evidence = await search(question)
        draft = await check(await write(question, evidence))
        for claim in draft.claims:
            if claim.verdict.support is not Support.SUPPORTED:
                more = await search(Question(claim.text, parent=question.id))
                evidence = union(evidence, more)
        return await write(question, evidence)

    return answer


async def test_a_method_of_ones_own_may_read_the_verdicts(tmp_path: Path) -> None:
    async with await kb(tmp_path) as opened:
        answer = await opened.ask(QUESTION, method=look_again)
    assert "35 minutes" in answer.text
    assert answer.usage.searches == 1  # its one claim is a quote, so nothing is searched again


async def test_what_it_cannot_be_told_is_said(tmp_path: Path) -> None:
    async with await kb(tmp_path) as opened:
        with pytest.raises(UpheldError, match="there is no 'sessions'"):
            await opened.ask(QUESTION, method=plain, parameters={"sessions": 3})


async def without_the_function_around_it(question: Question) -> Draft:
    return Draft(question)


def not_async(stages: StageFactory) -> object:
    return Draft  # called with a question it makes an empty one


def of_text(stages: StageFactory) -> object:
    async def answer(question: Question) -> str:
        return "The crossing takes 35 minutes."

    return answer


@pytest.mark.parametrize(
    ("method", "told"),
    [
        (without_the_function_around_it, "does not return a function"),
        (not_async, "is not async"),
        (of_text, "answers with str, not with a Draft"),
    ],
)
async def test_a_method_of_another_shape_is_told_what_one_is(
    tmp_path: Path, method: Any, told: str
) -> None:
    async with await kb(tmp_path) as opened:
        with pytest.raises(UsageError, match=told) as error:
            await opened.ask(QUESTION, method=method)
    assert "from Question to Draft" in error.value.help
    assert method.__name__ in str(error.value)


class Drawer:
    """Finds the same two passages for every question, one of them labelled."""

    closed = False

    async def __call__(self, question: Question) -> Evidence:
        labels = (frozenset[str](), frozenset({"crew"}))
        return Evidence(tuple(Hit(_passage(each), 1.0, question.text) for each in labels))

    async def close(self) -> None:
        self.closed = True


def _passage(labels: frozenset[str]) -> Passage:
    name, version, end = f"drawer{len(labels)}", content_hash(TEXT), len(TEXT)
    return Passage(passage_id(name, version, 0, end), TEXT, name, version, 0, end, labels=labels)


async def test_a_searcher_of_ones_own_finds_what_is_answered_from(tmp_path: Path) -> None:
    drawer, listed = Drawer(), await kb(tmp_path)
    async with AsyncUpheld(replace(listed._parts, searcher=drawer)) as opened:
        answer = await opened.ask(QUESTION)
        assert {each.document_id for each in answer.sources} <= {"drawer0", "drawer1"}
        assert answer.claims[0].citations[0].quote == "The crossing takes 35 minutes."
        assert answer.usage.searches == 1
        assert "Drawer" in answer.pipeline
        guest = await opened.search(QUESTION, labels=["guest"])
        assert [each.document_id for each in guest.passages] == ["drawer0"]
        assert len(await opened.search(QUESTION, limit=1)) == 1
    assert drawer.closed


async def test_an_index_of_ones_own_stands_instead_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "ferry.txt").write_text(TEXT, encoding="utf-8")
    index = FakeIndex(None, None)
    async with await upheld.AsyncUpheld.open(
        tmp_path / "kb", index=index, local_models=False
    ) as opened:
        await opened.add(tmp_path / "ferry.txt")
        answer = await opened.ask(QUESTION)
    assert "35 minutes" in answer.text
    assert not (tmp_path / "kb").exists()

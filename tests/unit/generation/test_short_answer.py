from __future__ import annotations

import pytest

from tests.unit.drafts import citation, claim, draft
from upheld.edge.openai.strict_schema import strict_schema
from upheld.errors import BudgetExceededError, LLMUnavailableError
from upheld.generation.join import ShortAnswer, short_from
from upheld.run.budget import Budget
from upheld.run.trace import start_run
from upheld.testing.fake_llm import FakeLLM, Line
from upheld.types import Support

OPENED = claim("The museum opened\nin 1881.", Support.SUPPORTED, citation("museum"))
WHALE = claim("It has a whale.", Support.SUPPORTED, citation("whale"), citation("museum"))
DRAFT = draft(OPENED, WHALE)


def says(answer: str, *statements: int) -> dict[str, object]:
    return {"statements": list(statements), "answer": answer}


async def test_it_stands_first_and_cites_what_its_statements_cite() -> None:
    llm = FakeLLM([says(" In \n1881 ", 1, 2)])
    short, *rest = (await ShortAnswer(llm=llm)(DRAFT)).claims
    assert (short.text, tuple(rest)) == ("In 1881", DRAFT.claims)
    assert [each.document_id for each in short.citations] == ["museum", "whale"]
    assert {each.support for each in short.citations} == {Support.NOT_CHECKED}
    assert short.verdict.support is Support.NOT_CHECKED
    shown = llm.calls[0].messages[-1].content
    assert "```\n1. The museum opened in 1881.\n2. It has a whale.\n```" in shown
    assert shown.endswith(DRAFT.question.text)


async def test_numbers_that_were_not_shown_are_nothing() -> None:
    short, *_ = (await ShortAnswer(llm=FakeLLM([says("1881", 0, 3, -1)]))(DRAFT)).claims
    assert short.citations == ()


@pytest.mark.parametrize("line", [says(""), says(" … ", 1)])
async def test_statements_that_do_not_settle_it_leave_the_draft(line: Line) -> None:
    with start_run() as run:
        assert await ShortAnswer(llm=FakeLLM([line]))(DRAFT) is DRAFT
    assert run.degraded == []


@pytest.mark.parametrize("line", [LLMUnavailableError("down"), "no JSON"])
async def test_a_model_that_fails_leaves_the_draft_and_a_label(line: Line) -> None:
    with start_run() as run:
        assert await ShortAnswer(llm=FakeLLM([line]))(DRAFT) is DRAFT
    assert run.degraded[0].startswith("there is no short answer: ")


async def test_nothing_said_asks_nobody() -> None:
    llm, empty = FakeLLM([]), draft()
    assert await ShortAnswer(llm=llm)(empty) is empty
    assert llm.calls == []


async def test_the_budget_passes_through() -> None:
    with start_run(Budget(llm_calls=0)), pytest.raises(BudgetExceededError):
        await ShortAnswer(llm=FakeLLM([]))(DRAFT)


def test_the_schema_admits_what_is_shown() -> None:
    fields = strict_schema(short_from(2))["properties"]
    assert list(fields) == ["statements", "answer"]
    assert fields["statements"]["items"]["enum"] == [1, 2]
    assert fields["answer"]["maxLength"] == 80

from __future__ import annotations

import pytest

from tests.messages import only_says
from tests.unit.drafts import citation, claim, draft
from upheld.edge.openai.strict_schema import strict_schema
from upheld.errors import BudgetExceededError, LLMUnavailableError
from upheld.generation.short_answer import ShortAnswer, short_from
from upheld.run.budget import Budget
from upheld.run.trace import start_run
from upheld.types import (
    Cause,
    Claim,
    Draft,
    Evidence,
    Hit,
    Passage,
    Question,
    Support,
    content_hash,
)
from upheld.verification.verify import Verify
from upheld.verification.verify_draft import VerifyDraft
from upheld_lab.testing.fake_entailment import FakeEntailment, Fault
from upheld_lab.testing.fake_llm import FakeLLM, Line

OPENED = claim("The museum opened\nin 1881.", Support.SUPPORTED, citation("museum"))
WHALE = claim("It has a whale.", Support.SUPPORTED, citation("whale"), citation("museum"))
DRAFT = draft(OPENED, WHALE)
DID_OPEN = Question("Did the museum open in 1881?")
IS_FREE = Question("Is entry free on every day of the year?")


def says(answer: str, sentence: str = "", *statements: int) -> dict[str, object]:
    return {"statements": list(statements), "sentence": sentence, "answer": answer}


def stage(llm: FakeLLM, model: FakeEntailment | None = None) -> ShortAnswer:
    return ShortAnswer(llm=llm, check=VerifyDraft(verify=Verify(model=model or FakeEntailment())))


async def asked(line: Line, given: Draft = DRAFT, model: FakeEntailment | None = None) -> Draft:
    return await stage(FakeLLM([line]), model)(given)


async def test_it_stands_first_and_is_verified() -> None:
    llm = FakeLLM([says(" in \n1881. ", "The museum opened\nin 1881.", 1)])
    short, *rest = (await stage(llm)(DRAFT)).claims
    assert (short.text, rest) == ("in 1881: The museum opened in 1881.", [WHALE]), "not said twice"
    assert [each.document_id for each in short.citations] == ["museum"]
    assert short.verdict.support is Support.SUPPORTED
    assert short.verdict.checked_by == "fake-entailment"
    shown = llm.calls[0].messages[-1].content
    assert "```\n1. The museum opened in 1881.\n2. It has a whale.\n```" in shown
    assert shown.endswith(DRAFT.question.text)


async def test_yes_stands_for_a_sentence_that_is_verified() -> None:
    line = says("Yes", "The museum did open in 1881.", 1)
    short, *_ = (await asked(line, draft(OPENED, WHALE, question=DID_OPEN))).claims
    assert short.text == "Yes: The museum did open in 1881."
    assert short.verdict.support is Support.SUPPORTED


def about_the_pier() -> Draft:
    text = "Dogs are not allowed on the pier."
    pier = Passage("pier", text, "pier", content_hash(text), 0, len(text))
    said = Claim("Dogs are not allowed on the pier.", (pier.cite(0, len(text)),))
    question = Question("Are dogs allowed on the pier?")
    return Draft(question, (said,), Evidence((Hit(pier, 1.0, "q"),)))


async def test_no_stands_for_a_denial_that_is_verified() -> None:
    line = says("No.", "Dogs are not allowed on the pier.", 1)
    short, *_ = (await asked(line, about_the_pier())).claims
    assert short.text == "No: Dogs are not allowed on the pier."
    assert short.verdict.support is Support.SUPPORTED
    assert short.verdict.cause is Cause.QUOTED, "it is the sentence that is looked for"


async def test_what_the_sources_deny_is_no_yes() -> None:
    left = await asked(says("Yes", "Dogs are allowed on the pier.", 1), about_the_pier())
    assert left.claims == about_the_pier().claims
    assert only_says(left.notes, "short answer", "supports")


@pytest.mark.parametrize(
    ("question", "line", "reason"),
    [
        # The sentence is true, and the words before it are not.
        (DID_OPEN, says("No", "The museum opened in 1881.", 1), "same"),
        (IS_FREE, says("Yes", "Entry is not free on every day of the year.", 1), "same"),
        (DRAFT.question, says("1882", "The museum opened in 1881.", 1), "same"),
        (DRAFT.question, says("1881", "", 1), "same"),
        # The sentence is true, and about something else.
        (
            Question("Did the museum open in 1882?"),
            says("Yes", "The museum opened in 1881."),
            "que",
        ),
        (Question("Is Hope a shark?"), says("Yes", "Entry is free on every day."), "question"),
        (Question("Did Okafor open the museum?"), says("Yes", "The museum opened in 1881."), "que"),
        # What would "yes" mean?
        (Question("Did the museum not open in 1881?"), says("Yes", "The museum opened."), "que"),
        # No source says it.
        (DRAFT.question, says("1882", "The museum opened in 1882.", 1), "supports"),
        (DRAFT.question, says("Zebras", "Zebras graze in the main hall.", 1), "supports"),
        (DRAFT.question, says("1881", "It opened in 1881. Zebras graze in 1881.", 1), "supports"),
    ],
)
async def test_what_is_not_verified_is_left_out_with_a_note(
    question: Question, line: Line, reason: str
) -> None:
    given = draft(OPENED, WHALE, question=question)
    left = await asked(line, given)
    assert left.claims == given.claims
    assert only_says(left.notes, "short answer", reason)


@pytest.mark.parametrize("fault", [Fault.ERROR, Fault.NOT_A_NUMBER, Fault.TOO_FEW])
async def test_a_check_that_fails_supports_nothing(fault: Fault) -> None:
    line = says("1881", "In 1881 the museum opened.", 1)
    left = await asked(line, model=FakeEntailment(faults=[fault] * 9))
    assert left.claims == DRAFT.claims
    assert only_says(left.notes, "short answer", "supports")


async def test_numbers_that_were_not_shown_are_nothing() -> None:
    line = says("1881", "The museum opened in 1881.", 0, 3, -1)
    short, *_ = (await asked(line)).claims
    assert [each.document_id for each in short.citations] == ["museum"], "found by the verifier"


@pytest.mark.parametrize("line", [says(""), says(" … ", "It opened.", 1)])
async def test_statements_that_do_not_settle_it_leave_the_draft(line: Line) -> None:
    with start_run() as run:
        assert await asked(line) is DRAFT
    assert run.degraded == []


@pytest.mark.parametrize("line", [LLMUnavailableError("down"), "no JSON"])
async def test_a_model_that_fails_leaves_the_draft_and_a_label(line: Line) -> None:
    with start_run() as run:
        assert await asked(line) is DRAFT
    assert only_says(run.degraded, "no short answer")


async def test_without_claims_the_model_is_not_called() -> None:
    llm, empty = FakeLLM([]), draft()
    assert await stage(llm)(empty) is empty
    assert llm.calls == []


async def test_the_budget_passes_through() -> None:
    with start_run(Budget(llm_calls=0)), pytest.raises(BudgetExceededError):
        await stage(FakeLLM([]))(DRAFT)


def test_the_schema_admits_what_is_shown() -> None:
    fields = strict_schema(short_from(2))["properties"]
    assert list(fields) == ["statements", "sentence", "answer"]
    assert fields["statements"]["items"]["enum"] == [1, 2]
    assert fields["answer"]["maxLength"] == 80

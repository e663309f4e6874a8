"""Test-time answer feedback: which of several samples stands."""

from __future__ import annotations

import pytest

from tests.unit.drafts import ASK, DOCUMENTS, draft
from upheld.errors import BudgetExceededError, LLMUnavailableError
from upheld.generation.write import WriteClaims
from upheld.generation.writers import BestOf
from upheld.run.budget import Budget
from upheld.run.trace import start_run
from upheld.types import Evidence, Support
from upheld.verification.verify import Verify
from upheld.verification.verify_draft import VerifyDraft
from upheld_lab.testing.fake_entailment import FakeEntailment
from upheld_lab.testing.fake_llm import FakeLLM, Line

EVIDENCE = draft(names=("museum", "whale")).evidence
MUSEUM, WHALE = DOCUMENTS["museum"], DOCUMENTS["whale"]
WRONG = "Nobody knows about the roof."


def says(*texts: str, source: int | None = None) -> dict[str, object]:
    """Claims that cite their own passage, or all of them this one."""
    numbers = [source or (2 if text == WHALE else 1) for text in texts]
    return {"claims": [{"sources": [n], "text": t} for n, t in zip(numbers, texts, strict=True)]}


async def best(*lines: Line, model: FakeEntailment | None = None) -> list[str]:
    verify = Verify(model=model or FakeEntailment())
    write = BestOf(
        write=WriteClaims(llm=FakeLLM(lines)),
        check=VerifyDraft(verify=verify, fixes_citations=False),
        samples=len(lines),
    )
    return [claim.text for claim in (await write(ASK, EVIDENCE)).claims]


async def test_the_best_citation_recall_wins() -> None:
    assert await best(says(WRONG), says(MUSEUM, WRONG), says(MUSEUM), says()) == [MUSEUM]


async def test_of_equals_the_one_that_says_more_and_then_the_first() -> None:
    assert await best(says(MUSEUM), says(MUSEUM, WHALE)) == [MUSEUM, WHALE]
    assert await best(says(WHALE), says(MUSEUM)) == [WHALE]


async def test_recall_is_by_the_marks_that_the_model_set() -> None:
    assert await best(says(WHALE, source=1), says(MUSEUM)) == [MUSEUM]


async def test_where_nothing_can_be_checked_the_first_stands() -> None:
    assert await best(says(WRONG), says("Owls hoot at night here.")) == [WRONG]
    assert await best(says(), says()) == []


async def test_eight_samples_are_one_request_and_the_same_is_checked_once() -> None:
    llm, model = FakeLLM([says(WRONG)] * 8), FakeEntailment()
    check = VerifyDraft(verify=Verify(model=model))
    with start_run() as run:
        checked = await BestOf(write=WriteClaims(llm=llm), check=check)(ASK, EVIDENCE)
    assert (run.meter.used.requests, run.meter.used.completions) == (1, 8)
    assert (llm.calls[0].sampling.samples, llm.calls[0].sampling.temperature) == (8, 1.0)
    assert [event.stage for event in run.events].count("verify") == 1
    assert checked.claims[0].verdict.support is Support.UNSUPPORTED


async def test_without_evidence_the_model_is_not_called() -> None:
    llm = FakeLLM([])
    check = VerifyDraft(verify=Verify(model=None))
    assert (await BestOf(write=WriteClaims(llm=llm), check=check)(ASK, Evidence())).claims == ()
    assert llm.calls == []


async def test_errors_and_the_budget_pass_through() -> None:
    with pytest.raises(LLMUnavailableError):
        await best(LLMUnavailableError("down"))
    with start_run(Budget(llm_calls=0)), pytest.raises(BudgetExceededError):
        await best(says(MUSEUM))

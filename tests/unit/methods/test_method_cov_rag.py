"""CoV-RAG: every branch of Algorithm 1, its ablations, and what remains when a part fails."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.messages import only_says
from tests.unit.shelf import Asked, called, scripted, shelf, sources, told, writer, written
from upheld.errors import (
    BudgetExceededError,
    LLMError,
    LLMUnavailableError,
    StorageError,
    UpheldError,
    WebUnavailableError,
)
from upheld.generation.extract import ExtractiveWriter
from upheld.generation.write import Claims
from upheld.methods.cov_rag import CoVRAG, Position
from upheld.methods.keep import Keep
from upheld.run.budget import Budget
from upheld.run.trace import start_run
from upheld.types import Question
from upheld.verification.chain import Chain, ChainVerify, Direct, ReviseFirst, Sigma
from upheld_lab.testing.fake_llm import FakeLLM, Line

ASK = Question("When did the museum open?")
REVISED = "In which year was the gallery inaugurated?"
THIRD = "What does the plaque at the entrance say?"
DOCUMENTS = {
    "first": "The museum is open on Mondays.",
    "second": "The gallery was inaugurated in the year 1881, when the museum opened.",
    "third": "The plaque at the entrance says 1881.",
}
MONDAYS = written(("The museum is open on Mondays.", [1]))
YEAR = written(("The gallery was inaugurated in 1881.", [1]))
PLAQUE = written(("The plaque says 1881.", [1]))


def chain(judgment: str, revised: str = "", correctness: float = 0.5) -> dict[str, Any]:
    return {
        "reference_correctness": 0.5,
        "correctness": correctness,
        "citation_accuracy": 0.9,
        "truthfulness": 0.95,
        "bias": 0.1,
        "conciseness": 0.9,
        "judgment": judgment,
        "revised_question": revised,
    }


GOOD, BAD, WORSE = chain("true"), chain("false", REVISED), chain("false", REVISED, 0.1)


def model(verified: list[Line], wrote: list[Line] | None = None) -> FakeLLM:
    return scripted({Claims: wrote or [MONDAYS, YEAR, PLAQUE], Chain: verified})


async def cov_rag(llm: FakeLLM) -> tuple[CoVRAG, Asked]:
    search = await shelf(1, **DOCUMENTS)
    return CoVRAG(search=search, write=writer(llm), verify=ChainVerify(llm=llm)), search


# --- Algorithm 1 ---------------------------------------------------------------------------------


async def test_an_answer_that_verifies_is_returned() -> None:
    """Line 5 says no: lines 2, 3, 4, 11."""
    method, search = await cov_rag(model([GOOD]))
    with start_run() as run:
        draft = await method(ASK)
    assert told(draft) == ["The museum is open on Mondays."]
    assert search.queries == [ASK]
    assert called(run) == ["write", "chain_verify"]
    assert run.meter.used.completions == 2
    assert (run.best, run.meter.rounds) == (draft, 0)


async def test_a_revised_question_is_searched_and_the_initial_one_answered_anew() -> None:
    """Line 5 says yes: lines 7, 8, 9; the best is kept, for which the new answer is verified."""
    llm = model([BAD, GOOD])
    method, search = await cov_rag(llm)
    with start_run() as run:
        draft = await method(ASK)
    assert told(draft) == ["The gallery was inaugurated in 1881."]
    assert sources(draft) == ["second"]  # the new references alone
    assert draft.question == ASK
    revised = search.queries[1]
    assert (revised.text, revised.parent) == (REVISED, ASK.id)
    asked = llm.calls[2].messages[-1].content
    assert asked.endswith(f"Question: {ASK.text}")
    assert REVISED not in asked
    assert called(run) == ["write", "chain_verify", "write", "chain_verify"]
    assert run.meter.used.completions == 4


async def test_a_worse_later_answer_is_not_kept() -> None:
    method, _ = await cov_rag(model([BAD, WORSE]))
    assert told(await method(ASK)) == ["The museum is open on Mondays."]


async def test_the_papers_last_answer_is_not_verified() -> None:
    method, _ = await cov_rag(model([BAD]))
    with start_run() as run:
        draft = await replace(method, keep=Keep.LAST)(ASK)
    assert told(draft) == ["The gallery was inaugurated in 1881."]
    assert called(run) == ["write", "chain_verify", "write"]
    assert run.meter.used.completions == 3


async def test_the_revised_question_is_searched_elsewhere_too() -> None:
    """The paper's retriever is the web (Retrieval, coarse-grained), which a collection is not."""
    method, search = await cov_rag(model([BAD]))
    web = await shelf(1, page="The gallery was inaugurated by the Queen, says this page.")
    method = replace(method, fallback_search=web, keep=Keep.LAST)
    draft = await method(ASK)
    assert [query.text for query in search.queries] == [ASK.text, REVISED]
    assert [query.text for query in web.queries] == [REVISED]  # the first search is here alone
    assert sources(draft) == ["second", "page"]


@pytest.mark.parametrize(
    ("here", "elsewhere", "found"),
    [
        (StorageError("no disk"), None, ["page"]),
        (None, WebUnavailableError("the site is down"), ["second"]),
        (StorageError("no disk"), WebUnavailableError("the site is down"), ["first"]),
    ],
)
async def test_where_one_of_two_searches_fails_the_other_counts(
    here: UpheldError | None, elsewhere: UpheldError | None, found: list[str]
) -> None:
    method, search = await cov_rag(model([BAD]))
    web = await shelf(1, page="The gallery was inaugurated by the Queen, says this page.")
    search.errors, web.errors = [None, here], [elsewhere]
    with start_run() as run:
        draft = await replace(method, fallback_search=web, keep=Keep.LAST)(ASK)
    assert sources(draft) == found
    assert len(run.degraded) == sum(error is not None for error in (here, elsewhere))


# --- ablations -----------------------------------------------------------------------------------


@pytest.mark.parametrize("never", [{"revise": Position.NONE}, {"rounds": 0}])
async def test_revised_nowhere_it_is_plain_rag(never: dict[str, Any]) -> None:
    method, _ = await cov_rag(model([BAD]))
    with start_run() as run:
        draft = await replace(method, **never)(ASK)
    assert called(run) == ["write"]
    assert run.best is draft
    assert run.degraded == []


async def test_revised_at_the_start_the_question_is_searched_as_revised() -> None:
    llm = scripted({Direct: [{"revised_question": REVISED}], Claims: [YEAR]})
    method, search = await cov_rag(llm)
    first = replace(method, revise=Position.START, revise_first=ReviseFirst(llm=llm))
    with start_run() as run:
        draft = await first(ASK)
    assert [query.text for query in search.queries] == [REVISED]
    assert (draft.question, sources(draft)) == (ASK, ["second"])
    assert called(run) == ["revise", "write"]


@pytest.mark.parametrize(
    ("mode", "verified", "again"),
    [
        (Sigma.NON_EMPTY, chain("true", REVISED), True),
        (Sigma.NON_EMPTY, chain("false"), False),
        (Sigma.ANY, chain("true", REVISED), False),
        (Sigma.ANY, chain("false", REVISED), True),
        (Sigma.ALL, chain("false", REVISED), False),
        (
            Sigma.ALL,
            chain("false", REVISED, 0.1)
            | {"reference_correctness": 0.1, "bias": 0.9, "truthfulness": 0.5},
            True,
        ),
    ],
)
async def test_sigma(mode: Sigma, verified: Line, again: bool) -> None:
    method, search = await cov_rag(model([verified, GOOD]))
    await replace(method, sigma=mode)(ASK)
    assert len(search.queries) == 1 + again


async def test_directly_without_the_chain() -> None:
    lines: list[Line] = [{"revised_question": REVISED}, {"revised_question": ""}]
    llm = scripted({Claims: [MONDAYS, YEAR], Direct: lines})
    method, _ = await cov_rag(llm)
    with start_run() as run:
        draft = await replace(method, verify=ChainVerify(llm=llm, chain=False))(ASK)
    assert told(draft) == ["The gallery was inaugurated in 1881."]
    assert run.meter.used.completions == 4


@pytest.mark.parametrize(("rounds", "completions"), [(1, 4), (2, 6), (5, 6)])
async def test_several_rounds(rounds: int, completions: int) -> None:
    """Six completions find what verifies; four do not come that far."""
    method, _ = await cov_rag(model([BAD, chain("false", THIRD, 0.6), GOOD]))
    with start_run() as run:
        draft = await replace(method, rounds=rounds)(ASK)
    assert sources(draft) == (["second"] if rounds == 1 else ["third"])
    assert run.meter.used.completions == completions


@pytest.mark.parametrize(
    "again",
    [
        ASK.text,
        "in which year was the GALLERY inaugurated",
        "In which year: was the gallery inaugurated?!",
    ],
)
async def test_a_query_that_was_asked_before_ends_it(again: str) -> None:
    method, search = await cov_rag(model([BAD, chain("false", again, 0.9)]))
    with start_run() as run:
        draft = await replace(method, rounds=5)(ASK)
    assert len(search.queries) == 2
    assert sources(draft) == ["second"]
    assert run.meter.used.completions == 4


# --- the ladder ----------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", list(Keep))
@pytest.mark.parametrize("error", [StorageError("no disk"), None])
async def test_a_second_search_that_fails_or_finds_nothing_leaves_the_answer(
    error: UpheldError | None, keep: Keep
) -> None:
    method, search = await cov_rag(model([chain("false", "Xylophones?")]))
    search.errors = [None, error]
    with start_run() as run:
        draft = await replace(method, keep=keep)(ASK)
    assert told(draft) == ["The museum is open on Mondays."]
    label = f"failed: {error}" if error else "found nothing: Xylophones?"
    assert only_says(run.degraded, "search", "revised", label)


DOWN = LLMUnavailableError("down")


@pytest.mark.parametrize(
    ("wrote", "verified", "answer", "label"),
    [
        ([DOWN], [GOOD], "The museum is open on Mondays.", "sentences are quoted"),
        ([MONDAYS], [DOWN], "The museum is open on Mondays.", "without its chain"),
        (
            [MONDAYS, DOWN],
            [BAD, GOOD],
            "1881: The gallery was inaugurated in the year 1881, when the museum opened.",
            "sentences are quoted",
        ),
        ([MONDAYS, YEAR], [BAD, DOWN], "The museum is open on Mondays.", "without its chain"),
    ],
)
async def test_the_model_fails_at_each_call(
    wrote: list[Line], verified: list[Line], answer: str, label: str
) -> None:
    method, _ = await cov_rag(model(verified, wrote))
    with start_run() as run:
        draft = await method(ASK)
    assert told(draft) == [answer]
    assert label in run.degraded[0]


async def test_a_model_that_is_down_for_good() -> None:
    def down(*_: object) -> LLMError:
        return LLMUnavailableError("down")

    method, _ = await cov_rag(FakeLLM(down))
    with start_run() as run:
        draft = await method(ASK)
    assert told(draft) == ["The museum is open on Mondays."]
    assert len(run.degraded) == 2


@pytest.mark.parametrize(("calls", "best"), [(1, MONDAYS), (2, MONDAYS), (3, MONDAYS), (4, YEAR)])
async def test_when_the_calls_are_used_up_the_best_answer_so_far_is_kept(
    calls: int, best: Claims
) -> None:
    method, _ = await cov_rag(model([BAD, GOOD]))
    with start_run(Budget(llm_calls=calls)) as run:
        if calls < 4:
            with pytest.raises(BudgetExceededError):
                await method(ASK)
        else:
            await method(ASK)
    assert run.best is not None
    assert told(run.best) == [best.claims[0].text]
    assert run.meter.used.requests == calls


async def test_a_budget_of_rounds() -> None:
    method, search = await cov_rag(model([BAD]))
    with start_run(Budget(rounds=0)) as run:
        draft = await method(ASK)
    assert (search.queries, run.best) == ([ASK], draft)
    assert called(run) == ["write", "chain_verify"]


@pytest.mark.parametrize(
    ("position", "labels"),
    [
        (Position.NONE, []),
        (Position.START, ["no language model: the question was not revised"]),
        (
            Position.END,
            ["no language model: the answer went without its chain of verification"],
        ),
    ],
)
async def test_without_a_language_model(position: Position, labels: list[str]) -> None:
    search = await shelf(1, **DOCUMENTS)
    method = CoVRAG(search=search, write=ExtractiveWriter(), verify=None, revise=position)
    with start_run() as run:
        draft = await method(ASK)
    assert told(draft) == ["The museum is open on Mondays."]
    assert run.degraded == labels


async def test_a_run_is_not_needed() -> None:
    method, _ = await cov_rag(model([BAD, GOOD]))
    assert sources(await method(ASK)) == ["second"]

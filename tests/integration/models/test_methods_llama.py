"""Every method on a real llama.cpp server; the model is tiny, so nothing here judges quality."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.servers.llama import MODEL
from tests.sound import assert_sound
from upheld import AsyncUpheld, Budget
from upheld.methods.registry import METHODS
from upheld.run.trace import Run, Score
from upheld.types import Answer, Draft
from upheld_lab.bench.costs.prefix import Server, bench_prefix

pytestmark = [pytest.mark.real, pytest.mark.timeout(900)]

NOTES = {
    "ferry": "The ferry to Wren Island takes 35 minutes. Dogs travel free of charge.",
    "lighthouse": "The lighthouse of Wren Island was built by Agnes Tolliver in 1871.",
    "museum": "The museum of Wren Island opened in 1881. Entry to the museum is free.",
    "birds": "In 2023 the warden of Wren Island counted 2,340 pairs of puffins – “a record”. 🐦",
}
QUESTIONS = (
    "When did the museum open, who built the lighthouse, and how long does the ferry take?",
    "Who built the lighthouse of Wren Island?",
    "How many pairs of puffins were counted in 2023?",
    "Which enzyme breaks down lactose?",
    "Is the museum older than the lighthouse?",
)
# All that a method can do, in few calls: the model is slow where there is no graphics card.
SMALL: Mapping[str, Mapping[str, Any]] = {
    "crag": {"upper": 1, "lower": -1},  # ambiguous: both kinds of knowledge
    "a2r": {"rounds": 1, "feedback": "phrased", "final": True, "passages": 2},
    "coq": {"steps": 2, "selector": "both", "samples": 2, "short": True},
    "uoq": {"steps": 2},
    "fave": {"sessions": 2, "steps": 2, "best_of": 2, "short": True},
    "upheld": {"rounds": 1},
}


@pytest.fixture
def offers(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Score, Score]]:
    """The score of every offer, and the best score after it."""
    seen: list[tuple[Score, Score]] = []
    keep = Run.offer

    def offer(run: Run, draft: Draft, score: Score = ()) -> bool:
        kept = keep(run, draft, score)
        seen.append((score, run.best_score))
        return kept

    monkeypatch.setattr(Run, "offer", offer)
    return seen


@asynccontextmanager
async def opened(folder: Path, llm_url: str, tokens: int) -> AsyncIterator[AsyncUpheld]:
    """A knowledge base with the notes, and a language model for short answers."""
    notes = folder / "notes"
    notes.mkdir()
    for name, text in NOTES.items():
        (notes / f"{name}.txt").write_text(text, encoding="utf-8")
    async with await AsyncUpheld.open(
        folder / "kb",
        llm_url=llm_url,
        llm_model=MODEL,
        fallback_search="elsewhere",
        passages=3,
        answer_tokens=tokens,
    ) as kb:
        assert (await kb.add(notes)).failed == ()
        yield kb


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def kb(
    llama_server: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[AsyncUpheld]:
    """Models take seconds to load: once for all methods."""
    # So small a model does not always come to an end in forty tokens; CI has not the time for more.
    async with opened(tmp_path_factory.mktemp("notes"), llama_server, 40) as kb:
        yield kb


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("method", METHODS)
async def test_the_invariants_hold(
    method: str, kb: AsyncUpheld, offers: list[tuple[Score, Score]]
) -> None:
    await assert_invariants(kb, method, QUESTIONS[:1], 2, offers)


@pytest.mark.campaign
@pytest.mark.parametrize("method", METHODS)
async def test_the_invariants_hold_for_many_questions(
    method: str, llama_server: str, tmp_path: Path, offers: list[tuple[Score, Score]]
) -> None:
    async with opened(tmp_path, llama_server, 120) as kb:
        await assert_invariants(kb, method, QUESTIONS, 8, offers)


async def assert_invariants(
    kb: AsyncUpheld,
    method: str,
    questions: Sequence[str],
    calls: int,
    offers: list[tuple[Score, Score]],
) -> None:
    """Whatever the model says, the answer is sound, and drafts only ever get better."""
    budget = Budget(seconds=200, llm_calls=calls, tokens=60_000, rounds=2)
    texts = {each.id: await kb.document_text(each.id) for each in await kb.documents()}
    for question in questions:
        offers.clear()
        answer = await kb.ask(
            question, method=method, parameters=SMALL.get(method, {}), budget=budget
        )
        assert_sound(answer, texts, budget)
        assert answer.method == method
        assert_asked(answer)
        bests = [best for _, best in offers]
        assert bests == sorted(bests)
        assert all(score <= best for score, best in offers)


def assert_asked(answer: Answer) -> None:
    """The language model was really asked, and the server counted its tokens."""
    called = [event for event in answer.trace if event.usage.requests]
    assert called
    assert any(event.error is None for event in called), [event.error for event in called]
    assert all(event.usage.prompt_tokens for event in called if event.error is None)


@pytest.mark.campaign
async def test_later_calls_read_most_of_their_prompt_from_the_cache(llama_server: str) -> None:
    report = await bench_prefix(Server(llama_server, MODEL), lambda *progress: None, questions=1)
    assert report.bars["cached_share"] > 0.7  # the bar of 0.8 is for a larger model

"""1,000 random budgets and faults: every method ends well, in its budget, with its best draft.

A case is its method and seed, which a failure names: `replay("crag", 17)` runs it again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from random import Random
from typing import Any

import pytest

from tests.sound import assert_sound, assert_trace
from tests.unit.scripted import QUESTIONS, TEXTS, Luck, ScriptedLLM, ShakyIndex, indexed, parts_for
from tests.unit.virtual_time import VirtualTime, now
from upheld.ask_options import AskOptions
from upheld.client import AsyncUpheld
from upheld.errors import UpheldError
from upheld.methods.registry import METHODS
from upheld.run.budget import Budget, Meter
from upheld.run.trace import Run, Score
from upheld.types import Answer, Claim, Draft, Event, Status
from upheld_lab.testing.fake_embedder import FakeEmbedder

CASES = 1_000 // len(METHODS)


@pytest.fixture
def loop() -> Iterator[VirtualTime]:
    loop = VirtualTime()
    yield loop
    loop.close()


@dataclass
class Offers:
    """What a run was offered, in order."""

    made: list[tuple[Score, Draft]] = field(default_factory=list)

    @property
    def best(self) -> Draft | None:
        """The last of those that no other stands above."""
        top = max((score for score, _ in self.made), default=())
        return next((draft for score, draft in reversed(self.made) if score == top), None)


@pytest.fixture
def offers(monkeypatch: pytest.MonkeyPatch) -> Offers:
    """Every offer of the run under way; and runs keep the time of their loop."""
    seen = Offers()
    keep = Run.offer

    def offer(run: Run, draft: Draft, score: Score = ()) -> bool:
        seen.made.append((score, draft))
        return keep(run, draft, score)

    def meter(budget: Budget) -> Meter:
        return Meter(budget, clock=now)

    monkeypatch.setattr(Run, "offer", offer)
    monkeypatch.setattr("upheld.run.trace.Meter", meter)
    return seen


@dataclass(frozen=True)
class Case:
    """One ask, drawn from a seed."""

    method: str
    seed: int
    question: str
    parameters: dict[str, Any]
    budget: Budget
    luck: Luck
    cancel_after: float | None
    judge: bool
    has_llm: bool


def drawn(method: str, seed: int) -> Case:
    """A case; half of all have no fault but those of their budget."""
    dice = Random(f"{method} {seed}")
    sound = dice.random() < 0.5
    latency = dice.choice((0.0, 0.1, 3.0))
    seconds = dice.choice((*[None] * 4, 0.0, *(dice.random() * most for most in (1, 5, 20, 20))))
    cancel_after = dice.random() * (0.1 + 6 * latency) if dice.random() < 0.2 else None
    luck = Luck(dice=dice, latency=latency, hangs=seconds is not None or cancel_after is not None)
    if not sound:
        luck = replace(
            luck,
            llm=dice.choice((0.0, 0.2, 1.0)),
            malformed=dice.choice((0.0, 0.2, 1.0)),
            engine=dice.choice((0.0, 0.1, 0.3)),
            nothing=dice.choice((0.0, 0.1, 1.0)),
        )
    return Case(
        method,
        seed,
        dice.choice(QUESTIONS),
        parameters_of(method, dice),
        Budget(
            seconds=seconds,
            llm_calls=dice.choice((None, None, 0, 0, 1, 2, dice.randint(3, 20))),
            tokens=dice.choice((*[None] * 4, dice.randint(0, 3_000), dice.randint(3_000, 40_000))),
            rounds=dice.choice((None, None, 0, 1, dice.randint(2, 4))),
        ),
        luck,
        cancel_after,
        judge=dice.random() < 0.2,
        has_llm=dice.random() < 0.9,
    )


def parameters_of(method: str, dice: Random) -> dict[str, Any]:
    """Each parameter of a method as it is, or any other value that it may have."""
    chosen: dict[str, Any] = {}
    for name, info in METHODS[method].parameters.model_fields.items():
        if dice.random() < 0.6:
            continue
        bounds = {key: getattr(each, key) for each in info.metadata for key in each.__slots__}
        kind = info.annotation
        if kind is bool:
            chosen[name] = dice.random() < 0.5
        elif kind is int:
            chosen[name] = dice.randint(bounds["ge"], bounds["le"])
        elif isinstance(kind, type) and issubclass(kind, StrEnum):
            chosen[name] = dice.choice(list(kind))
        else:
            chosen[name] = dice.uniform(bounds["ge"], bounds["le"])
    return chosen


@dataclass
class Outcome:
    """How an ask ended, after how long, and what it left behind."""

    answer: Answer | None
    error: BaseException | None
    seconds: float
    events: list[Event]
    cancelled: bool
    left: set[asyncio.Task[Any]]


async def run(case: Case) -> Outcome:
    index = ShakyIndex(FakeEmbedder().identity, FakeEmbedder().dimension, luck=case.luck)
    await indexed(index, FakeEmbedder())
    llm = ScriptedLLM(case.luck) if case.has_llm else None
    kb = AsyncUpheld(parts_for(case.luck, index, llm=llm, judge=case.judge))
    events: list[Event] = []
    started, before = now(), asyncio.all_tasks()
    asking = asyncio.create_task(
        kb.ask(
            case.question,
            method=case.method,
            parameters=case.parameters,
            budget=case.budget,
            options=AskOptions(listener=events.append),
        )
    )
    if case.cancel_after is not None:
        asyncio.get_running_loop().call_later(case.cancel_after, asking.cancel)
    answer, error = None, None
    try:
        answer = await asking
    except (UpheldError, asyncio.CancelledError) as expected:
        error = expected
    left = asyncio.all_tasks() - before
    return Outcome(answer, error, now() - started, events, asking.cancelling() > 0, left)


def replay(method: str, seed: int, loop: VirtualTime, offers: Offers) -> None:
    """One case, and all that must hold of it."""
    case = drawn(method, seed)
    offers.made.clear()
    outcome = loop.run_until_complete(run(case))
    assert not outcome.left
    assert_trace(outcome.events)
    assert isinstance(outcome.error, asyncio.CancelledError) == outcome.cancelled
    if case.budget.seconds is not None:
        assert outcome.seconds <= case.budget.seconds + 0.01
    assert_rounds(case, outcome.events)
    if outcome.answer is not None:
        assert_sound(outcome.answer, TEXTS, case.budget)
        late = case.budget.seconds is not None and outcome.seconds > case.budget.seconds - 1e-6
        assert_best(case, outcome.answer, offers, late=late)
        assert outcome.answer.question == case.question


def assert_rounds(case: Case, events: list[Event]) -> None:
    rounds = case.budget.rounds
    if rounds is None:
        return
    stages = [event.stage for event in events]
    assert stages.count("refine") <= rounds
    if case.method == "coq":
        assert stages.count("next_question") <= rounds + 1
    if case.method == "cov_rag":
        assert stages.count("search") <= rounds + 1


def assert_best(case: Case, answer: Answer, offers: Offers, *, late: bool) -> None:
    """What is said is what stood highest of all that was offered."""
    if answer.status is Status.FAILED:
        assert late, "before the deadline, quotes are left at least"
        assert offers.best is None or not offers.best.claims
    elif case.parameters.get("keep") != "last" and offers.best is not None:
        assert said(answer.claims) == said(offers.best.claims)


def said(claims: tuple[Claim, ...]) -> list[str]:
    return " ".join(claim.text for claim in claims).split()


@pytest.mark.parametrize("method", METHODS)
def test_any_budget_and_any_fault(method: str, loop: VirtualTime, offers: Offers) -> None:
    for seed in range(CASES):
        try:
            replay(method, seed, loop, offers)
        except BaseException as error:
            error.add_note(f"replay({method!r}, {seed}): {drawn(method, seed)}")
            raise


@pytest.mark.parametrize("budget", [Budget(llm_calls=0), Budget(tokens=0)], ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_without_a_call_left_every_method_still_quotes(
    method: str, budget: Budget, loop: VirtualTime, offers: Offers
) -> None:
    """Whatever a method would ask first, it can do without."""
    for question in QUESTIONS:
        luck = Luck(dice=Random(question))
        case = Case(method, 0, question, {}, budget, luck, None, judge=True, has_llm=True)
        answer = loop.run_until_complete(run(case)).answer
        assert answer is not None
        assert answer.status is not Status.FAILED
        assert answer.usage.requests == 0
        assert_sound(answer, TEXTS, budget)

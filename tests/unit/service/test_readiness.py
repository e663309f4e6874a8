"""How parts are is looked at once for all who ask, and told for a few seconds only."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable

import pytest

from upheld.errors import StorageError
from upheld_service.routes import health
from upheld_service.routes.health import FAILED_SECONDS, OK_SECONDS, SECONDS, Check, KnownStates


class Parts:
    """Counted looks at parts, some of which fail."""

    def __init__(self) -> None:
        self.looks: Counter[str] = Counter()
        self.failing: set[str] = set()
        self.now = 100.0
        self.known = KnownStates(clock=lambda: self.now)
        self.wait: Callable[[], Awaitable[object]] = lambda: asyncio.sleep(0)

    def check(self, name: str) -> Check:
        async def look() -> None:
            self.looks[name] += 1
            await self.wait()
            if name in self.failing:
                raise StorageError("away")

        return look

    async def ask(self) -> dict[str, str]:
        checks: dict[str, Check | None] = {
            name: self.check(name) for name in ("storage", "embedder", "llm")
        }
        found = await self.known.of({**checks, "grader": None})
        return {name: state.status for name, state in found.items()}


async def test_a_hundred_who_ask_at_once_are_one_look() -> None:
    parts = Parts()
    found = await asyncio.gather(*(parts.ask() for _ in range(100)))
    assert set(map(str, found)) == {str(found[0])}
    assert found[0] == {"storage": "ok", "embedder": "ok", "llm": "ok", "grader": "off"}
    assert parts.looks == {"storage": 1, "embedder": 1, "llm": 1}


async def test_what_is_told_is_never_older_than_a_few_seconds() -> None:
    parts = Parts()
    await parts.ask()
    parts.failing = {"storage"}
    parts.now += OK_SECONDS - 0.01
    assert (await parts.ask())["storage"] == "ok"
    parts.now += 0.02
    assert (await parts.ask())["storage"] == "failed"
    assert parts.looks == {"storage": 2, "embedder": 2, "llm": 1}
    parts.now += SECONDS["llm"]
    await parts.ask()
    assert parts.looks["llm"] == 2


async def test_a_part_that_comes_back_is_seen_sooner() -> None:
    parts = Parts()
    parts.failing = {"storage"}
    assert (await parts.ask())["storage"] == "failed"
    parts.failing = set()
    parts.now += FAILED_SECONDS + 0.01
    assert (await parts.ask())["storage"] == "ok"
    assert parts.looks == {"storage": 2, "embedder": 1, "llm": 1}


async def test_a_look_that_takes_long_still_serves_those_who_waited() -> None:
    parts = Parts()

    async def slow() -> None:
        parts.now += 60

    parts.wait = slow
    assert (await parts.ask())["storage"] == "ok"
    assert parts.looks["storage"] == 1


async def test_a_cancelled_caller_does_not_stop_a_shared_check() -> None:
    parts, go = Parts(), asyncio.Event()
    parts.wait = go.wait
    first, second = asyncio.create_task(parts.ask()), asyncio.create_task(parts.ask())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait([first])
    go.set()
    assert (await second)["storage"] == "ok"
    assert parts.looks["storage"] == 1


async def test_a_look_that_breaks_is_told_and_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = Parts()

    async def broken(_check: object) -> object:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(health, "_state", broken)
        with pytest.raises(ZeroDivisionError):
            await parts.ask()
    assert (await parts.ask())["storage"] == "ok"

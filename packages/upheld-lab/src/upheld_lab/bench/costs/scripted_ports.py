"""The fakes of `upheld.testing`, each call of which takes a fixed time.

What a fake works out holds up those that are asked beside it, and is no cost of ours: a run that
asks what a run before it has asked is told from memory.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from upheld.ports import Filter, Judgement, Message, Output, Pair, QueryPassagePair, Reply, Sampling
from upheld.types import Hit, Scope
from upheld_lab.testing.fake_embedder import FakeEmbedder
from upheld_lab.testing.fake_entailment import FakeEntailment
from upheld_lab.testing.fake_grader import FakeGrader
from upheld_lab.testing.fake_index import FakeIndex
from upheld_lab.testing.fake_llm import FakeLLM, Script

if TYPE_CHECKING:
    from upheld.ports import Vector, Vectors

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Seconds that one call of each port takes, whatever it is asked."""

    llm: float = 0.0
    search: float = 0.0
    embed: float = 0.0
    grade: float = 0.0
    entail: float = 0.0


@asynccontextmanager
async def lasting(seconds: float) -> AsyncIterator[None]:
    """The block takes so long, with its own work: what a fake works out is no cost of ours."""
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    yield
    await asyncio.sleep(max(0.0, until - loop.time()))


Memory = defaultdict[str, dict[Hashable, Any]]  # by the port, what it has answered


@dataclass(frozen=True, slots=True)
class Told:
    """Answers that take a fixed time, each worked out once."""

    seconds: float = 0.0
    known: dict[Hashable, Any] = field(default_factory=dict)

    async def __call__(self, asked: Hashable, work: Callable[[], Awaitable[T]]) -> T:
        async with lasting(self.seconds):
            if asked not in self.known:
                self.known[asked] = await work()
            answer: T = self.known[asked]
            return answer


class TimedLLM(FakeLLM):
    """Answers one request, of however many samples, in a fixed time."""

    def __init__(self, script: Script, seconds: float) -> None:
        super().__init__(script)
        self._seconds = seconds

    async def generate(
        self, messages: Sequence[Message], output: type[Output], sampling: Sampling = Sampling()
    ) -> Reply[Output]:
        async with lasting(self._seconds):
            return await super().generate(messages, output, sampling)


@dataclass
class TimedIndex(FakeIndex):
    """Answers a hybrid search in a fixed time."""

    told: Told = field(default_factory=Told)

    async def hybrid(
        self, query: str, vector: Vector, scope: Scope, limit: int, where: Filter = Filter()
    ) -> list[Hit]:
        search = super().hybrid
        return await self.told(
            (query, scope, limit, where), lambda: search(query, vector, scope, limit, where)
        )


@dataclass
class TimedEmbedder(FakeEmbedder):
    """Embeds in a fixed time."""

    told: Told = field(default_factory=Told)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        embed = super().embed
        return await self.told(tuple(texts), lambda: embed(texts))


@dataclass
class TimedGrader(FakeGrader):
    """Grades any number of pairs in a fixed time."""

    told: Told = field(default_factory=Told)

    async def grade(self, pairs: Sequence[QueryPassagePair]) -> list[float]:
        grade = super().grade
        return await self.told(tuple(pairs), lambda: grade(pairs))


@dataclass
class TimedEntailment(FakeEntailment):
    """Judges any number of pairs in a fixed time."""

    told: Told = field(default_factory=Told)

    async def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        judge = super().judge
        return await self.told(tuple(pairs), lambda: judge(pairs))

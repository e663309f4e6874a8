"""Judgements on disk: a pair is judged once for each model, and an interrupted run resumes."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from upheld._internal.disk_cache import DiskCache
from upheld.ports import Entailment, Grader, Judgement, Pair, QueryPassagePair
from upheld.types import content_hash


@dataclass
class AroundEntailment:
    """All of `upheld.ports.Entailment` but `judge` and `close`."""

    model: Entailment

    @property
    def identity(self) -> str:
        return self.model.identity

    @property
    def languages(self) -> frozenset[str]:
        return self.model.languages

    @property
    def room(self) -> int:
        return self.model.room

    def count_tokens(self, text: str) -> int:
        return self.model.count_tokens(text)


TOGETHER = 64  # pairs between two writes: what an interrupted run can lose

Item = TypeVar("Item")
Numbers = tuple[float, ...]


@dataclass
class KeptNumbers:
    """What a model says of pairs, and the seconds that each took when it was judged."""

    cache: DiskCache[str]
    seconds: float = 0.0

    async def numbers(
        self,
        wanted: Mapping[str, Item],
        ask: Callable[[Sequence[Item]], Awaitable[Sequence[Numbers]]],
    ) -> dict[str, Numbers]:
        """Those that are kept from the file, the others by asking; by their keys."""
        known = self.cache.get(wanted)
        missing = [key for key in wanted if key not in known]
        for first in range(0, len(missing), TOGETHER):
            part = missing[first : first + TOGETHER]
            started = time.perf_counter()
            judged = await ask([wanted[key] for key in part])
            seconds = (time.perf_counter() - started) / len(part)
            new = {
                key: json.dumps([*numbers, seconds])
                for key, numbers in zip(part, judged, strict=True)
            }
            self.cache.put(new)
            known.update(new)
        found = {key: json.loads(row) for key, row in known.items()}
        self.seconds += sum(row[-1] for row in found.values())
        return {key: tuple(row[:-1]) for key, row in found.items()}


@dataclass
class KeptJudgements(AroundEntailment):
    """A verifier whose judgements are kept in a file."""

    file: Path
    judged: int = 0
    _kept: KeptNumbers = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._kept = KeptNumbers(DiskCache(self.file, "judgements"))

    @property
    def seconds(self) -> float:
        return self._kept.seconds

    async def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """Those that are kept from the file, the others by the model."""
        keys = [content_hash(f"{self.identity}\0{each.premise}\0{each.claim}") for each in pairs]
        found = await self._kept.numbers(dict(zip(keys, pairs, strict=True)), self._judge)
        self.judged += len(found)
        return [Judgement(*found[key]) for key in keys]

    async def close(self) -> None:
        await self.model.close()

    async def _judge(self, pairs: Sequence[Pair]) -> list[Numbers]:
        judged = await self.model.judge(pairs)
        return [(one.entails, one.contradicts, one.neutral) for one in judged]


@dataclass
class KeptGrades:
    """A grader whose probabilities are kept in a file."""

    model: Grader
    file: Path
    _kept: KeptNumbers = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._kept = KeptNumbers(DiskCache(self.file, "grader_probabilities"))

    @property
    def identity(self) -> str:
        return self.model.identity

    async def grade(self, pairs: Sequence[QueryPassagePair]) -> list[float]:
        """Those that are kept from the file, the others by the model."""
        keys = [content_hash(f"{self.identity}\0{each.query}\0{each.text}") for each in pairs]
        found = await self._kept.numbers(dict(zip(keys, pairs, strict=True)), self._grade)
        return [found[key][0] for key in keys]

    async def close(self) -> None:
        await self.model.close()

    async def _grade(self, pairs: Sequence[QueryPassagePair]) -> list[Numbers]:
        return [(probability,) for probability in await self.model.grade(pairs)]

"""Judgements on disk: a pair is judged once for each model, and an interrupted run resumes."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from upheld.ports import Grader, Judgement, Pair, QueryPassagePair
from upheld.types import content_hash
from upheld_lab.bench.around import AroundEntailment

TOGETHER = 64  # pairs between two writes: what an interrupted run can lose

Item = TypeVar("Item")
Numbers = tuple[float, ...]


@dataclass
class KeptNumbers:
    """A table of pairs with what a model says of them and the seconds that it took when made."""

    file: Path
    table: str
    columns: tuple[str, ...]
    seconds: float = 0.0
    _rows: sqlite3.Connection = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self._rows = sqlite3.connect(self.file, check_same_thread=False)
        columns = ", ".join((*self.columns, "s"))
        self._rows.execute(
            f"CREATE TABLE IF NOT EXISTS {self.table} (pair TEXT PRIMARY KEY, {columns})"
        )

    async def numbers(
        self,
        wanted: Mapping[str, Item],
        ask: Callable[[Sequence[Item]], Awaitable[Sequence[Numbers]]],
    ) -> dict[str, Numbers]:
        """Those that are kept from the file, the others by asking; by their keys."""
        missing = [key for key in wanted if self._look_up(key) is None]
        for first in range(0, len(missing), TOGETHER):
            part = missing[first : first + TOGETHER]
            started = time.perf_counter()
            said = await ask([wanted[key] for key in part])
            self._keep(part, said, (time.perf_counter() - started) / len(part))
        found = {key: row for key in wanted if (row := self._look_up(key)) is not None}
        self.seconds += sum(row[-1] for row in found.values())
        return {key: row[:-1] for key, row in found.items()}

    def close(self) -> None:
        self._rows.close()

    def _look_up(self, key: str) -> Numbers | None:
        columns = ", ".join((*self.columns, "s"))
        row: Numbers | None = self._rows.execute(
            f"SELECT {columns} FROM {self.table} WHERE pair = ?",  # noqa: S608  (our own names)
            (key,),
        ).fetchone()
        return row

    def _keep(self, keys: Sequence[str], said: Sequence[Numbers], seconds: float) -> None:
        rows = [(key, *numbers, seconds) for key, numbers in zip(keys, said, strict=True)]
        places = ", ".join("?" * (len(self.columns) + 2))
        with self._rows:
            self._rows.executemany(
                f"INSERT OR REPLACE INTO {self.table} VALUES ({places})",  # noqa: S608  (our own names)
                rows,
            )


@dataclass
class KeptJudgements(AroundEntailment):
    """A verifier whose judgements are kept in a file."""

    file: Path
    judged: int = 0
    _kept: KeptNumbers = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._kept = KeptNumbers(self.file, "kept", ("e", "c", "n"))

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
        self._kept.close()
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
        self._kept = KeptNumbers(self.file, "grades", ("p",))

    @property
    def identity(self) -> str:
        return self.model.identity

    async def grade(self, pairs: Sequence[QueryPassagePair]) -> list[float]:
        """Those that are kept from the file, the others by the model."""
        keys = [content_hash(f"{self.identity}\0{each.query}\0{each.text}") for each in pairs]
        found = await self._kept.numbers(dict(zip(keys, pairs, strict=True)), self._grade)
        return [found[key][0] for key in keys]

    async def close(self) -> None:
        self._kept.close()
        await self.model.close()

    async def _grade(self, pairs: Sequence[QueryPassagePair]) -> list[Numbers]:
        return [(chance,) for chance in await self.model.grade(pairs)]

"""Judgements on disk: a pair is judged once for each model, and an interrupted run resumes."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from upheld.ports import Entailment, Judgement, Pair
from upheld.types import content_hash

TOGETHER = 64  # pairs between two writes: what an interrupted run can lose


@dataclass
class KeptJudgements:
    """A model whose judgements are kept in a file, with the time that each took when made."""

    model: Entailment
    file: Path
    judged: int = 0
    seconds: float = 0.0
    _rows: sqlite3.Connection = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self._rows = sqlite3.connect(self.file, check_same_thread=False)
        self._rows.execute("CREATE TABLE IF NOT EXISTS kept (pair TEXT PRIMARY KEY, e, c, n, s)")

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

    async def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """Those that are kept from the file, the others by the model."""
        wanted = {self._key(pair): pair for pair in pairs}
        missing = [key for key in wanted if self._look_up(key) is None]
        for first in range(0, len(missing), TOGETHER):
            part = missing[first : first + TOGETHER]
            started = time.perf_counter()
            judged = await self.model.judge([wanted[key] for key in part])
            self._keep(part, judged, (time.perf_counter() - started) / len(part))
        found = {key: row for key in wanted if (row := self._look_up(key)) is not None}
        self.judged += len(found)
        self.seconds += sum(row[3] for row in found.values())
        return [Judgement(*found[self._key(pair)][:3]) for pair in pairs]

    async def close(self) -> None:
        self._rows.close()
        await self.model.close()

    def _key(self, pair: Pair) -> str:
        return content_hash(f"{self.identity}\0{pair.premise}\0{pair.claim}")

    def _look_up(self, key: str) -> tuple[float, float, float, float] | None:
        row: tuple[float, float, float, float] | None = self._rows.execute(
            "SELECT e, c, n, s FROM kept WHERE pair = ?", (key,)
        ).fetchone()
        return row

    def _keep(self, keys: Sequence[str], judged: Sequence[Judgement], seconds: float) -> None:
        rows = [
            (key, one.entails, one.contradicts, one.neutral, seconds)
            for key, one in zip(keys, judged, strict=True)
        ]
        with self._rows:
            self._rows.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?, ?)", rows)

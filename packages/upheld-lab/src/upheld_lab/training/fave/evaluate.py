"""How much gold a planner's sessions find, question by question."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from upheld._internal.concurrency import all_of
from upheld.resources.open import Resources
from upheld_lab.bench.metrics import paired_interval
from upheld_lab.bench.report import Watch
from upheld_lab.training.fave.sessions import SESSIONS, Planned, scored_sessions

_AT_ONCE = 4  # questions: a server writes several sessions in the time of one


@dataclass(frozen=True, slots=True)
class Recalled:
    """One question: sessions that could be read, and the mean share of gold that they find."""

    question: str
    sessions: int
    recall: float  # 0 without a session
    steps: float = 0.0  # sub-questions of a session: more of them find more


async def measure(
    questions: Sequence[Planned],
    parts: Resources,
    out: Path,
    watch: Watch,
    sessions: int = SESSIONS,
) -> list[Recalled]:
    """Measure questions, one line each in `out`; those that are there are not repeated."""
    done = {each.question: each for each in read_recalled(out)}
    room = asyncio.Semaphore(_AT_ONCE)

    async def one(question: Planned) -> None:
        async with room:
            scored = await scored_sessions(question, parts, sessions=sessions)
        found = [each.score / len(question.gold) for each in scored]
        steps = [len(each.questions) for each in scored]
        done[question.id] = Recalled(question.id, len(found), _mean(found), _mean(steps))
        with out.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(asdict(done[question.id])) + "\n")
        watch("sessions", len(done), len(questions))

    await all_of(one(each) for each in questions if each.id not in done)
    return [done[each.id] for each in questions]


def read_recalled(path: Path) -> Iterator[Recalled]:
    """Read what `measure` wrote; nothing if it has not begun."""
    if not path.exists():
        return
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield Recalled(**json.loads(line))


def summary(rows: Sequence[Recalled]) -> dict[str, float]:
    """The figures of a planner."""
    return {
        "questions": len(rows),
        "sessions": float(np.mean([each.sessions for each in rows])),
        "sub_questions": float(np.mean([each.steps for each in rows])),
        "gold_recall": float(np.mean([each.recall for each in rows])),
    }


def differences(ours: Iterable[Recalled], theirs: Iterable[Recalled]) -> dict[str, Any]:
    """The paired difference in recall on the questions of both, with its 95 % interval."""
    other = {each.question: each.recall for each in theirs}
    pairs = [(each.recall, other[each.question]) for each in ours if each.question in other]
    if not pairs:
        raise ValueError("no question is in both")
    one, two = zip(*pairs, strict=True)
    return {"gold_recall": asdict(paired_interval({"": one}, {"": two}))}


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0

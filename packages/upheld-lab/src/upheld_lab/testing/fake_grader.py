"""A fake grader: shared words decide, faults on demand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from upheld.errors import ModelError
from upheld.ports import QueryPassagePair
from upheld.text.words import content_stems
from upheld_lab.testing.fake_entailment import Fault


def shared_words(pair: QueryPassagePair) -> float:
    """Return the share of the query's words that the text has, within (0, 1)."""
    asked = content_stems(pair.query)
    shared = len(asked & content_stems(pair.text)) / (len(asked) or 1)
    return 0.02 + 0.96 * shared


@dataclass(slots=True)
class FakeGrader:
    """Deterministic and fast; each call uses up one of `faults`, where None is a normal call.

    >>> grader = FakeGrader(faults=[None, Fault.ERROR])
    >>> sure = FakeGrader(score=lambda pair: 0.99)
    """

    identity: str = "fake-grader"
    score: Callable[[QueryPassagePair], float] = shared_words
    latency: float = 0.0  # seconds per call
    faults: list[Fault | None] = field(default_factory=list)
    asked: list[list[QueryPassagePair]] = field(default_factory=list)  # every call
    dead: bool = False

    async def grade(self, pairs: Sequence[QueryPassagePair]) -> list[float]:
        self.asked.append(list(pairs))
        fault = self.faults.pop(0) if self.faults else None
        await asyncio.sleep(self.latency)
        self.dead = self.dead or fault is Fault.KILLED
        if self.dead or fault is Fault.ERROR:
            raise ModelError("the fake grader is dead" if self.dead else "told to fail")
        if fault is Fault.HANG:
            await asyncio.Event().wait()
        return _spoilt([self.score(pair) for pair in pairs], fault)

    async def close(self) -> None:
        self.dead = True


def _spoilt(scores: list[float], fault: Fault | None) -> list[float]:
    wrong = {
        Fault.NOT_A_NUMBER: float("nan"),
        Fault.INFINITE: float("inf"),
        Fault.NO_PROBABILITY: 1.7,
    }
    if fault in wrong:
        return [*scores[:-1], wrong[fault]]
    if fault is Fault.TOO_FEW:
        return scores[:-1]
    if fault is Fault.TOO_MANY:
        return [*scores, 0.5]
    return scores

"""A fake entailment model: shared words entail, negations and figures contradict."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from upheld.errors import ModelError
from upheld.ports import Judgement, Pair
from upheld.text.words import content_stems, words

_NEGATIONS = frozenset({"not", "no", "never", "none", "without", "cannot"})
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")

ENTAILS = Judgement(0.96, 0.01, 0.03)
CONTRADICTS = Judgement(0.02, 0.93, 0.05)
NEUTRAL = Judgement(0.04, 0.03, 0.93)


class Fault(Enum):
    """The faults that a fake model can show on demand."""

    ERROR = "raises an error"
    KILLED = "raises an error, now and ever after"
    HANG = "never answers"
    NOT_A_NUMBER = "gives NaN"
    INFINITE = "gives infinity"
    NO_PROBABILITY = "gives numbers that do not sum to one"
    TOO_FEW = "forgets a pair"
    TOO_MANY = "answers a pair that nobody asked"


@dataclass(slots=True)
class FakeEntailment:
    """Deterministic and fast; each call uses up one of `faults`, where None is a normal call.

    >>> model = FakeEntailment(faults=[None, Fault.HANG])
    """

    identity: str = "fake-entailment"
    languages: frozenset[str] = frozenset({"en"})
    room: int = 253
    faults: list[Fault | None] = field(default_factory=list)
    always: Judgement | None = None  # returned for every pair, such as by an overconfident model
    asked: list[list[Pair]] = field(default_factory=list)  # every call
    dead: bool = False

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    async def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        self.asked.append(list(pairs))
        fault = self.faults.pop(0) if self.faults else None
        self.dead = self.dead or fault is Fault.KILLED
        if self.dead or fault is Fault.ERROR:
            raise ModelError("the fake verifier is dead" if self.dead else "told to fail")
        if fault is Fault.HANG:
            await asyncio.Event().wait()
        for pair in pairs:
            if self.count_tokens(pair.premise) + self.count_tokens(pair.claim) > self.room:
                raise ModelError("a pair is longer than the model reads")
        return _spoilt([self.always or _judge(pair) for pair in pairs], fault)

    async def close(self) -> None:
        self.dead = True


def _judge(pair: Pair) -> Judgement:
    told = content_stems(pair.claim)
    said = content_stems(pair.premise)
    figures = set(_FIGURE.findall(pair.claim))
    known = set(_FIGURE.findall(pair.premise))
    told -= {stem for stem in told if stem.isdigit()}
    shared = len(told & said) / (len(told) or 1)
    denies = bool(_NEGATIONS & set(words(pair.claim)))
    denied = any(
        _NEGATIONS & set(words(sentence))
        for sentence in re.split(r"(?<=[.!?])\s+", pair.premise)
        if len(told & content_stems(sentence)) >= 0.7 * len(told)
    )
    if shared < 0.7 or not told:
        return NEUTRAL
    if denies != denied or (figures and known and not figures <= known):
        return CONTRADICTS
    return ENTAILS if shared == 1 and figures <= known else NEUTRAL


def _spoilt(judgements: list[Judgement], fault: Fault | None) -> list[Judgement]:
    wrong = {
        Fault.NOT_A_NUMBER: Judgement(float("nan"), 0.0, 0.0),
        Fault.INFINITE: Judgement(float("inf"), 0.0, 0.0),
        Fault.NO_PROBABILITY: Judgement(0.99, 0.99, 0.99),
    }
    if fault in wrong:
        return [*judgements[:-1], wrong[fault]]
    if fault is Fault.TOO_FEW:
        return judgements[:-1]
    if fault is Fault.TOO_MANY:
        return [*judgements, ENTAILS]
    return judgements

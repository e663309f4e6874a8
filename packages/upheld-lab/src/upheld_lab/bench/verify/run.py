"""The labelled sets through the shipped verify stage: what the other files draw figures from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from upheld.ports import Entailment
from upheld.verification.verify import Verify
from upheld_lab.bench.judgements import KeptJudgements
from upheld_lab.bench.report import Watch
from upheld_lab.bench.verify.read import Seen, see
from upheld_lab.bench.verify.sets import APART, SEVEN, load

APART_CASES = 300  # of each set that is in no bar


@dataclass(frozen=True, slots=True)
class Choice:
    """What a run measures on."""

    data: Path
    cache: Path
    limit: int | None = None  # cases a set
    judged: int = 40  # cases a set that a language model is asked about
    speed: bool = True


@dataclass(frozen=True, slots=True)
class Measured:
    """One set with what the pipeline emitted, and what it took to judge its pairs."""

    seen: Sequence[Seen]
    scores: Sequence[float]
    pairs: int
    seconds: float

    @property
    def supported(self) -> list[bool]:
        return [one.supported for one in self.seen]

    @property
    def documents(self) -> list[str]:
        return [f"{one.case.set} {one.case.document}" for one in self.seen]


async def measure_sets(
    verify: Verify,
    model: Entailment,
    choice: Choice,
    watch: Watch,
    names: Sequence[str] = SEVEN + APART,
) -> dict[str, Measured]:
    """Every case of every set, judged or found in the file of earlier judgements."""
    kept = KeptJudgements(model, choice.cache / "judgements.sqlite")
    stage = replace(verify, model=kept)
    found = {}
    for name in names:
        pairs, seconds = kept.judged, kept.seconds
        limit = APART_CASES if choice.limit is None and name in APART else choice.limit
        seen = await see(stage, load(name, choice.data)[:limit], watch, name)
        scores = [one.probability(verify.decide) for one in seen]
        found[name] = Measured(seen, scores, kept.judged - pairs, kept.seconds - seconds)
    return found


def joined(sets: Sequence[Measured]) -> Measured:
    """Several sets as one."""
    return Measured(
        [one for each in sets for one in each.seen],
        [score for each in sets for score in each.scores],
        sum(each.pairs for each in sets),
        sum(each.seconds for each in sets),
    )

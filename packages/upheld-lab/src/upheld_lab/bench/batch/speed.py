"""How fast workers are: a batch beside the bare model, and two embedding workers beside one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from upheld.check import check, opened_verify
from upheld.errors import BulkError, ModelError
from upheld.ports import Judgement, Pair
from upheld.settings import Settings
from upheld_lab.bench.batch.command import BatchFiles, started
from upheld_lab.bench.batch.embedding import time_embedding
from upheld_lab.bench.costs.speed import Compared, interleaved_seconds
from upheld_lab.bench.judgements import AroundEntailment
from upheld_lab.bench.report import Watch
from upheld_lab.bench.verify.bare_entailment import bare_loops
from upheld_lab.bench.verify.made_answers import MadeClaim
from upheld_lab.bench.verify.speed import fastest

TRIED = 60  # pairs that choose the bare loop


@dataclass
class _Recorded(AroundEntailment):
    """The verifier, with the pairs that it was asked."""

    pairs: list[Pair] = field(default_factory=list)

    async def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        self.pairs += pairs
        return await self.model.judge(pairs)

    async def close(self) -> None:
        await self.model.close()


async def pairs_of(claims: Sequence[MadeClaim], settings: Settings, watch: Watch) -> list[Pair]:
    """What a check asks the model about these claims."""
    async with opened_verify(settings) as stage:
        if stage.model is None:
            raise ModelError(stage.no_model)
        recorded = _Recorded(stage.model)
        for done, claim in enumerate(claims, start=1):
            await check(replace(stage, model=recorded), claim.text, [claim.source])
            watch("pairs of the claims", done, len(claims))
        return recorded.pairs


@dataclass(frozen=True, slots=True)
class BatchSpeed:
    """Seconds a claim in workers, from the first begun to the last verdict, and bare."""

    compared: Compared
    bare_loop: str
    pairs_a_claim: float
    start_seconds: float  # of the command until a worker begins, the longest


async def compare_batch(
    files: BatchFiles, claims: Sequence[MadeClaim], settings: Settings, rounds: int, watch: Watch
) -> BatchSpeed:
    """The command on these claims, and the bare model on the same pairs and cores, in turns."""
    from upheld_verifier import verifier_model, verifier_tokenizer

    pairs = await pairs_of(claims, settings, watch)
    loops = bare_loops(verifier_model(), verifier_tokenizer())
    best = fastest(loops, pairs[:TRIED], watch)
    starts: list[float] = []

    async def bare(_: int) -> float:
        began = time.perf_counter()
        loops[best](pairs)
        return (time.perf_counter() - began) / len(claims)

    async def ours(_: int) -> float:
        start, seconds = await asyncio.to_thread(time_batch, files, claims)
        starts.append(start)
        return seconds

    compared = await interleaved_seconds(
        ours, bare, rounds, lambda done: watch("batches against bare", done, rounds)
    )
    return BatchSpeed(compared, best, len(pairs) / len(claims), max(starts))


def time_batch(files: BatchFiles, claims: Sequence[MadeClaim]) -> tuple[float, float]:
    """Seconds until a worker begins, and from then on for each claim.

    Not from the first verdict on: others are ready by then, and would have taken no time.
    """
    files.write(claims)
    began = time.time()
    with started(files, noting=True) as command:
        last, verdicts = list(command.progress())[-1]
    if verdicts != len(claims):
        raise BulkError(f"Of {len(claims)} claims, {verdicts} were checked.")
    first = files.first_begun()
    return first - began, (last - first) / verdicts


async def compare_workers(passages: int, settings: Settings, rounds: int, watch: Watch) -> Compared:
    """Seconds a passage of the embedding stage with two workers of one CPU, and with one."""

    async def with_workers(count: int) -> float:
        return await asyncio.to_thread(time_embedding, passages, count, settings)

    return await interleaved_seconds(
        lambda _: with_workers(2),
        lambda _: with_workers(1),
        rounds,
        lambda done: watch("two workers against one", done, rounds),
    )

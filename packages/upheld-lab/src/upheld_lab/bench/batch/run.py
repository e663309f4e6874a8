"""`upheld bench batch`: claims checked in bulk, killed and continued, beside the bare model."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass
from pathlib import Path

from upheld.resources.bulk import RAY
from upheld.settings import load_settings
from upheld_lab.bench.batch.command import BatchFiles
from upheld_lab.bench.batch.kills import Continued, places, run_killed
from upheld_lab.bench.batch.speed import BatchSpeed, compare_batch, compare_workers
from upheld_lab.bench.costs.speed import Compared
from upheld_lab.bench.manifest import manifest
from upheld_lab.bench.report import Report, Row, Watch
from upheld_lab.bench.verify.made_answers import AnswerWriter


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much work; small numbers are for trying the bench itself."""

    claims: int = 5_000
    kills: int = 3
    rounds: int = 3
    passages: int = 1_000  # that one or two workers embed

    @property
    def slice(self) -> int:
        """Claims of a round against the bare model."""
        return max(self.claims // 5, min(self.claims, 40))


async def bench_batch(sizes: Sizes, on: str, seed: int, watch: Watch) -> Report:
    """Speed first, then kills; embedding workers are compared on Ray only."""
    settings = load_settings()
    claims = AnswerWriter(seed).claims(sizes.claims)
    # A short path: names of sockets have at most 107 characters.
    with tempfile.TemporaryDirectory(
        prefix="uh",
        dir="/tmp",
        ignore_cleanup_errors=True,
    ) as folder:
        files = BatchFiles(Path(folder), on)
        batch = await compare_batch(files, claims[: sizes.slice], settings, sizes.rounds, watch)
        workers = None
        if on.partition(":")[0] == RAY:
            workers = await compare_workers(sizes.passages, settings, sizes.rounds, watch)
        files.write(claims)
        kill_after = places(sizes.claims, sizes.kills, seed)
        continued = await asyncio.to_thread(run_killed, files, kill_after, watch)
    facts = manifest(
        on=on, sizes={name: getattr(sizes, name) for name in sizes.__slots__}, seed=seed
    )
    return Report("batch", bars(batch, workers, continued), rows(batch, workers, continued), facts)


def bars(batch: BatchSpeed, workers: Compared | None, continued: Continued) -> dict[str, float]:
    """The promises: speeds over those of the other side, and counts that should be zero."""
    return {
        "batch_over_bare": batch.compared.bare / batch.compared.ours,
        **({} if workers is None else {"ray_two_over_one": workers.bare / workers.ours}),
        "batch_lost": continued.lost,
        "batch_doubled": continued.doubled,
        "batch_checked_again": continued.checked_again,
    }


def rows(batch: BatchSpeed, workers: Compared | None, continued: Continued) -> tuple[Row, ...]:
    """Rates of both sides, and what each kill met."""
    found: list[Row] = [
        {
            "what": "claims/s",
            "in workers": 1 / batch.compared.ours,
            "bare": 1 / batch.compared.bare,
            "best bare loop": batch.bare_loop,
            "pairs a claim": batch.pairs_a_claim,
            "work begins after s": batch.start_seconds,
            **_trust(batch.compared),
        }
    ]
    if workers is not None:
        found.append(
            {
                "what": "passages/s",
                "two workers": 1 / workers.ours,
                "one": 1 / workers.bare,
                **_trust(workers),
            }
        )
    found += [
        {
            "kill": number,
            "verdicts written": len(kill.written),
            "begun and not written": kill.unwritten,
            "processes left": kill.processes_left,
        }
        for number, kill in enumerate(continued.kills, start=1)
    ]
    return tuple(found)


def _trust(found: Compared) -> Row:
    return {"control": found.control, "void": found.is_void}

"""Whether methods wait only for what they must: wall time over the critical path, on slow fakes."""

from __future__ import annotations

import asyncio
import selectors
import statistics
import time
from collections.abc import Awaitable, Callable

from upheld_lab.bench.costs.paths import PATHS, critical_path
from upheld_lab.bench.costs.scripted_ports import Latency, Memory
from upheld_lab.bench.costs.scripted_scenes import SCENES, Scene, staged
from upheld_lab.bench.report import Row, Watch

LATENCY = Latency(llm=0.05, search=0.01, embed=0.01, grade=0.01, entail=0.01)
BUSY = 1.05  # bare sleeps along the path that take longer: the machine is too busy to say anything
ATTEMPTS = 3


async def bench_methods(rounds: int, watch: Watch) -> list[Row]:
    """A whole `ask` in every scene: search to the last check."""

    def run() -> list[Row]:
        with asyncio.Runner(loop_factory=_finely_timed) as runner:
            return runner.run(_every_scene(rounds, watch))

    return await asyncio.to_thread(run)  # a thread: this one has a loop already


def _finely_timed() -> asyncio.AbstractEventLoop:
    """The usual loop, by epoll, wakes on whole milliseconds: a fake would take up to one more."""
    return asyncio.SelectorEventLoop(selectors.SelectSelector())


async def _every_scene(rounds: int, watch: Watch) -> list[Row]:
    rows: list[Row] = []
    for done, scene in enumerate(SCENES):
        watch("methods", done, len(SCENES))
        attempt, row = 1, await measured(scene, rounds)
        while row["control"] > BUSY and attempt < ATTEMPTS:
            attempt, row = attempt + 1, await measured(scene, rounds)
        rows.append({**row, "attempts": attempt, "void": row["control"] > BUSY})
    watch("methods", len(SCENES), len(SCENES))
    return rows


async def measured(scene: Scene, rounds: int, latency: Latency = LATENCY) -> Row:
    """Medians; the control sleeps along the path, by turns with the method."""
    calls = critical_path(PATHS[scene.name], latency)
    path = sum(calls)

    async def bare() -> None:
        for seconds in calls:
            await asyncio.sleep(seconds)

    walls, controls, memory = [], [], Memory(dict)
    for _ in range(rounds + 1):
        ask, _llm = await staged(scene, latency, memory)
        walls.append(await _seconds(ask))
        controls.append(await _seconds(bare))
    wall, control = (statistics.median(taken[1:]) for taken in (walls, controls))  # one to warm up
    return {
        "method": scene.method,
        "branch": scene.branch,
        "path, ms": path * 1_000,
        "wall, ms": wall * 1_000,
        "wall over path": wall / path,
        "control": control / path,
    }


def worst(rows: list[Row]) -> dict[str, float]:
    """`wall_over_path.METHOD`: its slowest branch."""
    ratios: dict[str, float] = {}
    for row in rows:
        name = f"wall_over_path.{row['method']}"
        ratios[name] = max(ratios.get(name, 0.0), row["wall over path"])
    return ratios


async def _seconds(work: Callable[[], Awaitable[object]]) -> float:
    started = time.perf_counter()
    await work()
    return time.perf_counter() - started

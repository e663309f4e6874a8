"""How many answers a second more processes give, and what they use of the machine for it."""

from __future__ import annotations

import os
import statistics

from upheld_lab.bench.report import Row, Watch
from upheld_lab.bench.service.figures import OK, goodput
from upheld_lab.bench.service.pressure import Requests, load
from upheld_lab.bench.service.servers import House, serving

COUNTS = (1, 2, 4)
CALLERS = 48  # enough that the wait for the language model is not the limit
WARM_SHARE = 0.2


async def bench_processes(
    house: House, model: str, requests: Requests, seconds: float, watch: Watch
) -> list[Row]:
    """Load that always waits for a reply, on one store and one database, with 1, 2, 4 processes."""
    rows: list[Row] = []
    for done, count in enumerate(COUNTS, start=1):
        async with serving(
            house,
            processes=count,
            llm_url=model,
            local_models="false",
            tenant_at_once=str(CALLERS),
            tenant_waiting=str(CALLERS),
        ) as served:
            await load(served, house, requests, callers=CALLERS, count=2 * CALLERS)
            before = served.cpu()
            replies = await load(served, house, requests, callers=CALLERS, seconds=seconds)
            used = {each: now - before.get(each, 0.0) for each, now in served.cpu().items()}
        good = [each.seconds for each in replies if each.status == OK]
        rows.append(
            {
                "processes": count,
                "answers a second": goodput(replies, seconds * WARM_SHARE, seconds),
                "p50, ms": statistics.median(good) * 1e3,
                "cores of the service": sum(used.values()) / seconds,
                "of its busiest process": max(used.values()) / seconds,
                "cores of the machine": os.cpu_count(),
            }
        )
        watch("processes", done, len(COUNTS))
    return rows

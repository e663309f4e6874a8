"""The service under load: beyond what it admits, in more processes, and for a long time."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from upheld.errors import UpheldError
from upheld_lab.bench.report import Row, Watch
from upheld_lab.bench.service.figures import (
    OK,
    Replied,
    goodput,
    median_ratio,
    reject_p95,
    unexpected,
)
from upheld_lab.bench.service.load import Plan, loaded
from upheld_lab.bench.service.servers import House, Served
from upheld_lab.bench.service.usage import resident_bytes

Requests = Sequence[tuple[str, Any]]
AT_ONCE, WAITING = 4, 4  # what one tenant is admitted: a short queue, so that it is soon full
WARM_SHARE = 0.2  # of a load's seconds, until its queue is as full as it gets
CHUNK = 500
BOTH_WARM = 0.1  # of the work of a round: what the lesser of two processes must have done
WARM_ROUNDS = 10


async def bench_overload(
    served: Served, house: House, requests: Requests, seconds: float, rounds: int, watch: Watch
) -> tuple[dict[str, float], list[Row]]:
    """Goodput at twice the peak over the peak, which all who are admitted reach together."""
    peaks, goods, rejects = [], [], []
    rows: list[Row] = []
    begin = seconds * WARM_SHARE
    for number in range(rounds):
        full = await load(served, house, requests, callers=AT_ONCE + WAITING, seconds=seconds)
        peak = goodput(full, begin, seconds)
        beyond = await load(served, house, requests, per_second=2 * peak, seconds=seconds)
        good, rejected = goodput(beyond, begin, seconds), reject_p95(beyond)
        for told, replies, rate in (("peak", full, peak), ("twice the peak", beyond, good)):
            rows.append({"load": told, "good a second": rate, **_counts(replies)})
        peaks.append(peak)
        goods.append(good)
        rejects.append(rejected)
        watch("overload", number + 1, rounds)
    bars = {
        "overload_goodput": median_ratio(peaks, goods),
        "reject_p95_ms": statistics.median(rejects) * 1_000,
    }
    return bars, rows


async def bench_processor(
    one: Served,
    two: Served,
    house: House,
    requests: Requests,
    count: int,
    rounds: int,
    watch: Watch,
) -> tuple[float, list[Row]]:
    """Seconds of processor for a request in one and in two processes, by turns."""
    await _warm(two, house, requests, count)
    await _spent(one, house, requests, count)
    spent: dict[str, list[float]] = {"one": [], "two": []}
    lesser = []
    for number in range(rounds):
        for name, served in (("one", one), ("two", two)):
            used = await _spent(served, house, requests, count)
            spent[name].append(sum(used.values()) / count)
            if served is two:
                lesser.append(_lesser(used))
        watch("processor", number + 1, rounds)
    row: Row = {
        "processor": f"{count} requests",
        "one process, ms a request": statistics.median(spent["one"]) * 1_000,
        "two processes, ms a request": statistics.median(spent["two"]) * 1_000,
        "share of the lesser of two": statistics.median(lesser),
    }
    return median_ratio(spent["one"], spent["two"]), [row]


async def bench_memory(
    served: Served, house: House, requests: Requests, count: int, watch: Watch
) -> tuple[float, list[Row]]:
    """How much memory grows while so many requests are served, after a tenth as many more."""
    await load(served, house, requests, callers=AT_ONCE, count=max(count // 10, 1))
    before = resident_bytes(served.processes)
    done = 0
    while done < count:
        batch = min(CHUNK, count - done)
        await _all_good(served, house, requests, batch)
        done += batch
        watch("memory", done, count)
    after = resident_bytes(served.processes)
    row: Row = {
        "memory": f"{count} requests",
        "before, MB": before / 1e6,
        "after, MB": after / 1e6,
    }
    return after / before - 1, [row]


async def _warm(served: Served, house: House, requests: Requests, count: int) -> None:
    """Until both processes have taken a part of a round: models are opened by the first request.

    Who accepts a connection is the system's choice: if it never spreads them, the row says so.
    """
    for _ in range(WARM_ROUNDS):
        if _lesser(await _spent(served, house, requests, count)) >= BOTH_WARM:
            return


async def _spent(served: Served, house: House, requests: Requests, count: int) -> dict[int, float]:
    before = served.cpu()
    await _all_good(served, house, requests, count)
    return {process: used - before.get(process, 0.0) for process, used in served.cpu().items()}


def _lesser(used: dict[int, float]) -> float:
    """The share of the second busiest process; those that do not serve use next to nothing."""
    return sorted(used.values())[-2] / sum(used.values())


async def _all_good(served: Served, house: House, requests: Requests, count: int) -> None:
    replies = await load(served, house, requests, callers=AT_ONCE, count=count)
    if bad := [each.status for each in replies if each.status != OK]:
        raise UpheldError(f"{len(bad)} of {count} requests failed, the first with {bad[0]}.")


async def load(
    served: Served,
    house: House,
    requests: Requests,
    *,
    callers: int = 0,
    count: int = 0,
    per_second: float = 0.0,
    seconds: float = 0.0,
) -> list[Replied]:
    """Ask as so many callers do, or so often."""
    plan = Plan(
        url=served.url,
        key=house.key.get_secret_value(),
        requests=requests,
        callers=callers,
        count=count,
        per_second=per_second,
        seconds=seconds,
    )
    return await loaded(plan)


def _counts(replies: Sequence[Replied]) -> Row:
    good, other = sum(each.status == OK for each in replies), unexpected(replies)
    rejected = len(replies) - good - other
    return {
        "good": good,
        "429": rejected,
        "other": other,
        "429 p95, ms": reject_p95(replies) * 1_000 if rejected else "",
    }

"""Query times and memory of one collection, in a process of its own.

`python -m upheld_lab.bench.growth.queries ASKED.npz` reads the place of the collection from
standard input and prints one JSON object.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np

from upheld.edge.lance.index import LanceIndex
from upheld.types import Scope
from upheld_lab.bench.costs.bare import BareSearch
from upheld_lab.bench.growth.mixed import FEW
from upheld_lab.bench.growth.requests import counting

COLLECTION = "growth"
LIMIT = 10
WARM = 20  # queries before any is measured
COUNTED = 50  # searches whose requests are counted
Query = Callable[[int], Awaitable[Any]]


async def measure(place: dict[str, Any], asked: Path) -> dict[str, Any]:
    """Time every kind of query; memory is read before the bare engine shares the process."""
    loaded = np.load(asked, allow_pickle=False)
    texts, vectors = [str(text) for text in loaded["texts"]], loaded["vectors"]
    scope, few = Scope(COLLECTION), Scope(COLLECTION, frozenset({FEW}))
    index = await _open(place, place["options"], vectors.shape[1])
    kinds: dict[str, Query] = {
        "bm25": lambda at: index.bm25(texts[at], scope, LIMIT),
        "nearest": lambda at: index.nearest(vectors[at], scope, LIMIT),
        "hybrid": lambda at: index.hybrid(texts[at], vectors[at], scope, LIMIT),
        "hybrid, one label": lambda at: index.hybrid(texts[at], vectors[at], few, LIMIT),
        "nearest, one label": lambda at: index.nearest(vectors[at], few, LIMIT),
    }
    began = time.perf_counter()
    await kinds["hybrid"](0)
    first = time.perf_counter() - began
    times = {kind: await _times([query], len(texts)) for kind, query in kinds.items()}
    began = time.process_time()  # of all threads
    for at in range(len(texts)):
        await kinds["hybrid"](at)
    core = (time.process_time() - began) / len(texts)
    memory = _peak_memory()
    found = {
        kind: [[hit.passage.id for hit in await kinds[kind](at)] for at in range(len(texts))]
        for kind in ("nearest", "nearest, one label")
    }
    bare = await BareSearch.open(place["root"], COLLECTION, place["options"])
    ours, engine = await _times(
        [kinds["hybrid"], lambda at: bare.hybrid(texts[at], vectors[at])], len(texts)
    )
    await index.close()
    requests = await _requests(place, texts, vectors) if "endpoint" in place["options"] else {}
    return {
        "first_s": first,
        "times": {kind: both[0] for kind, both in times.items()},
        "compared": {"ours": ours, "bare": engine},
        "memory_bytes": memory,
        "hybrid_core_s": core,
        "found": found,
        "requests": requests,
    }


def _peak_memory() -> int:
    """The most bytes that were resident; `ru_maxrss` begins with the peak of the parent process."""
    status = Path("/proc/self/status")
    if not status.exists():  # elsewhere than on Linux
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    line = next(each for each in status.read_text().splitlines() if each.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


async def _open(place: dict[str, Any], options: dict[str, str], dimension: int) -> LanceIndex:
    return await LanceIndex.open(
        place["root"],
        storage_options=options,
        embedder_identity=place["embedder"],
        dimension=dimension,
    )


async def _requests(
    place: dict[str, Any], texts: list[str], vectors: np.ndarray
) -> dict[str, float]:
    """Count what a new process asks of object storage: its first search, and later ones."""
    async with counting(place["options"]) as counted:
        index = await _open(place, dict(counted.options), vectors.shape[1])
        await index.hybrid(texts[0], vectors[0], Scope(COLLECTION), LIMIT)
        first = counted.requests
        counted.reset()
        later = range(1, min(len(texts), COUNTED + 1))
        for at in later:
            await index.hybrid(texts[at], vectors[at], Scope(COLLECTION), LIMIT)
        await index.close()
        return {
            "requests of the first search": first,
            "requests a search": counted.requests / len(later),
            "kB a search": counted.bytes / len(later) / 1e3,
        }


async def _times(queries: list[Query], rounds: int) -> list[list[float]]:
    """Seconds of each query in turn, the order of the kinds changing with every round."""
    for at in range(min(WARM, rounds)):
        for query in queries:
            await query(at)
    taken: list[list[float]] = [[] for _ in queries]
    orders = itertools.cycle(itertools.permutations(range(len(queries))))
    for at, order in zip(range(rounds), orders, strict=False):
        for kind in order:
            began = time.perf_counter()
            await queries[kind](at)
            taken[kind].append(time.perf_counter() - began)
    return taken


if __name__ == "__main__":
    json.dump(asyncio.run(measure(json.load(sys.stdin), Path(sys.argv[1]))), sys.stdout)

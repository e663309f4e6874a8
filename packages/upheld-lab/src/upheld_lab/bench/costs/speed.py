"""`upheld bench speed`: what our layers cost over the bare engines, A and B interleaved.

And how long methods take over the time that they must wait: see `method_speed`.
"""

from __future__ import annotations

import itertools
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from upheld.client import AsyncUpheld
from upheld.edge.lance.index import LanceIndex
from upheld.ingest.add_files import BATCH_PASSAGES, add
from upheld.resources.open import open_resources
from upheld.settings import load_settings
from upheld_lab.bench.costs.bare import BareIndexing, BareSearch, indexed_texts
from upheld_lab.bench.costs.method_speed import bench_methods, worst
from upheld_lab.bench.costs.synthetic import Writer
from upheld_lab.bench.manifest import manifest
from upheld_lab.bench.prepared import SCOPE, fill
from upheld_lab.bench.report import Report, Row, Watch

if TYPE_CHECKING:
    from upheld.ports import Vectors

CONTROL = (0.95, 1.05)  # A against A: outside, the machine is too noisy to say anything
ATTEMPTS = 3
DIMENSION = 384

Work = Callable[[int], Awaitable[object]]
Timed = Callable[[int], Awaitable[float]]  # work that says itself how many seconds it took


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much work; small numbers are for trying the bench itself."""

    passages: int = 20_000
    queries: int = 300
    indexed_files: int = 8  # of about fifteen passages
    index_rounds: int = 9
    unchanged_files: int = 1_000
    method_rounds: int = 15


@dataclass(frozen=True, slots=True)
class Compared:
    """Medians of two ways of doing the same thing, and of one of them against itself."""

    ours: float
    bare: float
    control: float

    @property
    def is_void(self) -> bool:
        return not CONTROL[0] <= self.control <= CONTROL[1]


async def bench_speed(sizes: Sizes, seed: int, watch: Watch) -> Report:
    """Ratios to bare engines, speed-up of indexing what has not changed, methods over their path.

    Methods come first: what the engines leave behind in threads and memory is not theirs.
    """
    methods = await bench_methods(sizes.method_rounds, watch)
    queries, query_attempts = await retried(lambda: compare_queries(sizes, seed, watch))
    indexing, index_attempts = await retried(lambda: compare_indexing(sizes, seed, watch))
    first, again = await reindex(sizes, seed, watch)
    rows: list[Row] = [
        _row("hybrid query p50, ms", queries, 1_000, query_attempts),
        _row("indexing, s", indexing, 1, index_attempts),
        {"what": f"{sizes.unchanged_files} files, s", "first": first, "unchanged": again},
        *methods,
    ]
    farthest = max(queries.control, indexing.control, key=lambda ratio: abs(ratio - 1))
    bars = {
        "hybrid_over_bare": queries.ours / queries.bare,
        "index_over_bare": indexing.bare / indexing.ours,
        "reindex_speedup": first / again,
        "aa_control": farthest,
        **worst(methods),
    }
    facts = manifest(sizes={name: getattr(sizes, name) for name in sizes.__slots__}, seed=seed)
    return Report("speed", bars, tuple(rows), facts)


async def interleaved(ours: Work, bare: Work, rounds: int, tell: Callable[[int], None]) -> Compared:
    """Medians of seconds; each round runs ours, bare and bare again in a turning order."""
    return await interleaved_seconds(_timed(ours), _timed(bare), rounds, tell)


async def interleaved_seconds(
    ours: Timed, bare: Timed, rounds: int, tell: Callable[[int], None]
) -> Compared:
    """The same for work that says how long it took, for example without its start."""
    taken: dict[str, list[float]] = {"ours": [], "bare": [], "bare again": []}
    work = {"ours": ours, "bare": bare, "bare again": bare}
    orders = itertools.cycle(itertools.permutations(work))
    for number, order in zip(range(rounds), orders, strict=False):
        for name in order:
            taken[name].append(await work[name](number))
        tell(number + 1)
    one, other = (statistics.median(taken[name]) for name in ("bare", "bare again"))
    return Compared(statistics.median(taken["ours"]), (one + other) / 2, other / one)


def _timed(work: Work) -> Timed:
    async def timed(number: int) -> float:
        started = time.perf_counter()
        await work(number)
        return time.perf_counter() - started

    return timed


async def compare_queries(sizes: Sizes, seed: int, watch: Watch) -> Compared:
    """Our hybrid search against the same two queries made bare, vector given on both sides."""
    writer = Writer(seed)
    dice = np.random.default_rng(seed)
    passages = writer.passages(sizes.passages)
    vectors = _unit(dice.standard_normal((sizes.passages, DIMENSION), np.float32))
    queries = [writer.query() for _ in range(sizes.queries)]
    asked = _unit(dice.standard_normal((sizes.queries, DIMENSION), np.float32))
    with tempfile.TemporaryDirectory() as folder:
        index = await LanceIndex.open(folder, embedder_identity="random", dimension=DIMENSION)
        await fill(index, passages, vectors, watch)
        bare = await BareSearch.open(Path(folder), SCOPE.collection)
        try:
            for query, vector in list(zip(queries, asked, strict=True))[:20]:  # warm caches
                await index.hybrid(query, vector, SCOPE, 10)
                await bare.hybrid(query, vector)
            return await interleaved(
                lambda i: index.hybrid(queries[i], asked[i], SCOPE, 10),
                lambda i: bare.hybrid(queries[i], asked[i]),
                sizes.queries,
                lambda done: watch("queries", done, sizes.queries),
            )
        finally:
            await index.close()


async def compare_indexing(sizes: Sizes, seed: int, watch: Watch) -> Compared:
    """Files to searchable passages, against tokenise, embed and add of the same passages."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        Writer(seed).files(folder / "files", sizes.indexed_files, sentences=60)
        parts = await open_resources(load_settings(kb=str(folder / "kb")))
        bare = BareIndexing()
        fresh = itertools.count()

        async def add_ours(_: int) -> None:
            await add(
                [folder / "files"],
                index=parts.index,
                embedder=parts.embedder,
                chunker=parts.chunker,
                reader=parts.reader,
                collection=f"run-{next(fresh)}",
            )

        async def add_bare(_: int) -> None:
            await bare(texts, folder / f"bare-{next(fresh)}", BATCH_PASSAGES)

        try:
            await add_ours(0)  # loads the model and starts the reader's process
            texts = await indexed_texts(folder / "kb", "run-0")
            await add_bare(0)
            return await interleaved(
                add_ours,
                add_bare,
                sizes.index_rounds,
                lambda done: watch("indexing against bare", done, sizes.index_rounds),
            )
        finally:
            await parts.close()


async def reindex(sizes: Sizes, seed: int, watch: Watch) -> tuple[float, float]:
    """Seconds for many small files the first time, and when none has changed."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        Writer(seed).files(folder / "files", sizes.unchanged_files, sentences=3)
        async with await AsyncUpheld.open(folder / "kb") as kb:
            watch("unchanged files", 0, 4)
            first = (await kb.add(folder / "files")).seconds
            again = []
            for done in range(3):
                report = await kb.add(folder / "files")
                assert report.unchanged == sizes.unchanged_files
                again.append(report.seconds)
                watch("unchanged files", done + 2, 4)
    return first, statistics.median(again)


async def retried(measure: Callable[[], Awaitable[Compared]]) -> tuple[Compared, int]:
    """Measure until the control holds, a few times at most; the last one is kept, void or not."""
    attempt, found = 1, await measure()
    while found.is_void and attempt < ATTEMPTS:
        attempt, found = attempt + 1, await measure()
    return found, attempt


def _row(what: str, found: Compared, scale: float, attempts: int) -> Row:
    return {
        "what": what,
        "ours": found.ours * scale,
        "bare": found.bare * scale,
        "control": found.control,
        "attempts": attempts,
        "void": found.is_void,
    }


def _unit(vectors: Vectors) -> Vectors:
    lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths)

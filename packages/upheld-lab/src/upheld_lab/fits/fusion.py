"""Ways to join the two lists of hybrid search, compared on dev questions."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from upheld.edge.onnx.embedder import LocalEmbedder
from upheld.fusion import fuse
from upheld.types import Hit, SearchMode
from upheld_lab.bench.corpus import BenchQuestion
from upheld_lab.bench.manifest import manifest
from upheld_lab.bench.metrics import paired_interval, share
from upheld_lab.bench.prepared import ENOUGH, Choice, Prepared, prepare, search
from upheld_lab.bench.report import Report, Row, Watch
from upheld_lab.bench.vectors import VectorCache

DEEPEST = 100
WEIGHTS = (0.3, 0.4, 0.5, 0.6, 0.7)


@dataclass(frozen=True, slots=True)
class Lists:
    """What the two searches gave for one question, and the cosines of what BM25 gave."""

    question: BenchQuestion
    lexical: list[Hit]
    nearest: list[Hit]
    cosines: dict[str, float]


Fuse = Callable[[Lists], Sequence[str]]  # ids, best first


async def bench_fusion(choice: Choice, watch: Watch) -> Report:
    """Mean hit@5 of each way over the sets that are large enough, against BM25 alone."""
    embedder = LocalEmbedder()
    with tempfile.TemporaryDirectory() as folder:
        ready = await prepare(choice, embedder, folder, watch)
        try:
            lists = await _collect(ready, VectorCache(embedder, choice.cache), watch)
        finally:
            await ready.index.close()
            await embedder.close()
    lists = {name: some for name, some in lists.items() if len(some) >= ENOUGH}
    rows = [_row(name, way, lists, choice.seed) for name, way in ways().items()]
    facts = manifest(
        data=dict(ready.corpus.hashes),
        embedder=embedder.identity,
        passages=len(ready.passages),
        questions={name: len(some) for name, some in lists.items()},
        split=choice.split.value,
        seed=choice.seed,
    )
    return Report("fusion", {"best_gain": max(row["gain"] for row in rows)}, tuple(rows), facts)


def ways() -> dict[str, Fuse]:
    """Every way that is compared, the one in use among them."""
    found: dict[str, Fuse] = {"bm25": _bm25, "nearest": _nearest}
    for k, weight in itertools.product((60, 10), WEIGHTS):
        found[f"reciprocal rank, k={k}, w={weight}"] = partial(_ranks, k=k, weight=weight)
    for weight in WEIGHTS:
        found[f"bm25/best, cosine, unseen=0, w={weight}"] = partial(_raw, weight=weight)
    for weight in WEIGHTS:
        found[f"bm25 min-max, cosine/best, w={weight}"] = partial(_min_max, weight=weight)
    for depth, weight in itertools.product((30, 50, 100), WEIGHTS):
        name = f"in use: bm25/best, cosine/best, unseen=last, depth {depth}, w={weight}"
        found[name] = partial(_in_use, depth=depth, weight=weight)
    return found


async def _collect(ready: Prepared, cache: VectorCache, watch: Watch) -> dict[str, list[Lists]]:
    lists: dict[str, list[Lists]] = {}
    for name, asked in ready.questions.items():
        lists[name] = []
        for done, (question, vector) in enumerate(
            zip(asked, ready.vectors[name], strict=True), start=1
        ):
            text = question.text
            lexical = await search(ready.index, SearchMode.BM25, text, vector, DEEPEST)
            nearest = await search(ready.index, SearchMode.NEAREST, text, vector, DEEPEST)
            lists[name].append(Lists(question, lexical, nearest, {}))
            watch(f"searching {name}", done, len(asked))
        found = [hit.passage for each in lists[name] for hit in each.lexical]
        vectors = iter(await cache.vectors([passage.searchable for passage in found]))
        for each, vector in zip(lists[name], ready.vectors[name], strict=True):
            each.cosines.update(
                (hit.passage.id, float(next(vectors) @ vector)) for hit in each.lexical
            )
    return lists


def _row(name: str, way: Fuse, lists: Mapping[str, Sequence[Lists]], seed: int) -> Row:
    def hits(rank: Fuse) -> dict[str, list[bool]]:
        return {
            set: [bool(each.question.gold.intersection(rank(each)[:5])) for each in some]
            for set, some in lists.items()
        }

    ours, bm25, nearest = hits(way), hits(_bm25), hits(_nearest)
    gain = paired_interval(ours, bm25, seed=seed)
    shares = {set: share(ours[set]) for set in lists}
    worst = min(shares[set] - max(share(bm25[set]), share(nearest[set])) for set in lists)
    row: Row = {"way": name, "gain": gain.mean, "low": gain.low, "high": gain.high, "worst": worst}
    return row | shares


def _bm25(lists: Lists) -> list[str]:
    return [hit.passage.id for hit in lists.lexical]


def _nearest(lists: Lists) -> list[str]:
    return [hit.passage.id for hit in lists.nearest]


def _in_use(lists: Lists, *, depth: int, weight: float) -> list[str]:
    fused = fuse(
        lists.lexical[:depth],
        lists.nearest[:depth],
        5,
        cosines={hit.passage.id: lists.cosines[hit.passage.id] for hit in lists.lexical[:depth]},
        nearest_weight=weight,
    )
    return [hit.passage.id for hit in fused]


def _ranks(lists: Lists, *, k: int, weight: float, depth: int = 30) -> list[str]:
    scores: dict[str, float] = {}
    for part, share_of in ((lists.lexical, 1 - weight), (lists.nearest, weight)):
        for rank, hit in enumerate(part[:depth], start=1):
            scores[hit.passage.id] = scores.get(hit.passage.id, 0) + share_of / (k + rank)
    return _best(scores)


def _raw(lists: Lists, *, weight: float, depth: int = 30) -> list[str]:
    bm25, cosine = _scores(lists, depth)
    best = max(bm25.values(), default=1.0)
    return _best({id: weight * cosine[id] + (1 - weight) * bm25.get(id, 0) / best for id in cosine})


def _min_max(lists: Lists, *, weight: float, depth: int = 30) -> list[str]:
    bm25, cosine = _scores(lists, depth)
    low, best = min(bm25.values(), default=0.0), max(bm25.values(), default=1.0)
    width, closest = (best - low) or 1.0, max(cosine.values())
    return _best(
        {
            id: weight * cosine[id] / closest + (1 - weight) * (bm25.get(id, low) - low) / width
            for id in cosine
        }
    )


def _scores(lists: Lists, depth: int) -> tuple[dict[str, float], dict[str, float]]:
    """BM25 of what it found; the cosine of everything that was found."""
    bm25 = {hit.passage.id: hit.score for hit in lists.lexical[:depth]}
    close = {hit.passage.id: hit.score for hit in lists.nearest[:depth]}
    return bm25, {id: lists.cosines[id] for id in bm25} | close


def _best(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda found: (-scores[found], found))[:5]

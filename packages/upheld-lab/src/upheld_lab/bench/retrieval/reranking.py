"""What the grader adds to a search: a better order of what was found."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence

from upheld.edge.onnx.embedder import LocalEmbedder
from upheld.ports import Grader
from upheld.retrieval.rerank import Order, Rerank
from upheld.types import Evidence, Question, SearchMode
from upheld_lab.bench.judgements import KeptGrades
from upheld_lab.bench.manifest import manifest
from upheld_lab.bench.metrics import Score, score, share
from upheld_lab.bench.prepared import DEPTH, ENOUGH, Choice, Prepared, prepare, search
from upheld_lab.bench.report import Report, Row, Watch

Found = dict[str, list[Evidence]]  # by set, one a question

RERANKED = "reranked"
CANDIDATES = (20, 30, 40)
WEIGHTS = (0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 15.0, 20.0, 1e9)  # the last is the search alone


async def score_reranked(
    ready: Prepared, grader: Grader | None, watch: Watch
) -> dict[str, list[Score]]:
    """Hybrid's candidates in the order of grader and search together, as methods have it."""
    found = await _found(ready, Rerank.candidates, watch)
    return await _ordered(ready, found, Order(grader=grader, limit=DEPTH), watch)


async def _found(ready: Prepared, candidates: int, watch: Watch) -> Found:
    """What hybrid search finds for every question."""
    found: Found = {}
    for name, asked in ready.questions.items():
        found[name] = []
        for question, vector in zip(asked, ready.vectors[name], strict=True):
            hits = await search(ready.index, SearchMode.HYBRID, question.text, vector, candidates)
            found[name].append(Evidence(tuple(hits)))
            watch(f"searching {name}", len(found[name]), len(asked))
    return found


async def _ordered(
    ready: Prepared, found: Found, order: Order, watch: Watch
) -> dict[str, list[Score]]:
    scores: dict[str, list[Score]] = {}
    for name, asked in ready.questions.items():
        scores[name] = []
        for question, candidates in zip(asked, found[name], strict=True):
            ordered = await order(Question(question.text), candidates)
            scores[name].append(score(question, ordered.passages))
            watch(f"reranking {name}", len(scores[name]), len(asked))
    return scores


async def bench_weights(choice: Choice, grader: Grader, watch: Watch) -> Report:
    """How many to order, and how much the search counts in it, over the sets large enough."""
    embedder = LocalEmbedder()
    kept = KeptGrades(grader, choice.cache / "judgements.sqlite")
    rows: list[Row] = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            ready = await prepare(choice, embedder, folder, watch)
            try:
                for candidates in CANDIDATES:
                    found = await _found(ready, candidates, watch)
                    for weight in WEIGHTS:
                        order = Order(grader=kept, limit=DEPTH, search_weight=weight)
                        means = _means(await _ordered(ready, found, order, watch))
                        told = {"candidates": candidates, "weight of the search": weight}
                        rows.append(told | means)
            finally:
                await ready.index.close()
    finally:
        await kept.close()
        await embedder.close()
    facts = manifest(
        data=dict(ready.corpus.hashes),
        embedder=embedder.identity,
        grader=grader.identity,
        passages=len(ready.passages),
        questions={name: len(asked) for name, asked in ready.questions.items()},
        split=choice.split.value,
        seed=choice.seed,
    )
    return Report("reranking", {"best_hit5": max(row["hit5"] for row in rows)}, tuple(rows), facts)


def _means(scores: Mapping[str, Sequence[Score]]) -> Row:
    """Means over the sets that are large enough, and hit@5 of each."""
    counted = {name: of_set for name, of_set in scores.items() if len(of_set) >= ENOUGH}
    hit5 = {name: share(each.hit5 for each in of_set) for name, of_set in counted.items()}
    hit1 = [share(each.hit1 for each in of_set) for of_set in counted.values()]
    return {"hit1": sum(hit1) / len(hit1), "hit5": sum(hit5.values()) / len(hit5)} | hit5

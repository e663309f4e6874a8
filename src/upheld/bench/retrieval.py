"""`upheld bench retrieval`: does the search find the passage that answers the question?"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from upheld.bench.corpus import BenchQuestion, Corpus, choose_passages, choose_questions, load
from upheld.bench.manifest import manifest
from upheld.bench.metrics import Score, paired_interval, score, share
from upheld.bench.quotes import bench_quotes
from upheld.bench.reference import ReferenceBM25
from upheld.bench.report import Report, Row, Watch
from upheld.bench.split import Split
from upheld.bench.vectors import VectorCache
from upheld.edge.lancedb import LanceIndex
from upheld.edge.local_models import LocalEmbedder
from upheld.ports import Embedder, Index, IndexedDocument
from upheld.types import Document, Hit, Passage, Scope, SearchMode

if TYPE_CHECKING:
    from upheld.ports import Vectors

SCOPE = Scope("bench")
DEPTH = 20
ENOUGH = 150  # questions that a set must have to count in the bars
BATCH = 2_000  # documents written together
REFERENCE = "reference bm25"

Scores = dict[str, dict[str, list[Score]]]  # by mode, then by set


@dataclass(frozen=True, slots=True)
class Choice:
    """What a run measures on."""

    data: Path
    cache: Path
    passages: int | None = 20_000
    questions: int = 300
    split: Split = Split.TEST
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Prepared:
    """A choice with everything loaded, embedded and indexed."""

    corpus: Corpus
    passages: list[Passage]
    questions: dict[str, list[BenchQuestion]]
    vectors: dict[str, Vectors]  # of the questions, by set
    index: Index


async def bench_local(choice: Choice, watch: Watch) -> Report:
    """The bench with the embedder that we ship."""
    embedder = LocalEmbedder()
    try:
        return await bench_retrieval(choice, embedder, watch)
    finally:
        await embedder.close()


async def bench_retrieval(
    choice: Choice, embedder: Embedder, watch: Watch, *, enough: int = ENOUGH
) -> Report:
    """Hit rates of bm25, nearest and hybrid, and of the quote writer on top of hybrid."""
    with tempfile.TemporaryDirectory() as folder:
        ready = await prepare(choice, embedder, folder, watch)
        try:
            scores = await _score_modes(ready, watch)
            scores[REFERENCE] = _score_reference(ready)
            quotes = await bench_quotes(
                ready.questions["squad11"],
                ready.vectors["squad11"],
                ready.index,
                SCOPE,
                embedder,
                watch,
            )
        finally:
            await ready.index.close()
    counted = [name for name, asked in ready.questions.items() if len(asked) >= enough]
    bars, comparisons = compare(scores, counted, choice.seed)
    bars["quote_answer_in_gain"] = quotes.gain
    rows = [*_rows(scores), *comparisons, *quotes.rows()]
    return Report("retrieval", bars, tuple(rows), _manifest(choice, ready, embedder, counted))


async def prepare(choice: Choice, embedder: Embedder, folder: str, watch: Watch) -> Prepared:
    """Load, choose, embed (from the cache where it can) and index."""
    corpus = load(choice.data)
    questions = choose_questions(corpus, choice.split, choice.questions, choice.seed)
    everything = list(itertools.chain.from_iterable(questions.values()))
    passages = choose_passages(corpus, everything, choice.passages, choice.seed)
    cache = VectorCache(embedder, choice.cache)
    asked = await cache.vectors(
        [question.text for question in everything],
        lambda done, total: watch("embedding questions", done, total),
    )
    vectors = await cache.vectors(
        [passage.searchable for passage in passages],
        lambda done, total: watch("embedding passages", done, total),
    )
    index = await LanceIndex.open(
        folder, embedder_identity=embedder.identity, dimension=embedder.dimension
    )
    await fill(index, passages, vectors, watch)
    by_set = {}
    at = 0
    for name, some in questions.items():
        by_set[name] = asked[at : at + len(some)]
        at += len(some)
    return Prepared(corpus, passages, questions, by_set, index)


async def fill(index: Index, passages: Sequence[Passage], vectors: Vectors, watch: Watch) -> None:
    """Write passages unsplit, each as a document of its own, and bring the indexes up to date."""
    for first in range(0, len(passages), BATCH):
        await index.upsert(
            SCOPE.collection,
            [
                IndexedDocument(
                    Document(each.id, each.uri, each.title, each.text, each.document_version),
                    (each,),
                    vectors[place : place + 1],
                )
                for place, each in enumerate(passages[first : first + BATCH], start=first)
            ],
        )
        watch("indexing", min(first + BATCH, len(passages)), len(passages))
    await index.maintain(SCOPE.collection)


async def search(
    index: Index, mode: SearchMode, query: str, vector: Vectors, limit: int = DEPTH
) -> list[Hit]:
    """One search as the engine makes it."""
    match mode:
        case SearchMode.BM25:
            return await index.bm25(query, SCOPE, limit)
        case SearchMode.NEAREST:
            return await index.nearest(vector, SCOPE, limit, query=query)
        case SearchMode.HYBRID:
            return await index.hybrid(query, vector, SCOPE, limit)


def compare(
    scores: Mapping[str, Mapping[str, Sequence[Score]]], sets: Sequence[str], seed: int
) -> tuple[dict[str, float], list[Row]]:
    """The bars over the sets that are large enough, with their paired intervals as rows."""
    hit5 = {
        mode: {name: [each.hit5 for each in of_mode[name]] for name in sets}
        for mode, of_mode in scores.items()
    }
    bars = {}
    rows: list[Row] = []
    for bar, ours, theirs in (
        ("hybrid_minus_bm25_hit5", SearchMode.HYBRID, SearchMode.BM25),
        ("bm25_minus_reference_hit5", SearchMode.BM25, REFERENCE),
    ):
        found = paired_interval(hit5[ours], hit5[theirs], seed=seed)
        bars[bar] = found.mean
        label = f"mean of {len(sets)}"
        rows.append(
            {"set": label, "mode": bar, "hit5": found.mean, "low": found.low, "high": found.high}
        )
    bars["hybrid_worst_set_gap"] = min(
        share(hit5[SearchMode.HYBRID][name])
        - max(share(hit5[SearchMode.BM25][name]), share(hit5[SearchMode.NEAREST][name]))
        for name in sets
    )
    return bars, rows


async def _score_modes(ready: Prepared, watch: Watch) -> Scores:
    scores: Scores = {mode: {} for mode in SearchMode}
    total = len(SearchMode) * sum(map(len, ready.questions.values()))
    done = 0
    for mode, (name, asked) in itertools.product(SearchMode, ready.questions.items()):
        scores[mode][name] = []
        for question, vector in zip(asked, ready.vectors[name], strict=True):
            hits = await search(ready.index, mode, question.text, vector)
            scores[mode][name].append(score(question, [hit.passage for hit in hits]))
            done += 1
            watch("searching", done, total)
    return scores


def _score_reference(ready: Prepared) -> dict[str, list[Score]]:
    reference = ReferenceBM25(ready.passages)
    return {
        name: [
            score(question, found)
            for question, found in zip(
                asked, reference.search([each.text for each in asked], DEPTH), strict=True
            )
        ]
        for name, asked in ready.questions.items()
    }


def _rows(scores: Scores) -> list[Row]:
    names = list(next(iter(scores.values())))
    return [
        {
            "set": name,
            "n": len(of_mode[name]),
            "mode": str(mode),
            "hit1": share(each.hit1 for each in of_mode[name]),
            "hit5": share(each.hit5 for each in of_mode[name]),
            "hit20": share(each.hit20 for each in of_mode[name]),
            "answer_in5": share(each.answer_in5 for each in of_mode[name]),
        }
        for name in names
        for mode, of_mode in scores.items()
    ]


def _manifest(
    choice: Choice, ready: Prepared, embedder: Embedder, counted: Sequence[str]
) -> dict[str, object]:
    return manifest(
        data=dict(ready.corpus.hashes),
        embedder=embedder.identity,
        reference=ReferenceBM25.name,
        passages=len(ready.passages),
        questions={name: len(asked) for name, asked in ready.questions.items()},
        sets_in_bars=list(counted),
        split=choice.split.value,
        seed=choice.seed,
    )

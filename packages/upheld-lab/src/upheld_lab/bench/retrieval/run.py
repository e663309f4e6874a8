"""`upheld bench retrieval`: does the search find the passage that answers the question?"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace

from upheld.edge.onnx.cross_encoder import LocalGrader
from upheld.edge.onnx.embedder import LocalEmbedder
from upheld.ports import Embedder
from upheld.retrieval.grade import Grade, fitted_grade
from upheld.types import SearchMode
from upheld_lab.bench.judgements import KeptGrades
from upheld_lab.bench.manifest import manifest
from upheld_lab.bench.metrics import Score, paired_interval, score, share
from upheld_lab.bench.prepared import DEPTH, ENOUGH, SCOPE, Choice, Prepared, prepare, search
from upheld_lab.bench.report import Report, Row, Watch
from upheld_lab.bench.retrieval.actions import ALL, action_rows, outcomes
from upheld_lab.bench.retrieval.quotes import bench_quotes
from upheld_lab.bench.retrieval.reference import ReferenceBM25
from upheld_lab.bench.retrieval.reranking import RERANKED, score_reranked

REFERENCE = "reference bm25"

Scores = dict[str, dict[str, list[Score]]]  # by mode, then by set


async def bench_local(choice: Choice, watch: Watch) -> Report:
    """The bench with the embedder and the grader that we ship."""
    from upheld_models import grader_fit, grader_model, grader_tokenizer

    embedder = LocalEmbedder()
    grader = LocalGrader(grader_model(), grader_tokenizer())
    kept = KeptGrades(grader, choice.cache / "judgements.sqlite")
    try:
        grade = replace(fitted_grade(grader_fit(), grader), grader=kept)
        return await bench_retrieval(choice, embedder, grade, watch)
    finally:
        await kept.close()
        await embedder.close()


async def bench_retrieval(
    choice: Choice, embedder: Embedder, grade: Grade, watch: Watch, *, enough: int = ENOUGH
) -> Report:
    """Hit rates of bm25, nearest, hybrid and reranked, the grader's actions, the quote writer."""
    with tempfile.TemporaryDirectory() as folder:
        ready = await prepare(choice, embedder, folder, watch)
        try:
            scores = await _score_modes(ready, watch)
            scores[RERANKED] = await score_reranked(ready, grade.grader, watch)
            scores[REFERENCE] = _score_reference(ready)
            actions = action_rows(await outcomes(ready, grade.grader, watch), grade)
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
    [acted] = [row for row in actions if row["set"] == ALL]
    bars["action_bacc"] = acted["balanced accuracy"]
    bars["action_decided"] = acted["decided"]
    rows = [*_rows(scores), *comparisons, *actions, *quotes.rows()]
    facts = _manifest(choice, ready, embedder, grade, counted)
    return Report("retrieval", bars, tuple(rows), facts)


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
        ("rerank_minus_hybrid_hit5", RERANKED, SearchMode.HYBRID),
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
    choice: Choice, ready: Prepared, embedder: Embedder, grade: Grade, counted: Sequence[str]
) -> dict[str, object]:
    return manifest(
        data=dict(ready.corpus.hashes),
        embedder=embedder.identity,
        grader=grade.grader.identity if grade.grader else None,
        thresholds=[grade.upper, grade.lower],
        reference=ReferenceBM25.name,
        passages=len(ready.passages),
        questions={name: len(asked) for name, asked in ready.questions.items()},
        sets_in_bars=list(counted),
        split=choice.split.value,
        seed=choice.seed,
    )

"""How the quote writer's numbers were chosen, on dev questions."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from upheld.edge.onnx.embedder import LocalEmbedder
from upheld.generation.candidates import Candidate, sentences_of, shared_words
from upheld.generation.extract import ExtractiveWriter
from upheld.ports import Embedder, Grader
from upheld.resources.open import open_grade
from upheld.retrieval.grade import relevances
from upheld.settings import load_settings
from upheld.types import Passage, Question, SearchMode
from upheld_lab.bench.corpus import BenchQuestion
from upheld_lab.bench.manifest import manifest
from upheld_lab.bench.metrics import answer_in, share
from upheld_lab.bench.prepared import Choice, prepare, search
from upheld_lab.bench.report import Report, Row, Watch
from upheld_lab.bench.retrieval.quotes import PASSAGES

if TYPE_CHECKING:
    from upheld.ports import Vectors

WEIGHTS = (0.0, 0.3, 0.5, 0.6, 0.7, 1.0)
PENALTIES = (0.0, 0.03, 0.08)
GRADE_WEIGHTS = (0.3, 0.5, 0.7, 0.85, 1.0)
SHARES = (1.0, 0.9, 0.8, 0.75, 0.7, 0.6)


@dataclass(frozen=True, slots=True)
class Scored:
    """The sentences found for one question, what is known of each, and which hold the answer."""

    candidates: list[Candidate]
    shared: list[float]
    cosines: list[float]
    grades: list[float]  # the grader's chances, zeros without one
    answers: list[bool]


async def bench_quoting(choice: Choice, watch: Watch) -> Report:
    """Weights and penalties for two sentences; then the floor for up to three."""
    embedder, grader = LocalEmbedder(), open_grade(load_settings()).grader
    with tempfile.TemporaryDirectory() as folder:
        ready = await prepare(choice, embedder, folder, watch)
        asked = ready.questions["squad11"]
        found = []
        try:
            for done, (question, vector) in enumerate(
                zip(asked, ready.vectors["squad11"], strict=True), start=1
            ):
                hits = await search(
                    ready.index, SearchMode.HYBRID, question.text, vector, limit=PASSAGES
                )
                passages = [hit.passage for hit in hits]
                found.append(await _scored(question, vector, passages, embedder, grader))
                watch("scoring sentences", done, len(asked))
        finally:
            await ready.index.close()
            await embedder.close()
            if grader is not None:
                await grader.close()
    ceiling = share(any(each.answers) for each in found)
    rows: list[Row] = [{"what": "any sentence of the passages", "answer_in": ceiling}]
    for weight, penalty in itertools.product(WEIGHTS, PENALTIES):
        rows.append(_two_sentences(found, weight, penalty))
    if grader is not None:
        rows += [_graded(found, weight) for weight in GRADE_WEIGHTS]
    rows += [_up_to_three(found, keep) for keep in SHARES]
    facts = manifest(
        data=dict(ready.corpus.hashes),
        embedder=embedder.identity,
        grader=None if grader is None else grader.identity,
        passages=len(ready.passages),
        questions=len(asked),
        split=choice.split.value,
        seed=choice.seed,
    )
    best = max(row["answer_in"] for row in rows[1 : 1 + len(WEIGHTS) * len(PENALTIES)])
    return Report("quoting", {"best_two_sentences": best}, tuple(rows), facts)


async def _scored(
    question: BenchQuestion,
    vector: Vectors,
    passages: Sequence[Passage],
    embedder: Embedder,
    grader: Grader | None,
) -> Scored:
    candidates = sentences_of(passages)
    vectors = await embedder.embed([f"{each.passage.title}\n{each.text}" for each in candidates])
    alone = [replace(each.passage, text=each.text) for each in candidates]
    grades = await relevances(grader, "quote", Question(question.text), alone, "no grades")
    return Scored(
        candidates,
        shared_words(question.text, candidates),
        (vectors @ vector).tolist(),
        [(grade + 1) / 2 for grade in grades or [-1.0] * len(alone)],
        [answer_in(each.text, question.answers) for each in candidates],
    )


def _best(
    found: Scored, weight: float, penalty: float, most: int, keep: float, graded: float = 0.0
) -> list[int]:
    scores = [
        graded * grade
        + (1 - graded) * (weight * cosine + (1 - weight) * shared - penalty * candidate.rank)
        for candidate, shared, cosine, grade in zip(
            found.candidates, found.shared, found.cosines, found.grades, strict=True
        )
    ]
    order = sorted(range(len(scores)), key=lambda place: -scores[place])[:most]
    return [place for place in order if scores[place] >= keep * scores[order[0]]]


def _two_sentences(found: Sequence[Scored], weight: float, penalty: float) -> Row:
    quoted = [_best(each, weight, penalty, 2, 0.0) for each in found]
    return {
        "what": "two sentences",
        "meaning_weight": weight,
        "rank_penalty": penalty,
        "answer_in": _answered(found, quoted),
    }


def _graded(found: Sequence[Scored], graded: float) -> Row:
    usual = ExtractiveWriter()
    quoted = [
        _best(each, usual.meaning_weight, usual.rank_penalty, 2, 0.0, graded) for each in found
    ]
    return {
        "what": "two sentences, with the grader",
        "grade_weight": graded,
        "answer_in": _answered(found, quoted),
    }


def _up_to_three(found: Sequence[Scored], keep: float) -> Row:
    usual = ExtractiveWriter()
    quoted = [_best(each, usual.meaning_weight, usual.rank_penalty, 3, keep) for each in found]
    return {
        "what": "up to three sentences",
        "keep_within": keep,
        "sentences": sum(map(len, quoted)) / len(quoted),
        "answer_in": _answered(found, quoted),
    }


def _answered(found: Sequence[Scored], quoted: Sequence[Sequence[int]]) -> float:
    return share(
        any(each.answers[place] for place in places)
        for each, places in zip(found, quoted, strict=True)
    )

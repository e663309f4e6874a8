"""A choice of questions and passages from the pack, embedded, indexed and ready to be searched."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from upheld.edge.lance.index import LanceIndex
from upheld.ports import Embedder, Index, IndexedDocument
from upheld.types import Document, Hit, Passage, Scope, SearchMode
from upheld_lab.bench.corpus import BenchQuestion, Corpus, choose_passages, choose_questions, load
from upheld_lab.bench.report import Watch
from upheld_lab.bench.split import Split
from upheld_lab.bench.vectors import VectorCache

if TYPE_CHECKING:
    from upheld.ports import Vector, Vectors

SCOPE = Scope("bench")
DEPTH = 20
ENOUGH = 150  # questions that a set must have to count in the bars
BATCH = 2_000  # documents written together


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
    embedded: Mapping[str, Vector]  # of the passages, by id
    index: Index


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
    embedded = {passage.id: vector for passage, vector in zip(passages, vectors, strict=True)}
    return Prepared(corpus, passages, questions, by_set, embedded, index)


async def fill(
    index: Index, passages: Sequence[Passage], vectors: Vectors | None, watch: Watch
) -> None:
    """Write passages unsplit, each as a document of its own, and bring the indexes up to date."""
    for first in range(0, len(passages), BATCH):
        await index.upsert(
            SCOPE.collection,
            [
                IndexedDocument(
                    Document(each.id, each.uri, each.title, each.text, each.document_version),
                    (each,),
                    None if vectors is None else vectors[place : place + 1],
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

"""`upheld bench growth`: the same collection at each size, beside the bare engine."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from upheld.edge.onnx.embedder import LocalEmbedder
from upheld_lab.bench.corpus import choose_passages, choose_questions, load
from upheld_lab.bench.growth.mixed import Mixer, fitting_shares, mixed_sample, neighbours
from upheld_lab.bench.growth.size import Asked, Growing, Place
from upheld_lab.bench.manifest import manifest
from upheld_lab.bench.report import Report, Row, Watch
from upheld_lab.bench.split import Split
from upheld_lab.bench.vectors import VectorCache

SIZES = (10_000, 100_000, 1_000_000)
QUESTIONS = 50  # of each set


@dataclass(frozen=True, slots=True)
class Choice:
    """What to grow, and where."""

    data: Path
    cache: Path
    folder_sizes: Sequence[int] = SIZES
    s3_sizes: Sequence[int] = ()
    s3_root: str = ""
    s3_options: Mapping[str, str] = field(default_factory=dict)
    real: int | None = 20_000  # passages that are embedded for real and mixed
    seed: int = 0


async def bench_growth(choice: Choice, watch: Watch) -> Report:
    """Grow on a folder and on object storage; the bars are of the folder."""
    embedder = LocalEmbedder()
    try:
        mixer, asked, hashes = await _prepared(choice, embedder, watch)
    finally:
        await embedder.close()
    rows: list[Row] = []
    with ExitStack() as closing:
        folder = closing.enter_context(tempfile.TemporaryDirectory())
        places: list[tuple[str, str, Mapping[str, str], Sequence[int]]] = [
            ("folder", folder, {}, choice.folder_sizes)
        ]
        if choice.s3_sizes:  # first: a key that is wrong is found before the hour of the folder
            places.insert(0, ("s3", choice.s3_root, choice.s3_options, choice.s3_sizes))
        for name, root, options, sizes in places:
            place = Place(name, root, options, embedder.identity, embedder.dimension)
            growing = Growing(place, mixer, asked, watch)
            rows += [await growing.grow(size) for size in sizes]
    rows += histogram(mixer, choice.seed)
    facts = manifest(
        data=hashes,
        embedder=embedder.identity,
        real_passages=len(mixer.texts),
        shares_of_second_vector=mixer.shares,
        questions=len(asked.texts),
        seed=choice.seed,
    )
    return Report("growth", bars(rows), tuple(rows), facts)


async def _prepared(
    choice: Choice, embedder: LocalEmbedder, watch: Watch
) -> tuple[Mixer, Asked, dict[str, str]]:
    corpus = load(choice.data)
    by_set = choose_questions(corpus, Split.DEV, QUESTIONS, choice.seed)
    questions = [each for some in by_set.values() for each in some]
    passages = choose_passages(corpus, questions, choice.real, choice.seed)
    cache = VectorCache(embedder, choice.cache)
    vectors = await cache.vectors(
        [passage.searchable for passage in passages],
        lambda done, total: watch("embedding passages", done, total),
    )
    asked = await cache.vectors([question.text for question in questions])
    mixer = Mixer(
        [passage.text for passage in passages],
        [passage.title for passage in passages],
        vectors,
        fitting_shares(vectors, choice.seed),
        choice.seed,
    )
    texts = tuple(question.text for question in questions)
    return mixer, Asked(texts, np.asarray(asked)), dict(corpus.hashes)


def bars(rows: Sequence[Row]) -> dict[str, float]:
    """The promises, from the folder; none of a run that does not reach a million passages."""
    folder = {row["passages"]: row for row in rows if row.get("place") == "folder"}
    smallest, largest = folder.get(SIZES[0]), folder.get(SIZES[-1])
    if smallest is None or largest is None:
        return {}
    return {
        "p50_1e6_over_1e4": largest["hybrid p50"] / smallest["hybrid p50"],
        "hybrid_over_bare_1e6": largest["hybrid over bare"],
        "recall_1e6": largest["recall@10"],
        "memory_growth": largest["memory MB"] / smallest["memory MB"],
        "append_visible_s": largest["visible after s"],
    }


def histogram(mixer: Mixer, seed: int) -> list[Row]:
    """How near the nearest neighbour is, for real vectors and for mixed ones: shares of all."""
    made = mixed_sample(mixer.vectors, mixer.shares, seed)
    edges = np.linspace(0.3, 1.0, 15)
    counts = {
        name: np.histogram(np.clip(neighbours(vectors, seed), 0.3, 1.0), edges)[0]
        for name, vectors in (("real", mixer.vectors), ("mixed", made))
    }
    return [
        {
            "cosine of the nearest from": float(edge),
            **{name: float(count[at] / count.sum()) for name, count in counts.items()},
        }
        for at, edge in enumerate(edges[:-1])
    ]

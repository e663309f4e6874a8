"""Hybrid fusion: one ranking from BM25 hits and nearest-vector hits.

Each score is divided by the best of its kind, and the two weigh the same. The formula and its
numbers were fitted on dev questions: docs/decisions/005-fusion.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from upheld.types import Hit

CANDIDATES = 30  # depth of each list before fusion
NEAREST_WEIGHT = 0.5


def fuse(
    lexical: Sequence[Hit],
    nearest: Sequence[Hit],
    limit: int,
    *,
    cosines: Mapping[str, float] | None = None,
    nearest_weight: float = NEAREST_WEIGHT,
) -> list[Hit]:
    """Rank by `w * cosine / best cosine + (1 - w) * bm25 / best bm25`, each share from 0 to 1.

    A negative cosine counts as 0: where nothing is near, the best one may be hardly above 0, and
    the others divided by it would outweigh everything else.

    `cosines` supplies the cosine of passages that only BM25 found. The BM25 score of passages that
    only the vectors found is unknown, but at most the lowest listed one: they get that score, or 0
    if the BM25 list is the shorter one and so already holds every passage that shares a word.
    """
    bm25 = {hit.passage.id: hit.score for hit in lexical}
    cosine = dict(cosines or {}) | {hit.passage.id: hit.score for hit in nearest}
    best_bm25 = max(bm25.values(), default=0.0) or 1.0
    best_cosine = max(cosine.values(), default=0.0)
    if best_cosine <= 0:
        best_cosine = 1.0
    ended_early = len(lexical) < len(nearest)
    floor = 0.0 if ended_early else min(bm25.values(), default=0.0)
    scored = [
        replace(
            hit,
            score=nearest_weight * max(cosine.get(id, 0.0), 0.0) / best_cosine
            + (1 - nearest_weight) * bm25.get(id, floor) / best_bm25,
        )
        for id, hit in {hit.passage.id: hit for hit in (*lexical, *nearest)}.items()
    ]
    scored.sort(key=lambda hit: (-hit.score, hit.passage.id))
    return scored[:limit]

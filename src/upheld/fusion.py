"""Hybrid fusion: one ranking from a BM25 list and a list of nearest vectors.

Each score counts as a share of the best of its kind, and the two shares weigh the same. Form and
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
    """Rank by `w * cosine / best cosine + (1 - w) * bm25 / best bm25`.

    `cosines` fills in the passages that only BM25 found. For those that only the vectors found,
    all that is known of their BM25 score is that it is under the last one listed: they get that
    one, or nothing if the list ended early and so holds every passage that shares a word.
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
            score=nearest_weight * cosine.get(id, 0.0) / best_cosine
            + (1 - nearest_weight) * bm25.get(id, floor) / best_bm25,
        )
        for id, hit in {hit.passage.id: hit for hit in (*lexical, *nearest)}.items()
    ]
    scored.sort(key=lambda hit: (-hit.score, hit.passage.id))
    return scored[:limit]

"""Hybrid fusion: one ranking from a BM25 list and a list of nearest vectors.

A convex combination of scores, weights fitted on dev questions: docs/decisions/fusion.md.
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
    """Rank by `w * cosine + (1 - w) * bm25 / best bm25`; `cosines` fills in lexical-only hits."""
    best = max((hit.score for hit in lexical), default=0.0) or 1.0
    bm25 = {hit.passage.id: hit.score / best for hit in lexical}
    cosine = dict(cosines or {}) | {hit.passage.id: hit.score for hit in nearest}
    found = {hit.passage.id: hit for hit in (*lexical, *nearest)}
    scored = [
        replace(
            hit,
            score=nearest_weight * cosine.get(id, 0.0) + (1 - nearest_weight) * bm25.get(id, 0.0),
        )
        for id, hit in found.items()
    ]
    scored.sort(key=lambda hit: (-hit.score, hit.passage.id))
    return scored[:limit]

"""Search by words among the sentences or windows of one source, from an index made once.

The index lists, for every term, the texts that have it. A claim then costs what its own terms cost,
however long the source is.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WordIndex:
    """For every term, the places of the texts that have it, in order."""

    texts: int
    places: dict[str, list[int]]

    @classmethod
    def of(cls, texts: Sequence[frozenset[str]]) -> WordIndex:
        """An index of texts that are given by their terms."""
        places: dict[str, list[int]] = {}
        for place, terms in enumerate(texts):
            for term in terms:
                places.setdefault(term, []).append(place)
        return cls(len(texts), places)

    def shared(self, wanted: Iterable[str]) -> Counter[int]:
        """How many of the wanted terms each text has; those that have none are left out."""
        found: Counter[int] = Counter()
        for term in wanted:
            found.update(self.places.get(term, ()))
        return found

    def bm25(self, wanted: Iterable[str]) -> list[float]:
        """A score for every text: the rarer the terms it shares, the higher.

        BM25 without term frequency and length, which hardly differ between windows of one size.
        """
        scores = [0.0] * self.texts
        for term in sorted(wanted):
            places = self.places.get(term, ())
            rarity = math.log(1 + (self.texts - len(places) + 0.5) / (len(places) + 0.5))
            for place in places:
                scores[place] += rarity
        return scores


def best_of(
    word_scores: Sequence[float], cosines: Sequence[float] | None, most: int, vector_weight: float
) -> list[int]:
    """The places of the best texts by words, and by vectors where there are any; best first.

    Each score counts as a share of the best of its kind, as in the search of a knowledge base
    (`upheld.fusion`).
    """
    best_words = max(word_scores, default=0.0) or 1.0
    scores = [score / best_words for score in word_scores]
    if cosines is not None:
        best_cosine = max(max(cosines, default=0.0), 1e-6)
        scores = [
            (1 - vector_weight) * by_words + vector_weight * cosine / best_cosine
            for by_words, cosine in zip(scores, cosines, strict=True)
        ]
    return sorted(range(len(scores)), key=lambda place: (-scores[place], place))[:most]

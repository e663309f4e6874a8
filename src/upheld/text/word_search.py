"""Search by words among the sentences or windows of one source, with an inverted index.

The index lists, for every term, the texts that contain it. It is built once; the cost of a claim
then depends on its own terms, not on the length of the source.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WordIndex:
    """An inverted index: for every term, the positions of the texts that contain it, in order."""

    texts: int
    places: dict[str, list[int]]

    @classmethod
    def of(cls, texts: Sequence[frozenset[str]]) -> WordIndex:
        """Build an index of texts, each given as its set of terms."""
        places: dict[str, list[int]] = {}
        for place, terms in enumerate(texts):
            for term in terms:
                places.setdefault(term, []).append(place)
        return cls(len(texts), places)

    def shared(self, wanted: Iterable[str]) -> Counter[int]:
        """Count how many of the wanted terms each text contains; texts with none are left out."""
        found: Counter[int] = Counter()
        for term in wanted:
            found.update(self.places.get(term, ()))
        return found

    def bm25(self, wanted: Iterable[str]) -> list[float]:
        """Return a score for every text: the sum of the IDF of the wanted terms that it contains.

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
    """Return the positions of the `most` best texts, by words and, if given, by cosines.

    Each score is divided by the best of its kind, as in hybrid search (`upheld.fusion`).
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

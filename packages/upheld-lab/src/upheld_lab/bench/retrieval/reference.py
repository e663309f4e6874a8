"""A reference BM25 from elsewhere, so that ours is not only compared with itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from upheld.errors import MissingExtraError
from upheld.types import Passage

K1, B = 1.2, 0.75  # what the search engine uses


class ReferenceBM25:
    """`bm25s` with Lucene's formula, English stop words and stemming, over title and text."""

    name = f"bm25s lucene k1={K1} b={B}, English stop words, Snowball stemmer"

    def __init__(self, passages: Sequence[Passage]) -> None:
        try:
            import bm25s
            import Stemmer
        except ImportError as missing:
            raise MissingExtraError("The reference BM25", "bench") from missing
        self._bm25s, self._stemmer = bm25s, Stemmer.Stemmer("english")
        self._passages = passages
        self._index = bm25s.BM25(method="lucene", k1=K1, b=B)
        texts = [passage.searchable for passage in passages]
        self._index.index(self._tokens(texts), show_progress=False)

    def search(self, queries: Sequence[str], limit: int) -> list[list[Passage]]:
        """The best passages for each query."""
        places, _ = self._index.retrieve(self._tokens(queries), k=limit, show_progress=False)
        return [[self._passages[place] for place in row] for row in places]

    def _tokens(self, texts: Sequence[str]) -> Any:
        return self._bm25s.tokenize(
            list(texts), stopwords="en", stemmer=self._stemmer, show_progress=False
        )

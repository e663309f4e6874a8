"""Normalise words for search and comparison: lower case, no accents, no function words, stemmed."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence

import Stemmer

from upheld._internal.cache import cached_in_run
from upheld.text.patterns import found, normalized

# Scripts without spaces between words: their single characters are compared instead of words.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


_WORD = re.compile(r"\w+")
_AT_ONCE = 1_000  # words per call of the stemmer; other threads can run between calls

FUNCTION_WORDS = frozenset(
    _WORD.findall(
        """a about after all also an and any are as at be because been before being between both
        but by can could did do does doing during each for from had has have having he her here
        hers him his how i if in into is it its itself just many me more most much my no nor not of
        on only or other our out over own same she should so some such than that the their them
        then there these they this those through to too under until up very was we were what when
        where which while who whom whose why will with would you your"""
    )
)


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, without accents."""
    if text.isascii():  # a fast path: most texts are, and have no accents
        return found(_WORD, text.lower())
    folded = normalized("NFKD", text.casefold())
    return found(_WORD, "".join(c for c in folded if not unicodedata.combining(c)))


@cached_in_run(1_000)
def content_stems(text: str) -> frozenset[str]:
    """Return the stems of a text's words, without function words."""
    meaningful = list({word for word in words(text) if word not in FUNCTION_WORDS})
    stemmer = Stemmer.Stemmer("english")  # not thread-safe, so not shared
    return frozenset(
        stem
        for start in range(0, len(meaningful), _AT_ONCE)
        for stem in stemmer.stemWords(meaningful[start : start + _AT_ONCE])
    )


def rarities(wanted: Iterable[str], have: Sequence[frozenset[str]]) -> dict[str, float]:
    """Return the weight of each wanted stem: the fewer texts have it, the higher (IDF)."""
    return {
        stem: math.log(1 + len(have) / (1 + sum(stem in text for text in have))) for stem in wanted
    }


@cached_in_run(16_384)  # several claims are compared with the same sentences and windows
def terms(text: str) -> frozenset[str]:
    """Return the stems of a text, and the characters of scripts without spaces."""
    return content_stems(text) | set(found(_UNSPACED, text))

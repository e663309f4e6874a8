"""Words as search sees them: folded, without function words, stemmed."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence

import Stemmer

from upheld._internal.cache import cached_in_run
from upheld.text.patterns import found, normalized

# Scripts that are written without spaces have no words to cut out: compare their characters.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


_WORD = re.compile(r"\w+")
_AT_ONCE = 1_000  # words that are stemmed before other threads may run

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
    """Lower-case words with accents folded away."""
    if text.isascii():  # has no accents, and is most of what is read
        return found(_WORD, text.lower())
    folded = normalized("NFKD", text.casefold())
    return found(_WORD, "".join(c for c in folded if not unicodedata.combining(c)))


@cached_in_run(1_000)
def content_stems(text: str) -> frozenset[str]:
    """The stems that carry the meaning of a text."""
    meaningful = list({word for word in words(text) if word not in FUNCTION_WORDS})
    stemmer = Stemmer.Stemmer("english")  # not thread-safe, so not kept
    return frozenset(
        stem
        for start in range(0, len(meaningful), _AT_ONCE)
        for stem in stemmer.stemWords(meaningful[start : start + _AT_ONCE])
    )


def rarities(wanted: Iterable[str], have: Sequence[frozenset[str]]) -> dict[str, float]:
    """How much each wanted stem tells: the fewer of the texts have it, the more."""
    return {
        stem: math.log(1 + len(have) / (1 + sum(stem in text for text in have))) for stem in wanted
    }


@cached_in_run(16_384)  # of a sentence or a window, which several claims ask for
def terms(text: str) -> frozenset[str]:
    """What two sentences share when they speak of the same thing."""
    return content_stems(text) | set(found(_UNSPACED, text))

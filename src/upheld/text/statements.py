"""What a sentence says, in parts that can be compared: its terms, quantities and markers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag, auto

import Stemmer

from upheld._internal.cache import cached_in_run
from upheld.text.quantities import Quantity, quantities
from upheld.text.tokens import Token, tokens
from upheld.text.words import FUNCTION_WORDS

_LONGEST = 2_000  # characters of a sentence that are read; a longer one is no sentence


class Marker(Flag):
    """Words that say how far a statement goes."""

    NONE = 0
    ALL = auto()  # all, every, always
    MOST = auto()  # most, usually, nearly all
    SOME = auto()  # some, several, sometimes
    MAY = auto()  # may, can, optional
    SHOULD = auto()  # should, recommended
    MUST = auto()  # must, have to, required
    CONDITION = auto()  # if, unless, except, only
    REGARDLESS = auto()  # whether or not, without exception


@dataclass(frozen=True, slots=True)
class Term:
    """The stem of a word that carries meaning, and where it stands."""

    name: str
    at: int


@dataclass(frozen=True, slots=True)
class Statement:
    """The parts of one sentence."""

    terms: tuple[Term, ...]
    quantities: tuple[Quantity, ...]
    markers: Marker
    length: int
    order: tuple[frozenset[str], frozenset[str]] | None = None  # what comes first, what second


_MARKERS = {
    Marker.ALL: "all every each always everyone everybody everything entirely completely any both",
    Marker.MOST: "most mostly usually generally mainly largely majority nearly almost typically",
    Marker.SOME: "some several sometimes few partly occasionally half certain many",
    Marker.MAY: "may can might could optional possible allowed permitted",
    Marker.SHOULD: "should recommended advised recommends advises encouraged ought",
    Marker.MUST: "must required requires compulsory mandatory obligatory obliged shall needs need",
    Marker.CONDITION: "if unless except only provided apart but otherwise",
    Marker.REGARDLESS: "regardless whatever whichever wherever exception exceptions anyway always",
}
_PHRASES = {
    ("have", "to"): Marker.MUST,
    ("has", "to"): Marker.MUST,
    ("had", "to"): Marker.MUST,
    ("as", "long"): Marker.CONDITION,
    ("on", "condition"): Marker.CONDITION,
    ("even", "if"): Marker.REGARDLESS,
    ("no", "matter"): Marker.REGARDLESS,
    ("or", "not"): Marker.REGARDLESS,
    ("not", "even"): Marker.REGARDLESS,
    ("but", "one"): Marker.CONDITION,
}
_MARKER_OF: dict[str, Marker] = {}
for _marker, _words in _MARKERS.items():
    for _word in _words.split():
        _MARKER_OF[_word] = _MARKER_OF.get(_word, Marker.NONE) | _marker
_NO_TERMS = FUNCTION_WORDS | {
    "may", "might", "must", "shall", "cannot", "need", "needs", "never", "none", "nobody",
    "nothing", "neither", "without", "unless", "except", "whether", "one", "ones", "an", "per",
    "thing", "things", "get", "gets", "got", "make", "makes", "made", "take", "takes", "taken",
    "come", "comes", "go", "goes", "went", "let", "every", "least", "upon", "us", "within",
    "something", "anything", "anybody", "anyone", "somebody", "someone", "everybody", "yet",
    "still", "even", "ever", "already", "itself", "themselves", "oneself", "though",
}  # fmt: skip


@cached_in_run(8_192)  # every claim is compared with the same sentences
def statement(text: str) -> Statement:
    """Return the parts of a sentence; of a very long one, those at its beginning."""
    words = tokens(text[:_LONGEST])
    counted = tuple(quantities(words))
    # Months and days of the week tell what other values are about, as words do.
    places = {
        at
        for each in counted
        if each.dimension not in ("month", "weekday")
        for at in range(each.at, each.end + 1)
    }
    length = words[-1].at if words else 0
    said = _terms(words, places)
    return Statement(said, counted, _markers(words), length, _order(words, said))


def _terms(words: list[Token], counted: set[int]) -> tuple[Term, ...]:
    said = [
        word
        for word in words
        if word.is_word
        and word.at not in counted
        and word.lower not in _NO_TERMS
        and not word.lower.endswith("n't")
    ]
    stems = Stemmer.Stemmer("english").stemWords([word.lower for word in said])
    return tuple(Term(stem, word.at) for word, stem in zip(said, stems, strict=True))


def _markers(words: list[Token]) -> Marker:
    found = Marker.NONE
    for place, word in enumerate(words):
        following = words[place + 1].lower if place + 1 < len(words) else ""
        found |= _MARKER_OF.get(word.lower, Marker.NONE)
        found |= _PHRASES.get((word.lower, following), Marker.NONE)
    return found


def _order(
    words: list[Token], said: tuple[Term, ...]
) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return the terms of the event that comes first and of the one that comes second."""
    for place, word in enumerate(words):
        later = word.lower in _LATER
        if word.lower not in _EARLIER and not later:
            continue
        end = word.at
        if place == 0:  # "Before lunch, guests arrive."
            comma = next((each.at for each in words if each.text == ","), None)
            if comma is None:
                return None
            end, later = comma, not later
        before = frozenset(term.name for term in said if term.at < end and term.at != word.at)
        after = frozenset(term.name for term in said if term.at > end)
        if before and after:
            return (after, before) if later else (before, after)
    return None


_EARLIER = frozenset(("before", "ahead", "prior", "precedes", "preceded", "then", "until"))
_LATER = frozenset(("after", "following", "once", "follows"))

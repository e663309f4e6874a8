"""Compare a claim with what its source says of the same thing: values, order and reach.

An entailment model takes "48 days" for "48 hours", and a number of the next row for that of this
one. Here each value of the claim is looked up where the source speaks of the claim's other words.
Every comparison is a number for the fit; none decides alone.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

from upheld.text.quantities import Quantity, computed
from upheld.text.statements import Marker, Statement, Term, statement
from upheld.text.words import terms
from upheld.verification.source import Source

_WHOLE = 24  # sentences of a source that is compared as a whole
_SENTENCES = 10  # of a longer one, those that share most terms with the claim
_BETWEEN = 14  # distance between sentences
_NEAR = 8.0  # distance at which words belong together by a third as much as neighbours
_MOST_TERMS = 40  # of a claim
_MOST_QUANTITIES = 12  # of a claim
_MOST_COMPARED = 200  # quantities of the source
_MOST_PLACES = 32  # of one term in the source
_MOST_VALUES = 5  # that sums and differences are computed of
_LOOSE = 0.6  # weight of a value whose unit is not the same
_FITS = 0.25  # closeness from which a place of the source speaks of the same thing


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """How a claim compares with its sources; 0 everywhere if nothing speaks against it."""

    quantity_absent: float = 0.0  # values that the source neither has nor adds up to
    quantity_conflict: float = 0.0  # how much closer another value is to the claim's words
    quantity_match: float = 0.0  # how close the claim's values are to its words, at the least
    unit_conflict: float = 0.0  # values that the source has with another unit only
    bound_conflict: float = 0.0  # "at least" against "at most", or a value beyond a bound
    order_conflict: float = 0.0  # before for after
    reach_conflict: float = 0.0  # all for some, must for may, always for if


ALIGNED = fields(Alignment)


@dataclass(frozen=True, slots=True)
class IndexedSentences:
    """Sentences of the sources as one row of terms and quantities."""

    sentences: tuple[Statement, ...]
    starts: tuple[int, ...]  # of every sentence
    places: Mapping[str, list[int]]  # of every term, in order
    quantities: tuple[Quantity, ...]

    def sentence_at(self, place: int) -> int:
        """Return the number of the sentence that a place belongs to."""
        return bisect_right(self.starts, place) - 1


def align(claim: str, sources: Sequence[Source]) -> Alignment:
    """Compare a claim with the sentences of the sources that are nearest to it."""
    said = statement(claim)
    evidence = _evidence([each for source in sources for each in _nearest(claim, source)])
    told = said.terms[:_MOST_TERMS]
    known = [term for term in told if term.name in evidence.places]
    fits = [_fit(term, known, evidence) for term in known]
    return Alignment(
        **_values(said, known, evidence),
        order_conflict=_reversed(said, evidence),
        reach_conflict=_reach(said, fits, evidence),
    )


def _nearest(claim: str, source: Source) -> list[str]:
    """Return the sentences of a source that share most terms with the claim, in its order."""
    places: Sequence[int] = range(len(source.sentences))
    if len(places) > _WHOLE:
        shared = source.words.shared(terms(claim))
        places = sorted(sorted(shared, key=lambda at: (-shared[at], at))[:_SENTENCES])
    found = [source.evidence.title] if source.evidence.title else []
    for place in places:
        found += _cells(source, place)
    return found


def _cells(source: Source, place: int) -> list[str]:
    """Return a sentence; a row of a table as one sentence per cell, with row and column named."""
    text = source.text[slice(*source.sentences[place])]
    header = source.table_headers.get(place)
    if header is None:
        return [text]
    heads = _split(source.text[slice(*source.sentences[header])])
    first, *rest = _split(text) or [""]
    cells = [f"{first} {head} {cell}" for head, cell in zip(heads[1:], rest, strict=False)]
    return cells or [text]


def _split(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def _evidence(sentences: Sequence[str]) -> IndexedSentences:
    read = tuple(map(statement, sentences))
    starts = list[int]()
    places: dict[str, list[int]] = {}
    counted = list[Quantity]()
    start = 0
    for each in read:
        starts.append(start)
        for term in each.terms:
            places.setdefault(term.name, []).append(start + term.at)
        counted += [replace(one, at=start + one.at, end=start + one.end) for one in each.quantities]
        start += each.length + _BETWEEN
    return IndexedSentences(read, tuple(starts), places, tuple(counted[:_MOST_COMPARED]))


def _fit(term: Term, known: Sequence[Term], evidence: IndexedSentences) -> tuple[float, int]:
    """Return how close a word is to the claim's others where it fits best, and where that is."""
    others = _weights(term.at, [each for each in known if each.name != term.name])
    places = evidence.places[term.name][:_MOST_PLACES]
    return max(
        ((_closeness(others, place, evidence), place) for place in places),
        key=lambda found: found[0],
    )


def _weights(at: int, known: Sequence[Term]) -> dict[str, float]:
    """Return the weight of each word of the claim for what stands at `at` in it."""
    found: dict[str, float] = {}
    for each in known:
        weight = math.exp(-abs(each.at - at) / _NEAR)
        found[each.name] = max(weight, found.get(each.name, 0.0))
    return found


def _closeness(
    words: Mapping[str, float], place: int | Quantity, evidence: IndexedSentences
) -> float:
    """Return how close a place of the source is to these words, from 0 to 1."""
    if not words:
        return 1.0
    start, end = (place, place) if isinstance(place, int) else (place.at, place.end)
    near = sum(
        weight * math.exp(-_distance(evidence.places[name], start, end) / _NEAR)
        for name, weight in words.items()
    )
    return near / sum(words.values())


def _distance(places: Sequence[int], start: int, end: int) -> int:
    before, after = bisect_left(places, start), bisect_left(places, end)
    if before < after or (after < len(places) and places[after] == end):
        return 0
    found = [start - places[before - 1]] if before else []
    return min([*found, *(place - end for place in places[after : after + 1])])


def _values(said: Statement, known: Sequence[Term], evidence: IndexedSentences) -> dict[str, float]:
    """Look up each value of the claim where the source speaks of the words around it."""
    claimed = [each for each in said.quantities if each.binding][:_MOST_QUANTITIES]
    found = [_value(each, _words_of(each, claimed, known), evidence) for each in claimed]
    return {
        "quantity_absent": float(sum(each.absent for each in found)),
        "quantity_conflict": max((each.conflict for each in found), default=0.0),
        "quantity_match": min((each.match for each in found), default=0.0),
        "unit_conflict": float(sum(each.other_unit for each in found)),
        "bound_conflict": float(sum(each.out_of_bounds for each in found)),
    }


@dataclass(frozen=True, slots=True)
class _Value:
    """What became of one value of the claim."""

    match: float = 0.0
    conflict: float = 0.0
    absent: bool = False
    other_unit: bool = False
    out_of_bounds: bool = False


def _words_of(
    each: Quantity, claimed: Sequence[Quantity], known: Sequence[Term]
) -> dict[str, float]:
    """Return the words that a value of the claim is about: those nearer to it than to others."""
    own = [
        term
        for term in known
        if all(_apart(term.at, each) <= _apart(term.at, other) for other in claimed)
    ]
    return _weights(each.at, own)


def _apart(at: int, each: Quantity) -> int:
    return max(each.at - at, at - each.end, 0)


def _value(each: Quantity, about: Mapping[str, float], evidence: IndexedSentences) -> _Value:
    near = [
        (
            _closeness(about, other, evidence)
            * (1.0 if other.dimension == each.dimension else _LOOSE),
            other,
        )
        for other in evidence.quantities
    ]
    different = [found for found in near if each.comparable(found[1]) and not each.equals(found[1])]
    close, nearest = max(different, default=(0.0, None), key=lambda found: found[0])
    equal = [found for found in near if each.equals(found[1])]
    if equal:
        match, best = max(equal, key=lambda found: found[0])
        opposite = best.bound.value * each.bound.value < 0
        return _Value(match, max(close - match, 0.0), out_of_bounds=opposite)
    same = max((fit for fit, other in near if each.number == other.number), default=0.0)
    if same > 0 and same >= _LOOSE * close:
        return _Value(conflict=same, other_unit=True)
    allowed = nearest.allows(each) if nearest is not None and close >= _FITS else None
    if allowed is not None:
        return _Value(_LOOSE * close * allowed, out_of_bounds=not allowed)
    if _adds_up(each, different):
        return _Value(_FITS)
    return _Value(conflict=close, absent=True)


def _adds_up(each: Quantity, near: Sequence[tuple[float, Quantity]]) -> bool:
    """Return whether two of the values closest to the claim's words add up to one of it."""
    closest = sorted(near, key=lambda found: -found[0])[:_MOST_VALUES]
    return computed(each.value, [other.value for _, other in closest])


def _reversed(said: Statement, evidence: IndexedSentences) -> float:
    """Return 1 if the source has the claim's two events in the other order."""
    if said.order is None:
        return 0.0
    first, second = said.order
    straight = crossed = 0
    for each in evidence.sentences:
        if each.order is not None:
            one, two = each.order
            same = min(len(first & one), len(second & two))
            other = min(len(first & two), len(second & one))
            straight, crossed = max(straight, same), max(crossed, other)
    return float(crossed > straight)


def _reach(said: Statement, fits: Sequence[tuple[float, int]], evidence: IndexedSentences) -> float:
    """Return 1 if the claim goes further than the sentence that most of its words are in."""
    sentences = [evidence.sentence_at(place) for fit, place in fits if fit >= _FITS]
    if not sentences:
        return 0.0
    there = evidence.sentences[max(set(sentences), key=sentences.count)].markers
    claimed = said.markers
    return float(
        any(
            claimed & mine and there & other and not there & mine and not claimed & other
            for mine, other in _GOES_FURTHER
        )
    )


_GOES_FURTHER = (
    (Marker.ALL, Marker.SOME | Marker.MOST),
    (Marker.MOST, Marker.SOME),
    (Marker.MUST, Marker.MAY | Marker.SHOULD),
    (Marker.MAY, Marker.MUST),
    (Marker.SHOULD, Marker.MUST),
    (Marker.REGARDLESS, Marker.CONDITION),
)

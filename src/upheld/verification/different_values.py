"""Whether two sentences give different values for the same thing.

Sentences about one thing use its words: "the X200 pump", "a warranty of". So two sentences are
compared only if they have the same words apart from one value: a quantity, a date, a name, or yes
against no; a place may follow the value. Sentences that differ in something else ("X300", "in
2020", "for children") speak of other things. What is worded freely is missed: a conflict that is
not there costs more trust than one that is overlooked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum

from upheld.text.patterns import search
from upheld.text.quantities import Quantity
from upheld.text.statements import Marker, Term, statement
from upheld.text.tokens import Token, tokens

_LONGEST = 400  # characters of a sentence that is compared; a longer one says several things
_POINT_BACK = frozenset(
    ("it", "they", "he", "she", "this", "that", "these", "those", "its", "their")
)
_REASON = re.compile(r"(?<=\w),? (?:because|so that|although|(?:even )?though)\b", re.IGNORECASE)
_DATE = frozenset(("year", "month", "day", "weekday"))
_WHERE = frozenset(("on", "at", "in", "near"))
_SAY_NOTHING = frozenset(("valu", "set", "reach", "total", "current", "equal", "amount", "own"))
# What follows these words, or opens the sentence, is the one value of a name.
_ONE_VALUE = frozenset(("by", "is", "was", "in", "are", "were"))
_SEVERAL = frozenset(("also", "too", "another", "other", "and", "or", "including"))
_ROUGHLY = frozenset(
    (
        "about",
        "around",
        "roughly",
        "nearly",
        "almost",
        "approximately",
        "some",
        "circa",
        "estimated",
    )
)


class Difference(StrEnum):
    """In what two sentences differ."""

    QUANTITY = "quantity"
    NAME = "name"
    DENIAL = "denial"


def different_values(one: str, other: str) -> Difference | None:
    """Return in what two sentences about the same thing differ; None if they do not conflict."""
    if max(len(one), len(other)) > _LONGEST:
        return None
    one, other = _without_reason(one), _without_reason(other)
    mine, its = statement(one), statement(other)
    said, told = tokens(one), tokens(other)
    words = {word.lower for word in (*said, *told)}
    if words & _ROUGHLY or (mine.markers ^ its.markers) & Marker.CONDITION:
        return None
    only_mine, only_its = _unequal(mine.quantities, its.quantities)
    first, second = _subject(mine.terms, only_mine), _subject(its.terms, only_its)
    # "It opens at nine": one word does not say what "it" is.
    if len(first.keys() & second.keys()) < (2 if words & _POINT_BACK else 1):
        return None
    same_subject = first.keys() == second.keys()
    denied = _denies(said) != _denies(told)
    if not denied and (
        same_subject
        or _adds_a_place(told, only_its, second, first)
        or _adds_a_place(said, only_mine, first, second)
    ):
        return Difference.QUANTITY if _one_slot(only_mine, only_its) else None
    if only_mine or only_its:
        return None
    if same_subject:
        return Difference.DENIAL
    if denied or words & _SEVERAL:
        return None
    one_name = _name(said, [first[term] for term in first.keys() - second.keys()])
    other_name = _name(told, [second[term] for term in second.keys() - first.keys()])
    return Difference.NAME if _are_different(one_name, other_name) else None


def _without_reason(text: str) -> str:
    """Return a sentence without the clause that says why, or in spite of what."""
    found = search(_REASON, text)
    return text if found is None else text[: found.start()]


def _unequal(
    mine: Sequence[Quantity], its: Sequence[Quantity]
) -> tuple[list[Quantity], list[Quantity]]:
    """Return the quantities of each sentence that the other does not have."""
    return (
        [each for each in mine if not any(each.equals(other) for other in its)],
        [each for each in its if not any(each.equals(other) for other in mine)],
    )


def _one_slot(mine: Sequence[Quantity], its: Sequence[Quantity]) -> bool:
    """Whether both sentences have one value, or the parts of one date, in the same place."""
    if not mine or not its:
        return False
    dimensions = {each.dimension for each in mine}
    if dimensions <= _DATE:
        return dimensions == {each.dimension for each in its}
    [one, *more], [other, *others] = mine, its
    return not more and not others and one.comparable(other) and one.bound is other.bound


def _adds_a_place(
    words: Sequence[Token],
    values: Sequence[Quantity],
    longer: Mapping[str, int],
    shorter: Mapping[str, int],
) -> bool:
    """Whether one sentence is the other with a place behind its value: "in 1881 on Park Road"."""
    more = [longer[term] for term in longer.keys() - shorter.keys()]
    if not more or not values or shorter.keys() - longer.keys():
        return False
    ends = max(each.end for each in values)
    after = next((word.lower for word in words if word.at > ends), "")
    shared = (longer[term] for term in shorter)
    return after in _WHERE and min(more) > ends > max(shared)


def _subject(terms: Sequence[Term], values: Sequence[Quantity]) -> dict[str, int]:
    """Return the terms of a sentence and their places, without the words of these dates."""
    dates = [range(each.at, each.end + 1) for each in values if each.dimension in _DATE]
    return {
        term.name: term.at
        for term in terms
        if term.name not in _SAY_NOTHING and not any(term.at in date for date in dates)
    }


def _denies(words: Sequence[Token]) -> bool:
    return any(word.negated for word in words)


def _name(words: Sequence[Token], places: Sequence[int]) -> str:
    """Return the capitalised words at these places if they stand together, after a fitting word.

    Empty if they do not.
    """
    at = [number for number, word in enumerate(words) if word.at in places]
    run = [words[number] for number in at]
    together = bool(at) and at[-1] - at[0] + 1 == len(at) == len(places)
    if not together or not all(word.text[0].isupper() for word in run):
        return ""
    fits = at[0] == 0 or words[at[0] - 1].lower in _ONE_VALUE
    return " ".join(word.lower for word in run) if fits else ""


def _are_different(one: str, other: str) -> bool:
    """Whether neither name is a part or another form of the other."""
    return bool(one and other) and one not in other and other not in one and one[:3] != other[:3]

"""Which back-translations may be taken for true: those whose new words are usual ones.

Of 60 read, 13 said something else: "snakefly" became a snake, "it" became "he", a birthplace was
made up. A word that replaces another in several sentences is a synonym; one that does so once is
mostly an error.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from itertools import product

from upheld.text.words import content_stems
from upheld_lab.training.verifier.synthetic import faithful

_TIMES = 3  # sentences in which a word must have replaced another
_LONGEST = 30  # words; long sentences come back garbled more often
_NAME = re.compile(r"\b[A-Z][\w'’-]+")
_ODD = re.compile(r"[\[\]/\"]|\(\s*\)|\(\s|\.\.")
_PERSONS = tuple(
    re.compile(rf"\b(?:{words})\b", re.I)
    for words in ("he|him|his|himself", "she|her|hers|herself", "it|its|itself", "they|their|them")
)
_FIGURES = re.compile(r"\d(?:[\d,.]*\d)?")
_TENSES = (re.compile(r"\b(?:was|were)\b"), re.compile(r"\b(?:is|are)\b"))
_MOST = re.compile(r"\b(?:most|least|first|last|only|\w{3,}est)\b", re.I)
_DENIALS = re.compile(r"\b(?:not|no|never|none|without|n't|nor|neither|only)\b", re.I)


def sound(paraphrases: Mapping[str, str]) -> dict[str, str]:
    """The paraphrases that keep names, figures, persons and denials, and use known synonyms."""
    kept = {one: two for one, two in paraphrases.items() if one != two and _keeps(one, two)}
    stems = {one: (set(content_stems(one)), set(content_stems(two))) for one, two in kept.items()}
    known = Counter(
        pair for old, new in stems.values() for pair in set(product(old - new, new - old))
    )
    return {one: two for one, two in kept.items() if _explained(one, *stems[one], known)}


def _explained(
    sentence: str, old: set[str], new: set[str], known: Counter[tuple[str, str]]
) -> bool:
    """Whether each new word stands for one that went, and at most one went without another."""
    gone, come = old - new, new - old
    lost = [one for one in gone if not any(known[one, two] >= _TIMES for two in come)]
    made_up = any(all(known[one, two] < _TIMES for one in gone) for two in come)
    return not made_up and len(lost) <= (0 if _MOST.search(sentence) else 1)


def _keeps(one: str, two: str) -> bool:
    if not faithful(one, two) or _ODD.search(two) or len(one.split()) > _LONGEST:
        return False
    old, new = set(_NAME.findall(one)), set(_NAME.findall(two))
    first = {two.split(maxsplit=1)[0], one.split(maxsplit=1)[0]}
    if (old ^ new) - first - {word.capitalize() for word in one.lower().split()}:
        return False
    if any(bool(person.search(one)) != bool(person.search(two)) for person in _PERSONS):
        return False
    if sorted(_FIGURES.findall(one)) != sorted(_FIGURES.findall(two)):
        return False
    if any(bool(tense.search(one)) != bool(tense.search(two)) for tense in _TENSES):
        return False
    if len(_DENIALS.findall(one)) != len(_DENIALS.findall(two)):
        return False
    before, after = len(content_stems(one)), len(content_stems(two))
    return before > 0 and 0.75 <= after / before <= 1.25

"""Pairs made from true sentences: reworded, spoilt, orphaned, misplaced, merged, joined.

Every way is applied to rewordings and to the sentences as they stand alike, so that the wording
alone tells nothing about the label.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from upheld_lab.bench.verify.labels import Label
from upheld_lab.training.verifier.facts import Fact
from upheld_lab.training.verifier.pairs import Pair, premise
from upheld_lab.training.verifier.spoil import spoil
from upheld_lab.training.verifier.windows import windows

_DIGITS = re.compile(r"\d+")
_NAMES = re.compile(r"\b[A-Z][a-z]{2,}")
_PRONOUN = re.compile(r"^(?:He|She) (?=[a-z])")
_ASIDE = re.compile(r"\s*\([^)]*\)")


def faithful(sentence: str, reworded: str) -> bool:
    """Whether a back-translation kept the figures, most names and the length; many do not."""
    share = len(reworded.split()) / len(sentence.split())
    names = set(_NAMES.findall(sentence))
    kept = len(names & set(_NAMES.findall(reworded)))
    return (
        0.6 <= share <= 1.5
        and sorted(_DIGITS.findall(sentence)) == sorted(_DIGITS.findall(reworded))
        and kept >= 0.8 * len(names)
        and "---" not in reworded
    )


def synthetic(
    facts: Sequence[Fact], reworded: Mapping[str, str], source: str, seed: int
) -> list[Pair]:
    """About three pairs a fact, of every kind."""
    dice = random.Random(seed)  # noqa: S311  (training data, no secret)
    same_title: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        same_title[fact.title].append(fact)
    found = list[Pair]()
    for at, fact in enumerate(facts):
        near = [other for other in same_title[fact.title] if other is not fact and fact.title]
        other = dice.choice(near) if near else facts[at - 1]
        for text, claim, label in _pairs(fact, other, reworded, dice):
            found.append(Pair(text, claim, label, source, fact.document))
    return found


def _pairs(
    fact: Fact, other: Fact, reworded: Mapping[str, str], dice: random.Random
) -> Iterator[tuple[str, str, Label]]:
    here = _around(fact, dice)
    again = reworded.get(fact.claim, "")
    claim = again if again and faithful(fact.claim, again) else ""
    telling = claim and claim.casefold() != fact.claim.casefold()
    if telling:
        yield here, _named(claim, fact, dice), Label.ENTAILS
    plain = claim if claim and dice.random() < 0.75 else fact.claim
    if (telling and dice.random() < 0.2) or (not telling and dice.random() < 0.4):
        yield here, _named(fact.claim, fact, dice), Label.ENTAILS
    spoilt = spoil(plain, " ".join(fact.sentences), dice)
    if spoilt and dice.random() < 0.85:
        yield here, _named(spoilt[0], fact, dice), spoilt[1]
    if fact.at >= 0:
        draw = dice.random()
        if draw < 0.35:
            yield _orphaned(fact), _named(plain, fact, dice), Label.NEUTRAL
        elif draw < 0.5:
            yield _around(other, dice), _named(plain, fact, dice), Label.NEUTRAL
        elif draw < 0.8 and other.at >= 0:
            yield from _merged(fact, other, plain, dice)
    elif dice.random() < 0.5:
        yield _around(other, dice), plain, Label.NEUTRAL


def _merged(
    fact: Fact, other: Fact, plain: str, dice: random.Random
) -> Iterator[tuple[str, str, Label]]:
    """Two facts in one claim: both passages entail it together, neither alone."""
    both = f"{plain.rstrip('.')}, and {other.claim[:1].lower()}{other.claim[1:]}"
    one, two = _short(fact), _short(other)
    if dice.random() < 0.5:
        yield f"{one}\n{two}", both, Label.ENTAILS
    else:
        yield dice.choice([one, two]), both, Label.NEUTRAL


def _around(fact: Fact, dice: random.Random) -> str:
    """A window that holds the fact; one of any length, as passages are."""
    words = dice.choice([40, 60, 90, 120])
    if fact.at < 0:
        last = fact.sentences[-4:]
        return premise(fact.title, " ".join(last))
    holding = [(a, b) for a, b in windows(fact.sentences, words) if a <= fact.at < b]
    first, end = dice.choice(holding)
    return premise(fact.title, " ".join(fact.sentences[first:end]))


def _short(fact: Fact) -> str:
    first = max(0, fact.at - 1)
    return premise(fact.title, " ".join(fact.sentences[first : fact.at + 1]))


def _orphaned(fact: Fact) -> str:
    """What stands around the fact, without it."""
    others = [*fact.sentences[: fact.at], *fact.sentences[fact.at + 1 :]]
    first, end = windows(others, 90)[0]
    return premise(fact.title, " ".join(others[first:end]))


def _named(claim: str, fact: Fact, dice: random.Random) -> str:
    """Half of the time, the article's person for the pronoun: claims stand alone in answers."""
    name = _ASIDE.sub("", fact.title)
    if name and name.istitle() and dice.random() < 0.5:
        return _PRONOUN.sub(lambda _: f"{name} ", claim, count=1)
    return claim

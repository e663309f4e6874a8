"""A true sentence made false as answers err: figures, units, names, negation, overstatement."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from upheld_lab.bench.verify.labels import Label

Spoilt = tuple[str, Label]

_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w])")
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_MONTHS = "January February March April May June July August September October November December"
_MONTH = re.compile(rf"\b(?:{_MONTHS.replace(' ', '|')})\b")
_NAME = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][a-zé'-]+(?: (?:of |de |the )?[A-Z][a-zé'-]+){0,3}")
_BE = re.compile(
    r"\b(is|are|was|were|has|have|had|can|could|will|would|does|do|did|may|might)\b"
    r"(?! (?:not|never|no)\b)(?!n't)"
)
_NOT = re.compile(r"\b(is|are|was|were|has|have|had|can|could|will|would|does|do|did|may) not\b")

_OPPOSITES = """increase decrease|increases decreases|increased decreased|increasing decreasing
|higher lower|high low|more less|larger smaller|large small|greater lesser|first last|before after
|north south|northern southern|east west|eastern western|older younger|oldest youngest
|father mother|son daughter|brother sister|husband wife|male female|king queen|won lost|win lose
|promotes inhibits|promote inhibit|activates inhibits|activation inhibition|enhances reduces
|enhanced reduced|improves worsens|improved worsened|positive negative|upregulated downregulated
|up-regulated down-regulated|early late|earlier later|best worst|public private|major minor
|accepted rejected|success failure|successful unsuccessful|begins ends|began ended|opened closed
|presence absence|with without|above below|left right|long short|longest shortest|rural urban
|protects harms|gain loss|benefit harm|acute chronic|all none|always never|many few"""
OPPOSITE: dict[str, str] = {}
for _pair in _OPPOSITES.replace("\n", "").split("|"):
    _one, _other = _pair.split()
    OPPOSITE.setdefault(_one, _other)
    OPPOSITE.setdefault(_other, _one)
_UNITS = """kilometres miles|km miles|kilometers miles|metres feet|meters feet|kg pounds
|grams kilograms|mg grams|minutes hours|hours days|days weeks|weeks months|months years
|years decades|dollars euros|million billion|thousand million|percent points
|acres hectares|tonnes kilograms"""
UNIT: dict[str, str] = {}
for _pair in _UNITS.replace("\n", "").split("|"):
    _one, _other = _pair.split()
    UNIT.setdefault(_one, _other)
    UNIT.setdefault(_other, _one)
_UNIT = re.compile(rf"(?<=\d )(?:{'|'.join(sorted(UNIT, key=len, reverse=True))})\b")
_STRONGER = {  # what a text leaves open, said without reserve
    "some": "all", "many": "all", "most": "all", "several": "all", "often": "always",
    "usually": "always", "sometimes": "always", "may": "will", "might": "will", "could": "will",
    "partly": "entirely", "mainly": "only", "mostly": "only", "nearly": "exactly",
    "about": "exactly", "approximately": "exactly", "suggests": "proves", "suggest": "prove",
    "possibly": "certainly", "probably": "certainly", "likely": "certain", "almost": "completely",
}  # fmt: skip
_RESERVE = re.compile(rf"\b(?:{'|'.join(_STRONGER)})\b")
_OPPOSITE = re.compile(rf"\b(?:{'|'.join(sorted(OPPOSITE, key=len, reverse=True))})\b")


def spoil(sentence: str, around: str, dice: random.Random) -> Spoilt | None:
    """The sentence with one thing changed, by a way drawn at random among those that apply."""
    ways: list[Callable[[str, str, random.Random], Spoilt | None]] = [
        number, number, name, name, opposite, negation, unit, unit, swapped, swapped, overstated,
    ]  # fmt: skip
    dice.shuffle(ways)
    for way in ways:
        spoilt = way(sentence, around, dice)
        if spoilt and spoilt[0] != sentence:
            return spoilt
    return None


def number(sentence: str, around: str, dice: random.Random) -> Spoilt | None:
    """Another year, month or figure: one of the passage's own where there is one."""
    found = [*_NUMBER.finditer(sentence), *_MONTH.finditer(sentence)]
    if not found:
        return None
    spot = dice.choice(found)
    old = spot.group()
    new = _another(old, around, dice)
    return _put(sentence, spot, new), Label.CONTRADICTS


def name(sentence: str, around: str, dice: random.Random) -> Spoilt | None:
    """A name put in another's place; who is meant may stay open, so two-way only."""
    spots = [m for m in _NAME.finditer(sentence) if not _MONTH.search(m.group())]
    if not spots:
        return None
    spot = dice.choice(spots)
    others = {m.group() for m in _NAME.finditer(around) if not _MONTH.search(m.group())}
    others = {other for other in others if other not in sentence and spot.group() not in other}
    if not others:
        return None
    return _put(sentence, spot, dice.choice(sorted(others))), Label.NOT_ENTAILED


def opposite(sentence: str, around: str, dice: random.Random) -> Spoilt | None:
    """One word turned into its opposite."""
    spots = list(_OPPOSITE.finditer(sentence))
    if not spots:
        return None
    spot = dice.choice(spots)
    return _put(sentence, spot, OPPOSITE[spot.group()]), Label.CONTRADICTS


def negation(sentence: str, around: str, dice: random.Random) -> Spoilt | None:
    """`not` taken away or put in."""
    if there := _NOT.search(sentence):
        return _put(sentence, there, there.group(1)), Label.CONTRADICTS
    if verb := _BE.search(sentence):
        word = dice.choice(["not", "not", "never"])
        return _put(sentence, verb, f"{verb.group()} {word}"), Label.CONTRADICTS
    return None


def unit(sentence: str, around: str, dice: random.Random) -> Spoilt | None:
    """The same figure of another unit."""
    spots = list(_UNIT.finditer(sentence))
    if not spots:
        return None
    spot = dice.choice(spots)
    return _put(sentence, spot, UNIT[spot.group()]), Label.CONTRADICTS


def swapped(sentence: str, around: str, dice: random.Random) -> Spoilt | None:
    """Two names in each other's place: who did it to whom, what came from where."""
    spots = [m for m in _NAME.finditer(sentence) if not _MONTH.search(m.group())]
    if len({spot.group() for spot in spots}) < 2 or " and " in sentence:
        return None  # "A and B" is the same as "B and A"
    one, other = spots[0], next(m for m in spots if m.group() != spots[0].group())
    between = sentence[one.end() : other.start()]
    turned = other.group() + between + one.group()
    spoilt = sentence[: one.start()] + turned + sentence[other.end() :]
    return spoilt, Label.NOT_ENTAILED


def overstated(sentence: str, around: str, dice: random.Random) -> Spoilt | None:
    """A reserve dropped: some become all, may becomes will."""
    spots = list(_RESERVE.finditer(sentence))
    if not spots:
        return None
    spot = dice.choice(spots)
    return _put(sentence, spot, _STRONGER[spot.group()]), Label.NOT_ENTAILED


def _another(old: str, around: str, dice: random.Random) -> str:
    if _MONTH.fullmatch(old):
        return dice.choice([month for month in _MONTHS.split() if month != old])
    alike = _YEAR if _YEAR.fullmatch(old) else _NUMBER
    others = sorted({m.group() for m in alike.finditer(around)} - {old})
    if alike is _NUMBER:
        others = [other for other in others if not _YEAR.fullmatch(other)]
    if others and dice.random() < 0.6:
        return dice.choice(others)
    return _near(old, dice)


def _near(old: str, dice: random.Random) -> str:
    """A figure that reads like the old one."""
    if _YEAR.fullmatch(old):
        return str(int(old) + dice.choice([-20, -10, -3, -2, -1, 1, 2, 3, 10, 20]))
    digits: Sequence[int] = [i for i, sign in enumerate(old) if sign.isdigit()]
    at = dice.choice(digits)
    choices = [c for c in "123456789" if c != old[at]]
    return old[:at] + dice.choice(choices) + old[at + 1 :]


def _put(sentence: str, spot: re.Match[str], new: str) -> str:
    return sentence[: spot.start()] + new + sentence[spot.end() :]

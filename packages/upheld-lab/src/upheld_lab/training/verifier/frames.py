"""Statements that a text holds but does not assert: denied, retracted, attributed; and their causes.

Each frame comes with claims about the framed statement, true and false; so a model can learn
neither that a frame means "no" nor that its absence means "yes".
"""

# ruff: noqa: E501  (one entry of a list, or one form, is one line)

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from upheld_lab.bench.verify.labels import Label
from upheld_lab.training.verifier.lexicon import PLURAL, YEAR

DENIED = (
    "It was wrongly reported that {s}.",
    "It is not true that {s}.",
    "Contrary to a widespread belief, it is false that {s}.",
    "{S}. This turned out to be wrong.",
    "{S}. Scratch that: the statement was a mistake.",
    "An earlier edition said that {s}. The publisher has withdrawn this statement.",
    "The rumour that {s} has been refuted.",
    "Some sources state that {s}, which is incorrect.",
    "The previous version of this page claimed: {S}. That claim has been retracted.",
    "Myth: {S}. Nothing in the records supports it.",
    "The following statement is a lie: {S}.",
    "{S}. The previous sentence is a lie.",
)
DENIAL_HEADINGS = ("Myths", "Common errors", "Withdrawn statements", "What is not true")
DENIAL_CLAIMS = (
    "The statement that {s} is wrong.",
    "It is a mistake to think that {s}.",
    "The report that {s} was incorrect.",
)
WITNESSES = (
    "an anonymous blog", "a local newspaper", "her former assistant", "a rival company",
    "an advertisement", "the ministry", "a forum post", "a television programme",
    "the union's newsletter", "one of the critics", "a travel guide", "the committee's chair",
    "an unnamed official", "a letter from a reader", "the spokesman of the club",
)  # fmt: skip
ATTRIBUTED = (
    "According to {w}, {s}.",
    "{W} claims that {s}.",
    "{W} has said that {s}; nobody else has confirmed it.",
    "{S}, if one believes {w}.",
)
ATTRIBUTION_CLAIMS = ("{W} says that {s}.", "That {s} is what {w} claims.")
BOUNDS = (("at least", "at most"), ("more than", "fewer than"), ("no more than", "no fewer than"),
    ("a minimum of", "a maximum of"))  # fmt: skip
# What means the same bound, for claims in other words.
SAME_BOUND = {
    "at least": ("no fewer than", "a minimum of"), "at most": ("no more than", "a maximum of"),
    "more than": ("over", "upwards of"), "fewer than": ("under", "less than"),
    "no more than": ("at most", "up to"), "no fewer than": ("at least", "a minimum of"),
    "a minimum of": ("at least", "no fewer than"), "a maximum of": ("at most", "no more than"),
}  # fmt: skip
# Two wordings each: the passage has one and the claim the other.
REASONS = (
    ("because the old building had become too small", "since the old building no longer sufficed"),
    ("because the money had run out", "for lack of money"),
    ("because of a dispute over the contract", "as people quarrelled about the contract"),
    ("because the weather had been unusually dry", "owing to a long drought"),
    ("owing to a lack of staff", "because there were too few people to do the work"),
    ("because the law had changed", "owing to a new law"),
    ("because of pressure from the public", "since the public had demanded it"),
    ("owing to the death of the founder", "because the founder had died"),
    ("because a better offer had been made", "on account of a better offer"),
    ("due to an error in the first survey", "because the first survey had been wrong"),
)  # fmt: skip
# Reasons go with what happened.
_PAST = re.compile(r"\b(?:was|were|had|did|\w{3,}ed|became|began|won|made|took|left)\b")
_DEFINES = re.compile(
    r"\b(?:is|was|are|were) (?:an?|the|one of)\b|\bborn\b|\b(?:is|are|has|have|located|headquartered)\b"
)


KINDS = frozenset(
    {"retraction", "attribution", "dropped_condition", "dropped_exception", "cause", "bounds"}
)


@dataclass(frozen=True, slots=True)
class Framed:
    """Two claims, each with what stands in the sentence's place in its passage."""

    kind: str
    true_sentence: str
    true_claim: str
    false_sentence: str
    false_claim: str
    label: Label
    heading: str = ""  # of the passage of the false claim
    true_heading: str = ""


def framed(sentence: str, claim: str, dice: random.Random) -> Iterator[Framed]:
    """One twin of a kind drawn at random, from a sentence and a claim that it entails."""
    for make in dict.fromkeys(dice.sample(_MAKERS, len(_MAKERS))):
        if (found := make(sentence, claim, dice)) is not None:
            yield found
            return


def _denied(sentence: str, claim: str, dice: random.Random) -> Framed:
    """Told plainly it is true, denied it is false; that it was denied is true."""
    denied = fill(dice.choice(DENIED), sentence)
    if dice.random() < 0.35:
        about = fill(dice.choice(DENIAL_CLAIMS), claim)
        return Framed("retraction", denied, about, sentence, about, Label.CONTRADICTS)
    if dice.random() < 0.25:
        heading = dice.choice(DENIAL_HEADINGS)
        return Framed(
            "retraction", sentence, claim, sentence, claim, _label(heading), heading=heading
        )
    return Framed("retraction", sentence, claim, denied, claim, _label(denied))


def _label(denial: str) -> Label:
    """What is withdrawn need not be false."""
    retracted = re.search("withdrawn|retracted", denial, re.IGNORECASE)
    return Label.NOT_ENTAILED if retracted else Label.CONTRADICTS


def _attributed(sentence: str, claim: str, dice: random.Random) -> Framed:
    one, other = dice.sample(WITNESSES, 2)
    attributed = fill(dice.choice(ATTRIBUTED), sentence, one)
    if dice.random() < 0.5:
        return Framed("attribution", sentence, claim, attributed, claim, Label.NEUTRAL)
    form = dice.choice(ATTRIBUTION_CLAIMS)
    right, wrong = fill(form, claim, one), fill(form, claim, other)
    return Framed("attribution", attributed, right, attributed, wrong, Label.NEUTRAL)


def _caused(sentence: str, claim: str, dice: random.Random) -> Framed | None:
    if not _PAST.search(sentence) or _DEFINES.search(sentence):
        return None
    reasons = dice.sample(REASONS, 2)
    one, other = (dice.choice(wordings) for wordings in reasons)
    told = _with(sentence, dice.choice(reasons[0]))
    return Framed("cause", told, _with(claim, one), told, _with(claim, other), Label.NOT_ENTAILED)


def _bounded(sentence: str, claim: str, dice: random.Random) -> Framed | None:
    """A figure with a bound in the text; the claim has the same bound, or the opposite one."""
    figures = [m[0] for m in PLURAL.finditer(claim) if not YEAR.fullmatch(m[0])]
    figures = [each for each in figures if sentence.count(each) == claim.count(each) == 1]
    if not figures:
        return None
    figure, (one, other) = dice.choice(figures), dice.sample(dice.choice(BOUNDS), 2)
    same, against = (
        (one, other)
        if dice.random() < 0.4
        else (dice.choice(SAME_BOUND[each]) for each in (one, other))
    )
    told, right, wrong = (
        text.replace(figure, f"{bound} {figure}")
        for text, bound in ((sentence, one), (claim, same), (claim, against))
    )
    return Framed("bounds", told, right, told, wrong, Label.NOT_ENTAILED)


_MAKERS: tuple[Callable[[str, str, random.Random], Framed | None], ...] = (
    _denied,
    _attributed,
    _caused,
    _bounded,
    _bounded,
)


def _with(sentence: str, part: str) -> str:
    return f"{sentence.rstrip('. ')}, {part}."


def fill(frame: str, sentence: str, witness: str = "") -> str:
    """The frame with a statement, and whoever makes it, in their places."""
    plain = sentence.rstrip(". ")
    # A name at the beginning keeps its capital; an article or pronoun does not.
    first = plain.partition(" ")[0]
    lower = plain[:1].lower() + plain[1:] if first in _LOWERED else plain
    return frame.format(s=lower, S=plain, w=witness, W=witness[:1].upper() + witness[1:])


_LOWERED = frozenset(
    [
        "The",
        "A",
        "An",
        "It",
        "He",
        "She",
        "They",
        "This",
        "That",
        "These",
        "Those",
        "In",
        "On",
        "At",
        "There",
        "Its",
        "His",
        "Her",
        "Their",
        "After",
        "Before",
        "During",
        "For",
        "From",
        "Many",
        "Most",
        "Some",
        "All",
        "Both",
        "As",
        "By",
    ]
)

"""Statements that a text holds but does not assert: denied, retracted, attributed, conditional.

Each frame comes with claims about the framed statement, true and false; so a model can learn
neither that a frame means "no" nor that its absence means "yes".
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from upheld.bench.verify.labels import Label
from upheld.training.verifier.lexicon import NUMBER, YEAR

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
CONDITIONS = (
    "if the fee has been paid", "if the weather allows", "provided that two members agree",
    "on condition that a licence is held", "if nobody objects within a month",
    "as long as the budget is approved", "provided that the form was signed",
    "only on weekdays", "only for members", "subject to approval by the board",
)  # fmt: skip
EXCEPTIONS = (
    "except on public holidays", "except in the first year", "with the exception of the islands",
    "apart from cases of illness", "except for people under eighteen", "except in winter",
    "other than in emergencies", "except where a court has decided otherwise",
)  # fmt: skip
BOUNDS = (("at least", "at most"), ("more than", "fewer than"), ("no more than", "no fewer than"),
    ("a minimum of", "a maximum of"))  # fmt: skip
REASONS = (
    "because the old building had become too small", "because the money had run out",
    "because of a dispute over the contract", "because the weather had been unusually dry",
    "owing to a lack of staff", "because the law had changed", "due to a fault in the records",
    "because of pressure from the public", "owing to the death of the founder",
    "because a better offer had been made", "due to an error in the first survey",
)  # fmt: skip


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
    make = dice.choice(_MAKERS)
    found = make(sentence, claim, dice)
    if found is not None:
        yield found


def _denied(sentence: str, claim: str, dice: random.Random) -> Framed:
    """Told plainly it is true, denied it is false; that it was denied is true."""
    denied = fill(dice.choice(DENIED), sentence)
    if dice.random() < 0.35:
        about = fill(dice.choice(DENIAL_CLAIMS), claim)
        return Framed("retraction", denied, about, sentence, about, Label.CONTRADICTS)
    if dice.random() < 0.25:
        heading = dice.choice(DENIAL_HEADINGS)
        return Framed(
            "retraction", sentence, claim, sentence, claim, Label.CONTRADICTS, heading=heading
        )
    return Framed("retraction", sentence, claim, denied, claim, Label.CONTRADICTS)


def _attributed(sentence: str, claim: str, dice: random.Random) -> Framed:
    one, other = dice.sample(WITNESSES, 2)
    attributed = fill(dice.choice(ATTRIBUTED), sentence, one)
    if dice.random() < 0.5:
        return Framed("attribution", sentence, claim, attributed, claim, Label.NEUTRAL)
    form = dice.choice(ATTRIBUTION_CLAIMS)
    right, wrong = fill(form, claim, one), fill(form, claim, other)
    return Framed("attribution", attributed, right, attributed, wrong, Label.NEUTRAL)


def _limited(kind: str, limits: tuple[str, ...]) -> Callable[[str, str, random.Random], Framed]:
    def make(sentence: str, claim: str, dice: random.Random) -> Framed:
        one, other = dice.sample(limits, 2)
        limited, right = _with(sentence, one), _with(claim, one)
        wrong = claim if dice.random() < 0.6 else _with(claim, other)
        return Framed(kind, limited, right, limited, wrong, Label.NOT_ENTAILED)

    return make


def _caused(sentence: str, claim: str, dice: random.Random) -> Framed:
    one, other = dice.sample(REASONS, 2)
    told = _with(sentence, one)
    return Framed("cause", told, _with(claim, one), told, _with(claim, other), Label.NOT_ENTAILED)


def _bounded(sentence: str, claim: str, dice: random.Random) -> Framed | None:
    """A figure with a bound in the text; the claim has the same bound, or the opposite one."""
    figures = [m[0] for m in NUMBER.finditer(claim) if not YEAR.fullmatch(m[0])]
    figures = [each for each in figures if sentence.count(each) == claim.count(each) == 1]
    if not figures:
        return None
    figure, (one, other) = dice.choice(figures), dice.sample(dice.choice(BOUNDS), 2)
    told, right, wrong = (
        text.replace(figure, f"{bound} {figure}")
        for text, bound in ((sentence, one), (claim, one), (claim, other))
    )
    return Framed("bounds", told, right, told, wrong, Label.CONTRADICTS)


_MAKERS: tuple[Callable[[str, str, random.Random], Framed | None], ...] = (
    _denied,
    _denied,
    _attributed,
    _attributed,
    _limited("dropped_condition", CONDITIONS),
    _limited("dropped_exception", EXCEPTIONS),
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

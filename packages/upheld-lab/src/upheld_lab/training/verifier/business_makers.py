"""Rules, figures and events of made-up documents: each maker tells one thing and two claims on it.

What a passage says is drawn from both sides of a kind (may and must, at least and at most, denied
and confirmed), so that each wording of a claim is true as often as it is false.
"""

# ruff: noqa: E501  (one entry of a list, or one form, is one line)

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from upheld_lab.bench.verify.labels import Label
from upheld_lab.training.verifier import business_statements as statements
from upheld_lab.training.verifier import business_words as words
from upheld_lab.training.verifier.lexicon import MONTHS, NUMBER_WORDS

T = TypeVar("T")
CONTRADICTS, NEUTRAL, OPEN = Label.CONTRADICTS, Label.NEUTRAL, Label.NOT_ENTAILED


@dataclass(frozen=True, slots=True)
class Made:
    """What the passage tells, a claim that follows, and one that does not."""

    kind: str
    told: str
    true: str
    false: str
    label: Label = CONTRADICTS
    beside: tuple[str, ...] = ()  # further sentences of the passage, which mislead
    heading: str = ""


class Draw:
    """Random choices for one document; nothing is taken twice from a pool."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self._taken: dict[int, set[object]] = {}

    def one(self, pool: Sequence[T]) -> T:
        taken = self._taken.setdefault(id(pool), set())
        left = [each for each in pool if each not in taken] or list(pool)
        chosen = self.dice.choice(left)
        taken.add(chosen)
        return chosen

    def both(self, pool: Sequence[words.Pair]) -> words.Pair:
        """What the passage says and what claims say: now and then the same words."""
        one, two = self.one(pool)
        draw = self.dice.random()
        return (one, two) if draw < 0.55 else (two, one) if draw < 0.8 else (one, one)

    def any(self, *choices: T) -> T:
        return self.dice.choice(choices)

    def person(self) -> str:
        return f"{self.one(words.FIRST)} {self.one(words.LAST)}"

    def date(self) -> str:
        return f"{self.dice.randint(1, 28)} {self.dice.choice(MONTHS)}"


COUNTS = NUMBER_WORDS[:13]  # two to fourteen


def up(text: str) -> str:
    """With a capital at its beginning."""
    return text[:1].upper() + text[1:]


def number(d: Draw) -> Made:
    """Another figure, of the same passage in half of the cases."""
    says, claims, unit, first, last = _measure(d)
    right, wrong = _two(d, first, last)
    other, _, its_unit, *_ = _measure(d)
    beside = (other.format(v=f"{wrong} {its_unit}"),) if d.dice.random() < 0.5 else ()
    claim = d.any(claims, claims, says)
    told = says.format(v=f"{right} {unit}")
    true, false = (claim.format(v=f"{each} {unit}") for each in (right, wrong))
    return Made("number", told, true, false, beside=beside)


def unit(d: Draw) -> Made:
    """The same figure in another unit."""
    says, claims, name, first, last = _measure(d)
    right, wrong = d.dice.sample((name, *statements.UNITS[name]), 2)
    value = d.dice.randint(first, last)
    claim = d.any(claims, claims, says)
    true, false = (claim.format(v=f"{value} {each}") for each in (right, wrong))
    return Made("unit", says.format(v=f"{value} {right}"), true, false)


def date(d: Draw) -> Made:
    """Another day, mostly one that the passage names for something else."""
    says, claims = d.both(statements.DATED)
    other, _ = d.both(statements.DATED)
    right, wrong = d.date(), d.date()
    while right == wrong:
        wrong = d.date()
    if d.dice.random() < 0.3:
        wrong = f"{right.split()[0]} {d.any(*(m for m in MONTHS if m not in right))}"
    true, false = up(claims.format(d=right)), up(claims.format(d=wrong))
    return Made("date", up(says.format(d=right)), true, false, beside=(up(other.format(d=wrong)),))


def number_words(d: Draw) -> Made:
    """Another count, in words; the passage may have it in digits."""
    says, claims = d.one(statements.COUNTED)
    one, two = d.dice.sample(range(len(COUNTS)), 2)
    shown = d.any(COUNTS[one], COUNTS[one], str(one + 2))
    told = says.format(n=shown, N=up(shown))
    true, false = (claims.format(n=COUNTS[at], N=up(COUNTS[at])) for at in (one, two))
    return Made("number_words", told, true, false)


def bounds(d: Draw) -> Made:
    """At least against at most, and values inside and outside of the bound."""
    thing, name, first, last = d.one(BOUNDED)
    value = d.dice.randint(first, last)
    least = d.dice.random() < 0.5
    sides = (LEAST, MOST) if least else (MOST, LEAST)
    told = up(f"{thing} {d.any('must be', 'has to be', 'is')} {d.any(*sides[0])} {value} {name}.")
    if d.dice.random() < 0.45:
        step = max(1, int(value * d.dice.choice((0.1, 0.25, 0.5))))
        inside, outside = (value + step, value - step) if least else (value - step, value + step)
        form = d.any(
            "{S} of {x} {u} is within the rule.", "{x} {u} is allowed for {s}.",
            "It is fine if {s} is {x} {u}.", "The rule permits {x} {u} for {s}.",
        )  # fmt: skip
        if outside <= 0:
            outside = value + (-1 if least else 1)
        true, false = (
            up(form.format(S=thing, s=thing, x=each, u=name)) for each in (inside, outside)
        )
        return Made("bounds", told, true, false)
    form = d.any(
        "{S} is {b} {v} {u}.", "{B} {v} {u} is what the rule asks for {s}.",
        "For {s} the rule is {b} {v} {u}.",
    )  # fmt: skip
    true, false = (
        up(form.format(S=thing, s=thing, b=(b := d.any(*side)), B=up(b), v=value, u=name))
        for side in sides
    )
    return Made("bounds", told, true, false)


def arithmetic(d: Draw) -> Made:
    """Sums, differences, what is left, and ends of spans."""
    make = d.any(_sum, _rest, _span, _difference)
    told, form, right = make(d)
    near = [right + step for step in (-10, -5, -2, -1, 1, 2, 5, 10) if right + step > 0]
    if d.dice.random() < 0.4:  # a figure that the passage has itself
        near = [int(each) for each in told.replace(".", " ").split() if each.isdigit()] or near
    wrong = d.any(*[each for each in near if each != right] or [right + 3])
    return Made("arithmetic", told, form.format(x=right), form.format(x=wrong))


def name(d: Draw) -> Made:
    """Another person of the passage."""
    post, again = d.both(statements.POSTS)
    other, _ = d.both(statements.POSTS)
    one, two = d.person(), d.person()
    if d.dice.random() < 0.3:
        two = f"{one.split()[0]} {two.split()[1]}"
    form = d.any("{p} {a}.", "The one who {a} is {p}.", "It is {p} who {a}.")
    true, false = (form.format(p=each, a=again) for each in (one, two))
    return Made("name", f"{one} {post}.", true, false, OPEN, (f"{two} {other}.",))


def role(d: Draw) -> Made:
    """Who did it to whom."""
    says, claims = d.both(statements.TOWARDS)
    one, two = d.person(), d.person()
    true, false = claims.format(a=one, b=two), claims.format(a=two, b=one)
    # Most of these could hold both ways at once: two may guarantee each other's loans.
    return Made("role", says.format(a=one, b=two), true, false, Label.NOT_ENTAILED)


def place(d: Draw) -> Made:
    """Another place of the passage."""
    says, claims = d.both(statements.PLACED)
    other, _ = d.both(statements.PLACED)
    one, two = d.one(words.PLACES), d.one(words.PLACES)
    true, false = claims.format(p=one), claims.format(p=two)
    return Made("place", says.format(p=one), true, false, OPEN, (other.format(p=two),))


def swapped_values(d: Draw) -> Made:
    """Two figures in each other's place."""
    one, two = (d.one(words.COLUMNS)[1], d.one(words.COLUMNS)[1])
    thing, other = d.one(words.ROWS), d.one(words.ROWS)
    small, large = _two(d, 3, 900)
    if d.dice.random() < 0.5:
        told = f"For {thing} the {one} is {small} and the {two} is {large}."
        form = f"At {thing} the {{}} comes to {{}} and the {{}} to {{}}."
        true, false = form.format(one, small, two, large), form.format(one, large, two, small)
    else:
        told = f"The {one} is {small} for {thing} and {large} for {other}."
        form = d.any(
            f"{thing} has a {one} of {{}}, {other} one of {{}}.",
            f"In terms of {one}, {thing} stands at {{}} and {other} at {{}}.",
        )
        true, false = form.format(small, large), form.format(large, small)
    return Made("swapped_values", told, true, false)


def absent_subject(d: Draw) -> Made:
    """Something that the passage does not speak of, or says something else of."""
    if d.dice.random() < 0.55:
        one, two = _identifiers(d)
        value = d.dice.randint(2, 500)
        told = d.any(
            f"`{one}` sets how far this goes; the default is {value}.",
            f"Set `{one}` to change it. If it is not given, {value} is used.",
            f"- `{one}` (integer, default {value})",
        )
        form = d.any("The default of `{}` is {}.", "Without a value, `{}` is {}.")
        return Made(
            "absent_subject", told, form.format(one, value), form.format(two, value), NEUTRAL
        )
    (actor, again), (other, _) = d.both(words.ACTORS), d.both(words.ACTORS)
    act, said = d.both(words.ACTS)
    told = up(f"{actor} {d.any('may', 'can', 'must')} {act}.")
    modal = "have to" if " must " in told else "can"
    return Made(
        "absent_subject",
        told,
        up(f"{again} {modal} {said}."),
        up(f"{other} {modal} {said}."),
        NEUTRAL,
    )


def list_membership(d: Draw) -> Made:
    """Something that is not on the list, mostly from another list of the passage."""
    (says, claims), (others, _) = d.one(statements.GROUPS), d.one(statements.GROUPS)
    mine = [d.one(words.ITEMS) for _ in range(d.dice.randint(3, 5))]
    theirs = [d.one(words.ITEMS) for _ in range(3)]
    right, wrong = d.any(*mine), d.any(*theirs)
    beside = (others.format(items=_listed(theirs)),) if d.dice.random() < 0.7 else ()
    true, false = (_agreeing(claims.format(x=each, X=up(each)), each) for each in (right, wrong))
    label = OPEN
    return Made("list_membership", says.format(items=_listed(mine)), true, false, label, beside)


def _agreeing(claim: str, item: str) -> str:
    """The verb in the plural where several things are meant."""
    several = item in (
        "gloves",
        "batteries",
        "cable ties",
        "safety goggles",
        "tent pegs",
        "blankets",
        "two ropes",
    )
    for one, many in ((" belongs ", " belong "), (" is covered ", " are covered ")):
        claim = claim.replace(one, many) if several and claim.startswith(up(item)) else claim
    return claim


def _listed(items: Sequence[str]) -> str:
    return f"{', '.join(items[:-1])} and {items[-1]}"


def _identifiers(d: Draw) -> tuple[str, str]:
    """Two names of settings, mostly with a part in common."""
    (one, two), (three, four) = (d.dice.sample(parts, 2) for parts in words.SETTING_PARTS)
    return f"{one}_{three}", d.any(f"{one}_{four}", f"{two}_{three}", f"{two}_{four}")


def _measure(d: Draw) -> tuple[str, str, str, int, int]:
    says, claims, unit, span = d.one(statements.MEASURES)
    first, last = map(int, span.split())
    return says, claims, unit, first, last


def _two(d: Draw, first: int, last: int) -> tuple[int, int]:
    one, two = d.dice.sample(range(first, last + 1), 2)
    return one, two


def _sum(d: Draw) -> tuple[str, str, int]:
    one, two = _two(d, 5, 400)
    thing, extra = d.one(PRICED), d.one(EXTRAS)
    told = f"{up(thing)} costs {one} {(u := d.any('euros', 'pounds', 'dollars'))}; {extra} is {two} {u} on top."
    return told, up(f"{thing} with {extra} comes to {{x}} {u}."), one + two


def _rest(d: Draw) -> tuple[str, str, int]:
    total = d.dice.randint(20, 400)
    part = d.dice.randint(3, total - 3)
    noun, did, not_did = d.one(SHARES)
    told = f"Of the {total} {noun}, {part} {did}."
    return told, f"{{x}} of the {noun} {not_did}.", total - part


def _span(d: Draw) -> tuple[str, str, int]:
    start, hours = d.dice.randint(6, 14), d.dice.randint(2, 8)
    event = d.one(SPANS)
    told = f"The {event} starts at {start}:00 and lasts {hours} hours."
    return told, f"The {event} is over at {{x}}:00.", start + hours


def _difference(d: Draw) -> tuple[str, str, int]:
    low, high = sorted(_two(d, 10, 900))
    noun, _, _ = d.one(SHARES)
    years = d.any(("last year", "this year"), ("in May", "in June"), ("in spring", "in autumn"))
    told = f"There were {low} {noun} {years[0]} and {high} {years[1]}."
    return told, f"{up(years[1])} there were {{x}} more {noun} than {years[0]}.", high - low


LEAST = ("at least", "no less than", "not under", "a minimum of")
MOST = ("at most", "no more than", "not over", "a maximum of")
BOUNDED = (
    ("the length of a password", "characters", 8, 40), ("the notice", "weeks", 2, 20),
    ("the deposit", "euros", 50, 900), ("the gap between two beds", "centimetres", 60, 200),
    ("the age of an entrant", "years", 12, 60), ("the height of a hedge", "centimetres", 80, 250),
    ("the weight of a parcel", "kilograms", 2, 40), ("the term of the loan", "months", 6, 90),
    ("the speed on the ramp", "kilometres an hour", 5, 30), ("the pressure", "bar", 2, 90),
    ("the storage temperature", "degrees", 4, 30), ("the group", "people", 4, 60),
    ("the width of the door", "centimetres", 70, 140), ("the reply time", "hours", 2, 72),
    ("the share of recycled paper", "percent", 10, 90), ("the break", "minutes", 10, 90),
    ("the slope of the roof", "degrees", 5, 60), ("the daily dose", "milligrams", 20, 900),
)  # fmt: skip
PRICED = ("the basic course", "a return ticket", "the family card", "a night in the hostel",
    "the standard licence", "a haircut", "the guided tour", "the yearly check", "a basket of apples")  # fmt: skip
EXTRAS = ("the exam fee", "a seat reservation", "the locker", "breakfast", "support by phone",
    "delivery", "the audio guide", "the tourist tax", "insurance")  # fmt: skip
SHARES = (
    ("applications", "were approved", "were not approved"), ("windows", "were replaced", "were left as they are"),
    ("members", "voted", "did not vote"), ("tickets", "were sold", "remained unsold"),
    ("parcels", "arrived on time", "came late or not at all"), ("students", "passed", "failed to pass"),
    ("samples", "were tested", "are still untested"), ("calls", "were answered", "went unanswered"),
    ("flats", "are let", "stand empty"), ("bicycles", "were returned", "have not come back"),
)  # fmt: skip
SPANS = ("night shift", "open day", "repair course", "maintenance window", "guided walk", "exam",
    "fair", "rehearsal", "blood donation", "market")  # fmt: skip

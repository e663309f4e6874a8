"""Rules and statements of made-up documents: may and must, conditions, denials, causes, order."""

# ruff: noqa: E501  (one entry of a list, or one form, is one line)

from __future__ import annotations

from upheld_lab.bench.verify.labels import Label
from upheld_lab.training.verifier import business_statements as statements
from upheld_lab.training.verifier import business_words as words
from upheld_lab.training.verifier.business_makers import CONTRADICTS, NEUTRAL, OPEN, Draw, Made, up

# How a passage and how claims say it; the third word tells what it means.
_MODAL = {
    "may": (("may", "can", "are allowed to"), ("are free to", "have the right to", "may")),
    "must": (("must", "have to", "are required to"), ("are obliged to", "need to", "must")),
    "need not": (("need not", "do not have to"), ("are not obliged to", "can choose whether to")),
    "must not": (("must not", "may not", "are not allowed to"), ("are forbidden to", "cannot")),
}
# Every word is right as often as it is wrong, so that none gives a label away.
_MODAL_TWINS = (
    ("may", "must", OPEN), ("must", "need not", CONTRADICTS), ("must", "need not", CONTRADICTS),
    ("must", "must not", CONTRADICTS), ("need not", "must", CONTRADICTS),
    ("need not", "must not", OPEN), ("must not", "may", CONTRADICTS),
    ("must not", "must", CONTRADICTS),
)  # fmt: skip
_QUANTITIES = {
    "all": ("All of the {a}", "Every one of the {a}"),
    "most": ("Most of the {a}", "More than half of the {a}"),
    "some": ("Some of the {a}", "A few of the {a}"),
    "few": ("Hardly any of the {a}", "Very few of the {a}"),
    "none": ("None of the {a}", "Not one of the {a}"),
}
_QUANTITY_TWINS = (
    ("all", "few", CONTRADICTS), ("all", "none", CONTRADICTS), ("most", "all", OPEN),
    ("most", "few", CONTRADICTS), ("some", "all", OPEN), ("some", "none", CONTRADICTS),
    ("few", "most", CONTRADICTS), ("few", "all", CONTRADICTS), ("none", "some", CONTRADICTS),
    ("none", "most", CONTRADICTS),
)  # fmt: skip
_PASTS = (
    ("answered the survey", "took part in the survey"), ("passed the test", "got through the test"),
    ("came by train", "arrived by rail"), ("asked for a refund", "wanted their money back"),
    ("signed the new contract", "put their name to the new contract"),
    ("used the voucher", "made use of the voucher"), ("reported a fault", "said that something was broken"),
    ("attended the meeting", "were at the meeting"), ("renewed the licence", "had the licence extended"),
    ("voted for the plan", "backed the plan in the vote"), ("moved to the new building", "changed to the new building"),
)  # fmt: skip
_ANYWAY = ("in any case", "without any condition", "whatever the circumstances", "unconditionally")
_ALWAYS = ("without exception", "with no exceptions")
_DENIED = (
    "An earlier version of this text said that {s}. That was wrong.",
    "It is not true that {s}.", "The rumour that {s} is unfounded.",
    "Correction: the statement that {s} is withdrawn.",
    "The newsletter wrote that {s}; the newsletter was mistaken.",
    '"{S}." This sentence was printed by mistake and does not hold.',
    "Many believe that {s}, which is a misunderstanding.",
    "The draft stated that {s}. This point was struck out.",
    "The claim that {s} has been refuted by the inspection.",
    "{S}. Please disregard the previous sentence; it is false.",
)  # fmt: skip
_CONFIRMED = (
    "It was checked and confirmed that {s}.", "As in earlier versions of this text, {s}.",
    "The inspection found that {s}.", "It was doubted at first, but {s}.",
    "The newsletter rightly wrote that {s}.", "It is still the case that {s}.",
    "{S}. The previous sentence was verified by two people.",
)  # fmt: skip
_WRONG = ("It is wrong to say that {s}.", "The statement that {s} is an error.",
    "That {s} is denied by the text.", "One should not believe that {s}.")  # fmt: skip
_RIGHT = ("It is right to say that {s}.", "The statement that {s} holds.",
    "That {s} is confirmed by the text.", "One can believe that {s}.", "{S}.", "{S}.")  # fmt: skip
_FALSE_HEADINGS = ("Myths", "No longer in force", "Withdrawn", "Common misconceptions", "Errors in the last issue")  # fmt: skip
_TRUE_HEADINGS = ("Facts", "In force", "Confirmed", "Current rules", "What still applies")


def modality(d: Draw) -> Made:
    """May, must, need not, must not."""
    return _modal(d, "modality", *d.any(*_MODAL_TWINS))


def negation(d: Draw) -> Made:
    """May or must not, is or is not."""
    if d.dice.random() < 0.3:
        state, _, said, _ = d.one(statements.STATES)
        denies = d.dice.random() < 0.5
        told = f"It is not the case that {_low(state)}" if denies else state
        plain, turned = said, f"It is not so that {_low(said)}"
        true, false = (turned, plain) if denies else (plain, turned)
        return Made("negation", told, true, false)
    return _modal(
        d, "negation", *d.any(("may", "must not", CONTRADICTS), ("must not", "may", CONTRADICTS))
    )


def _modal(d: Draw, kind: str, right: str, wrong: str, label: Label) -> Made:
    (actor, again), (act, said) = d.both(words.ACTORS), d.both(words.ACTS)
    told = f"{actor} {d.any(*_MODAL[right][0])} {act}."
    true, false = (f"{again} {d.any(*_MODAL[each][1])} {said}." for each in (right, wrong))
    return Made(kind, up(told), up(true), up(false), label)


def antonym(d: Draw) -> Made:
    """A state and its opposite."""
    one, other, said, against = d.one(statements.STATES)
    if d.dice.random() < 0.5:
        one, other, said, against = other, one, against, said
    if d.dice.random() < 0.3:
        said, against = one, other
    return Made("antonym", one, said, against)


def dropped_condition(d: Draw) -> Made:
    """With its condition, without one, or with another."""
    return _limited(d, "dropped_condition", words.CONDITIONS, _ANYWAY)


def dropped_exception(d: Draw) -> Made:
    """With its exception, or without."""
    return _limited(d, "dropped_exception", words.EXCEPTIONS, _ALWAYS)


def _limited(d: Draw, kind: str, pool: tuple[words.Pair, ...], free: tuple[str, ...]) -> Made:
    (actor, again), (act, said) = d.both(words.ACTORS), d.both(words.ACTS)
    limit, same = d.both(pool)
    other, _ = d.both(pool)
    can = d.any(*_MODAL["may"][1])
    plain = f"{again} {can} {said}, {d.any(*free)}."
    # What may be done in any case may be done on a condition too: only "only" rules it out.
    only = kind == "dropped_condition" and d.dice.random() < 0.5
    if d.dice.random() < 0.4:
        told = f"{actor} {d.any('may', 'can')} {act}, {d.any(*free)}."
        glue = " only" if kind == "dropped_condition" else ","
        return Made(
            kind, up(told), up(plain), up(f"{again} {can} {said}{glue} {same}."), CONTRADICTS
        )
    limited = f"{again} {can} {said}{' only' if only else ','} {same}."
    told = f"{actor} {d.any('may', 'can')} {act}{' only' if only else ''} {limit}."
    if not only and d.dice.random() < 0.3:
        told = f"{limit}, {actor} {d.any('may', 'can')} {act}."
    draw = d.dice.random()
    wrong = f"{again} {can} {said}." if draw < 0.22 else plain
    if draw > 0.62:
        wrong = f"{again} {can} {said}, {other}."
    return Made(kind, up(told), up(limited), up(wrong), OPEN)


def quantifier(d: Draw) -> Made:
    """All, most, some, few, none."""
    right, wrong, label = d.any(*_QUANTITY_TWINS)
    actor, _ = d.one(words.ACTORS)
    did, said = d.both(_PASTS)
    told = f"{d.any(*_QUANTITIES[right])} {did}.".format(a=actor)
    true, false = (
        f"{d.any(*_QUANTITIES[each])} {said}.".format(a=actor) for each in (right, wrong)
    )
    return Made("quantifier", told, true, false, label)


def attribution(d: Draw) -> Made:
    """Who says it; what only somebody says is not thereby so."""
    one, other = d.one(words.WITNESSES), d.one(words.WITNESSES)
    state, _, said, _ = d.one(statements.STATES)
    plain, again = _low(state).rstrip("."), _low(said).rstrip(".")
    forms = ("That {s} is what {w} says.", "{W} says that {s}.", "It is {w} that states that {s}.")
    form, draw = d.any(*forms), d.dice.random()
    by_one, by_other = (form.format(s=again, w=w, W=up(w)) for w in (one, other))
    if draw < 0.3:
        told = d.any(
            "The yearly inspection has shown that {s}.", "It has been measured: {s}."
        ).format(s=plain)
        return Made("attribution", told, said, by_one, NEUTRAL)
    told = d.any("According to {w}, {s}.", "{W} says that {s}.", "{S}, {w} claims.").format(
        s=plain, S=up(plain), w=one, W=up(one)
    )
    return Made("attribution", told, by_one, by_other if draw < 0.65 else said, NEUTRAL)


def retraction(d: Draw) -> Made:
    """Denied or confirmed, by the sentence or by the heading over it."""
    state, _, said, _ = d.one(statements.STATES)
    plain, again = _low(state).rstrip("."), _low(said).rstrip(".")
    denied = d.dice.random() < 0.5
    right, wrong = (_WRONG, _RIGHT) if denied else (_RIGHT, _WRONG)
    true, false = (d.any(*forms).format(s=again, S=up(again)) for forms in (right, wrong))
    if d.dice.random() < 0.3:
        heading = d.any(*(_FALSE_HEADINGS if denied else _TRUE_HEADINGS))
        return Made("retraction", state, true, false, heading=heading)
    told = d.any(*(_DENIED if denied else _CONFIRMED)).format(s=plain, S=up(plain))
    return Made("retraction", told, true, false)


def cause(d: Draw) -> Made:
    """The reason of something else that happened, in the place of its own."""
    (event, again), (other, _) = d.both(words.HAPPENED), d.both(words.HAPPENED)
    one, two = d.one(words.REASONS), d.one(words.REASONS)
    told, beside = (
        d.any(f"{what} because {why[0]}.", f"Because {why[0]}, {_low(what)}.", f"{what} owing to {why[1]}.")
        for what, why in ((event, one), (other, two))
    )  # fmt: skip
    form = d.any("{E} because {r}.", "The reason why {e}: {n}.", "{E} as a result of {n}.", "It was for this reason that {e}: {r}.")  # fmt: skip
    true, false = (form.format(E=again, e=_low(again), r=why[0], n=why[1]) for why in (one, two))
    return Made("cause", told, true, false, OPEN, (beside,))


def order(d: Draw) -> Made:
    """What comes first."""
    one, two, three = (d.one(words.STEPS) for _ in range(3))
    told = d.any(
        f"First {one[0]}, then {two[0]}.", f"{up(two[0])} only after {one[1]}.",
        f"Before {two[0]}, {one[0]}.", f"Once {one[0]}, {two[0]}.", f"{up(one[1])} precedes {two[1]}.",
        f"Steps: 1. {up(one[1])}. 2. {up(two[1])}. 3. {up(three[1])}.",
        f"{up(three[0])} first. After that {one[0]}, and in the end {two[0]}.",
    )  # fmt: skip
    form = d.any(
        "{A} comes before {b}.", "{B} comes after {a}.", "{A} is done earlier than {b}.",
        "By the time of {b}, {a} is already done.", "{B} follows {a}.", "{a2} before {b2}.", "{b2} after {a2}.",
    )  # fmt: skip
    true, false = (
        up(form.format(a=a[1], A=up(a[1]), b=b[1], B=up(b[1]), a2=a[0], b2=b[0]))
        for a, b in ((one, two), (two, one))
    )
    return Made("order", told, true, false)


def comparison(d: Draw) -> Made:
    """Which of two is more."""
    if d.dice.random() < 0.4:
        low, high = sorted(d.dice.sample(range(3, 900), 2))
        one, two = d.one(words.COMPARABLE), d.one(words.COMPARABLE)
        what = d.any("weighs {} kilograms", "costs {} euros", "needs {} watts", "takes {} minutes", "drew {} people")  # fmt: skip
        more, less = _NUMERIC[what.split()[0]]
        told = f"{up(one)} {what.format(high)}, {two} {what.format(low)}."
        pairs = [(f"{up(one)} {more} {two}.", f"{up(two)} {more} {one}."),
            (f"{up(two)} {less} {one}.", f"{up(one)} {less} {two}."),
            (f"{up(one)} {more} {two}.", f"{up(one)} {less} {two}.")]  # fmt: skip
        return Made("comparison", told, *d.any(*pairs))
    more, less = d.one(words.COMPARED)
    if d.dice.random() < 0.5:
        more, less = less, more
    one, two = d.one(words.COMPARABLE), d.one(words.COMPARABLE)
    told = d.any(f"{up(one)} is {more} {two}.", f"Compared with each other, {one} is {more} {two}.")
    true, false = d.any(
        (f"{up(two)} is {less} {one}.", f"{up(two)} is {more} {one}."),
        (f"It is {one} that is {more} {two}.", f"It is {one} that is {less} {two}."),
        (f"{up(two)} is {less} {one}.", f"{up(one)} is {less} {two}."),
    )
    return Made("comparison", told, true, false)


_NUMERIC = {
    "weighs": ("is heavier than", "is lighter than"), "costs": ("is dearer than", "is cheaper than"),
    "needs": ("uses more power than", "uses less power than"),
    "takes": ("takes longer than", "takes less time than"), "drew": ("had more visitors than", "had fewer visitors than"),
}  # fmt: skip


def _low(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]

"""Editors: each makes a true sentence false by changing one thing, with material of its passage.

An edit is a set of replacements, so that it can be applied to a paraphrase of the sentence and,
the other way round, to the passage itself: then the edited claim is the true one. Half of the
minimal pairs are made that way, and no wording tells which claim of a pair is false.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from upheld_lab.bench.verify.labels import Label
from upheld_lab.training.verifier import lexicon
from upheld_lab.training.verifier.lexicon import MONTH, YEAR


@dataclass(frozen=True, slots=True)
class Edit:
    """Replacements, and what the edited sentence is to a passage with the original one."""

    kind: str
    changes: tuple[tuple[str, str], ...]
    label: Label
    reversible: bool = True  # the original sentence is false where the edited one stands
    denied: str = ""  # what denies the edited word, for edits from a weak word to a strong one

    def apply(self, text: str) -> str | None:
        """The text with all replacements made at once; None if it does not hold each just once."""
        found = [_places(text, old) for old, _ in self.changes]
        if any(len(places) != 1 for places in found):
            return None
        spots = sorted(
            (places[0], new) for places, (_, new) in zip(found, self.changes, strict=True)
        )
        if any(one[0][1] > two[0][0] for one, two in pairwise(spots)):
            return None
        for (start, end), new in reversed(spots):
            text = text[:start] + new + text[end:]
        return text


@dataclass(frozen=True, slots=True)
class Context:
    """What an editor may take its material from."""

    passage: str
    title: str
    other_title: str  # of another passage, for what this one does not speak of


Editor = Callable[[str, Context, random.Random], Edit | None]


def number(sentence: str, context: Context, dice: random.Random) -> Edit | None:
    """Another figure: one of the passage's own where there is one of the same form."""
    spots = lexicon.counted(sentence)
    if not spots:
        return None
    old = dice.choice(spots)
    if _is_bound(sentence, old):
        return None
    others = sorted(
        each
        for each in set(lexicon.counted(context.passage)) - set(spots)
        if abs(len(each) - len(old)) <= 1 and each.replace(",", "") != old.replace(",", "")
    )
    new = dice.choice(others) if others and dice.random() < 0.6 else _near(old, dice)
    return _edit("number", Label.CONTRADICTS, (old, new))


_LONG_MONTHS = ("January", "March", "May", "July", "August", "October", "December")  # have a 31st


def date(sentence: str, context: Context, dice: random.Random) -> Edit | None:
    """Another year or month, of the passage where it has one."""
    spots = [m.group() for form in (YEAR, MONTH) for m in form.finditer(sentence)]
    if not spots:
        return None
    old = dice.choice(spots)
    if re.search(rf"\b(?:through|until|since|by|before|after) {old}", sentence, re.I):
        return None  # what held through 2023 held through 2018
    form = MONTH if MONTH.fullmatch(old) else YEAR
    others = sorted({m.group() for m in form.finditer(context.passage)} - set(spots))
    if not others or dice.random() < 0.4:
        others = (
            [month for month in _LONG_MONTHS if month != old]
            if form is MONTH
            else [str(int(old) + step) for step in (-20, -10, -5, -3, -2, -1, 1, 2, 3, 5, 10)]
        )
    return _edit("date", Label.NOT_ENTAILED, (old, dice.choice(others)))


def number_words(sentence: str, context: Context, dice: random.Random) -> Edit | None:
    """Another number, written as a word."""
    return _word(sentence, dice, "number_words", lexicon.NUMBER_WORD, _other_number_word)


def unit(sentence: str, context: Context, dice: random.Random) -> Edit | None:
    """The same figure of another unit."""
    spots = [m.group() for m in lexicon.FIGURE_WITH_UNIT.finditer(sentence)]
    if not spots:
        return None
    old = dice.choice(spots)
    if _is_bound(sentence, old):
        return None
    figure, _, name = old.rpartition(" ")
    return _edit("unit", Label.CONTRADICTS, (old, f"{figure} {lexicon.UNIT[name]}"))


def _is_bound(sentence: str, figure: str) -> bool:
    """Whether another figure may be true too: more than 30 years are more than 30 months."""
    before = r"than|least|most|over|under|within|up to|excess of"
    return bool(re.search(rf"\b(?:{before}) (?:[$£€] ?)?{re.escape(figure)}", sentence))


def bounds(sentence: str, context: Context, dice: random.Random) -> Edit | None:
    """At least becomes at most; over becomes under."""
    return _mapped(sentence, dice, "bounds", lexicon.BOUND, lexicon.BOUNDS, Label.NOT_ENTAILED)


def swapped_values(sentence: str, context: Context, dice: random.Random) -> Edit | None:
    """Two years, or two figures, in each other's place."""
    years = [m.group() for m in YEAR.finditer(sentence)]
    figures = lexicon.counted(sentence)
    for values in dice.sample([years, figures], 2):
        if len(values) >= 2 and len(set(values)) == len(values):
            one, two = dice.sample(values, 2)
            between = _between(sentence, one, two)
            # Ends of spans turned round are nonsense, and a list in another order says the same.
            if len([word for word in _LONGER.findall(between) if word not in _GLUE]) >= 2:
                return _edit("swapped_values", Label.CONTRADICTS, (one, two), (two, one))
    return None


_LONGER = re.compile(r"[A-Za-z]{3,}")
_GLUE = frozenset({"and", "the", "until", "through", "both", *lexicon.MONTHS})


def _between(sentence: str, one: str, two: str) -> str:
    first, second = sorted((sentence.find(one), sentence.find(two)))
    return sentence[first:second]


def name(sentence: str, context: Context, dice: random.Random) -> Edit | None:
    """Another name of the passage in a name's place; who is meant may stay open."""
    spots = lexicon.people(sentence)
    others = [each for each in lexicon.people(context.passage) if each not in sentence]
    pairs = [
        (old, new)
        for old in spots
        for new in others
        if len(old.split()) == len(new.split()) and not set(old.split()) & set(new.split())
    ]
    return _edit("name", Label.NOT_ENTAILED, dice.choice(pairs)) if pairs else None


def place(sentence: str, context: Context, dice: random.Random) -> Edit | None:
    """Another place of the passage, named in sentences of its own: no part of the first one."""
    spots = [m[1] for m in lexicon.PLACE.finditer(sentence)]
    others = sorted({m[1] for m in lexicon.PLACE.finditer(context.passage)})
    pairs = [
        (old, new)
        for old in spots
        for new in others
        if new not in sentence
        and not lexicon.REGION.search(f"{old} {new}")
        and not any(old in part and new in part for part in context.passage.split(". "))
    ]
    return _edit("place", Label.NOT_ENTAILED, dice.choice(pairs)) if pairs else None


def absent_subject(sentence: str, context: Context, dice: random.Random) -> Edit | None:
    """Something that the passage does not speak of, in the place of what it is about."""
    own, other = (lexicon.plain_title(t) for t in (context.title, context.other_title))
    if not own or not other or own == other or other in context.passage:
        return None
    return _edit("absent_subject", Label.NOT_ENTAILED, (own, other), reversible=False)


def role(sentence: str, context: Context, dice: random.Random) -> Edit | None:
    """Two names in each other's place: who did it to whom."""
    deed = lexicon.DEED.match(sentence)
    if deed and not set(deed[1].split()) & set(deed[2].split()):
        return _edit("role", Label.NOT_ENTAILED, (deed[1], deed[2]), (deed[2], deed[1]))
    makers = list(dict.fromkeys(m[1] for m in lexicon.MAKER.finditer(sentence)))
    if len(makers) < 2:
        return None
    one, two = dice.sample(makers, 2)
    if set(one.split()) & set(two.split()):
        return None
    return _edit("role", Label.NOT_ENTAILED, (one, two), (two, one))


def negation(sentence: str, context: Context, dice: random.Random) -> Edit | None:
    """`not` put in, or taken away where it stands."""
    if there := lexicon.NOT.search(sentence):
        return _edit("negation", Label.CONTRADICTS, (there[0], there[1]))
    spots = [m.group() for m in lexicon.AUXILIARY.finditer(sentence)]
    if len(spots) != 1:
        return None  # which of several verbs carries the sentence is not plain
    return _edit("negation", Label.CONTRADICTS, (spots[0], f"{spots[0]} not"))


def antonym(sentence: str, context: Context, dice: random.Random) -> Edit | None:
    """One word becomes its opposite."""
    opposite = lexicon.OPPOSITES
    return _mapped(sentence, dice, "antonym", lexicon.OPPOSITE, opposite, Label.NOT_ENTAILED)


def comparison(sentence: str, context: Context, dice: random.Random) -> Edit | None:
    """The direction of a comparison is turned."""
    turned = lexicon.COMPARISONS
    return _mapped(sentence, dice, "comparison", lexicon.COMPARISON, turned, Label.CONTRADICTS)


def order(sentence: str, context: Context, dice: random.Random) -> Edit | None:
    """What came before comes after."""
    return _mapped(sentence, dice, "order", lexicon.ORDER, lexicon.ORDERS, Label.CONTRADICTS)


def quantifier(sentence: str, context: Context, dice: random.Random) -> Edit | None:
    """Some become all, both become neither."""
    return _stronger(sentence, dice, "quantifier", lexicon.QUANTIFIER, lexicon.QUANTIFIERS)


def modality(sentence: str, context: Context, dice: random.Random) -> Edit | None:
    """What may be must be; what often is always is."""
    return _stronger(sentence, dice, "modality", lexicon.MODALITY, lexicon.MODALITIES)


def _stronger(
    sentence: str,
    dice: random.Random,
    kind: str,
    form: re.Pattern[str],
    into: Mapping[str, Sequence[tuple[str, str]]],
) -> Edit | None:
    """A weak word becomes a strong one, which it does not entail."""
    spots = [m.group() for m in form.finditer(sentence)]
    if not spots:
        return None
    old = dice.choice(spots)
    strong, denied = dice.choice(into[old])
    if re.search(rf"\ban? {old}\b", sentence):
        return None  # "a always" would tell
    return Edit(kind, ((old, strong),), Label.NOT_ENTAILED, reversible=False, denied=denied)


EDITORS: tuple[Editor, ...] = (
    number, date, number_words, unit, bounds, swapped_values, name, place, absent_subject, role,
    negation, antonym, comparison, order, quantifier, modality,
)  # fmt: skip


def edits(sentence: str, context: Context, dice: random.Random) -> Iterator[Edit]:
    """All edits that apply, the rare kinds first: every editor is tried once, in random order."""
    order = dice.sample(EDITORS, len(EDITORS))
    for editor in sorted(order, key=lambda editor: _COMMON.get(editor.__name__, 0)):
        if (edit := editor(sentence, context, dice)) is not None:
            yield edit


# Kinds that apply to most sentences come after those that apply to few.
_COMMON: Mapping[str, int] = MappingProxyType(
    {"absent_subject": 1, "antonym": 2, "date": 2, "negation": 3, "order": 1}
)


def _edit(
    kind: str, label: Label, *changes: tuple[str, str], reversible: bool = True
) -> Edit | None:
    if any(old == new for old, new in changes):
        return None
    return Edit(kind, changes, label, reversible)


def _mapped(
    sentence: str,
    dice: random.Random,
    kind: str,
    form: re.Pattern[str],
    into: Mapping[str, str | Sequence[str]],
    label: Label,
) -> Edit | None:
    def other(word: str, dice: random.Random) -> str:
        new = into[word.lower()]
        new = new if isinstance(new, str) else dice.choice(new)
        return new[:1].upper() + new[1:] if word[:1].isupper() else new

    return _word(sentence, dice, kind, form, other, label)


def _word(
    sentence: str,
    dice: random.Random,
    kind: str,
    form: re.Pattern[str],
    other: Callable[[str, random.Random], str],
    label: Label = Label.CONTRADICTS,
) -> Edit | None:
    spots = [m.group() for m in form.finditer(sentence)]
    if not spots:
        return None
    old = dice.choice(spots)
    new = other(old, dice)
    article = re.search(rf"\b(an?) {re.escape(old)}\b", sentence)
    if article and (article[1] == "an") != (new[0].lower() in "aeiou"):
        return None  # "a illegal" would tell
    return _edit(kind, label, (old, new))


def _other_number_word(word: str, dice: random.Random) -> str:
    at = lexicon.NUMBER_WORDS.index(word.lower())
    near = lexicon.NUMBER_WORDS[max(0, at - 3) : at] + lexicon.NUMBER_WORDS[at + 1 : at + 4]
    new = dice.choice(near)
    return new.capitalize() if word[:1].isupper() else new


def _near(old: str, dice: random.Random) -> str:
    """A figure that reads like the old one."""
    digits = [at for at, sign in enumerate(old) if sign.isdigit()]
    at = dice.choice(digits)
    choices = [digit for digit in "123456789" if digit != old[at]]
    return old[:at] + dice.choice(choices) + old[at + 1 :]


def _places(text: str, old: str) -> list[tuple[int, int]]:
    """Where `old` stands, not as a part of a longer word or figure."""
    found, at = [], text.find(old)
    while at >= 0:
        end = at + len(old)
        before, after, then = text[at - 1 : at], text[end : end + 1], text[end + 1 : end + 2]
        joins = before.isalnum() or before in (".", ",", "_", "-")
        goes_on = after.isalnum() or after in ("_", "-") or (after in (".", ",") and then.isdigit())
        if not (before and joins) and not (after and goes_on):
            found.append((at, end))
        at = text.find(old, end)
    return found

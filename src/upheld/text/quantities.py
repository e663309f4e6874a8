"""Quantities of a sentence: a value with its unit and its bound, dates and times among them.

"Half an hour" and "30 minutes" are equal, "48 hours" and "48 days" are not, and "at most 3" has
another bound than "at least 3".
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from upheld.text.figures import MONTH, ORDINAL_WORDS, SCALE_WORDS, TEN_WORDS, UNIT_WORDS
from upheld.text.tokens import Token


class Bound(Enum):
    """Whether a quantity is the least, the most, or neither."""

    NONE = 0
    LEAST = 1
    MOST = -1


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value in the base unit of its dimension."""

    value: float
    number: float  # as written, before the unit is taken into account
    dimension: str  # "" if no unit is given
    at: int  # where it begins among the tokens
    end: int  # where its last token stands
    bound: Bound = Bound.NONE
    binding: bool = True  # whether a claim with it needs a source for it: not "a day", "first"

    def equals(self, other: Quantity) -> bool:
        """Return whether both are the same; one without a unit equals the bare number."""
        if self.dimension == other.dimension:
            return _close(self.value, other.value)
        if self.dimension and other.dimension:
            return False
        return _close(self.number, other.number) and self.is_measure and other.is_measure

    def allows(self, other: Quantity) -> bool | None:
        """Return whether a bound allows another value; None if it does not bound such values."""
        if self.bound is Bound.NONE or not self.comparable(other):
            return None
        known = self.dimension == other.dimension
        mine, its = (self.value, other.value) if known else (self.number, other.number)
        return its >= mine if self.bound is Bound.LEAST else its <= mine

    def comparable(self, other: Quantity) -> bool:
        """Return whether both could answer the same question."""
        if self.dimension == other.dimension:
            return True
        return not (self.dimension and other.dimension) and self.is_measure and other.is_measure

    @property
    def is_measure(self) -> bool:
        return self.dimension not in _CALENDAR


_CALENDAR = frozenset(("month", "weekday", "clock", "ordinal", "day"))  # a year may be a number
_LISTED = (
    "time 1 second seconds sec secs|time 0.001 millisecond milliseconds ms|time 60 minute minutes"
    " min mins|time 3600 hour hours hr hrs|time 86400 day days|time 604800 week weeks|time 1209600"
    " fortnight fortnights|months 1 month months|months 12 year years yr yrs|months 120 decade"
    " decades|months 1200 century centuries"
    "|length 1 metre metres meter meters|length 1000 kilometre kilometres kilometer kilometers km"
    "|length 0.01 centimetre centimetres centimeter centimeters cm|length 0.001 millimetre"
    " millimetres millimeter millimeters mm|length 1609.34 mile miles|length 0.3048 foot feet ft"
    "|length 0.0254 inch inches|length 0.9144 yard yards"
    "|mass 1 gram grams|mass 1000 kilogram kilograms kilo kilos kg|mass 0.001 milligram milligrams"
    " mg|mass 1000000 tonne tonnes ton tons|mass 453.6 lb lbs|mass 28.35 ounce ounces oz"
    "|volume 1 litre litres liter liters|volume 0.001 millilitre millilitres milliliter milliliters"
    " ml|volume 3.785 gallon gallons|data 1 byte bytes|data 1e3 kb kilobyte kilobytes|data 1e6 mb"
    " megabyte megabytes|data 1e9 gb gigabyte gigabytes|data 1e12 tb terabyte terabytes"
    "|percent 1 percent % percentage|percent 1 pct|pound 1 pound pounds £ gbp|euro 1 euro euros €"
    " eur|dollar 1 dollar dollars $ usd|cent 1 cent cents pence penny|yen 1 yen ¥|franc 1 franc"
    " francs|krona 1 krona kronor krone kroner|rupee 1 rupee rupees|degree 1 degree degrees °"
    "|volt 1 volt volts|watt 1 watt watts|watt 1000 kilowatt kilowatts kw|watt 1e6 megawatt"
    " megawatts mw|times 1 times time|pixel 1 pixel pixels px|acre 1 acre acres|hectare 1 hectare"
    " hectares ha"
)
_UNITS = MappingProxyType(
    {
        word: (entry.split()[0], float(entry.split()[1]))
        for entry in _LISTED.split("|")
        for word in entry.split()[2:]
    }
)
UNITS = frozenset(_UNITS)  # every spelling, in small letters
_SHORT_UNITS = {"m": ("length", 1.0), "s": ("time", 1.0), "h": ("time", 3_600.0)}
_MILLIWATT = ("watt", 0.001)  # the one unit that only its case tells from another
_SHORT_UNITS |= {"g": ("mass", 1.0), "l": ("volume", 1.0)}
_WEEKDAYS = {
    form: place
    for place, day in enumerate(
        re.findall(r"\S+", "monday tuesday wednesday thursday friday saturday sunday")
    )
    for form in (day, day + "s")
}
_FRACTIONS = {"half": 0.5, "quarter": 0.25, "quarters": 0.25, "thirds": 1 / 3, "tenths": 0.1}
_FREQUENCY = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d")
_ORDINAL = re.compile(r"(\d{1,3})(?:st|nd|rd|th)")
_GLUED = re.compile(r"(\d+(?:\.\d+)?)([a-z%]{1,5})")
_MARKS = frozenset("£$€¥")
_LEAST = re.compile(
    r"\b(?:at (?:the very )?least|(?:no|not) (?:less|fewer|earlier|lower|smaller|shorter) than"
    r"|(?<!no )(?<!not )(?:more|greater|larger|longer|higher|bigger|older|later|heavier) than"
    r"|(?<!not )(?:over|above|beyond|after)|exceed(?:s|ed|ing)?|minimum(?: of)?"
    r"|not (?:below|under|before))(?: the| a| an)?$"
)
_MOST = re.compile(
    r"\b(?:at (?:the very )?most|(?:no|not) (?:more|greater|later|longer|higher|larger|bigger)"
    r" than|(?<!no )(?<!not )(?:less|fewer|smaller|shorter|lower|younger|earlier|lighter) than"
    r"|(?<!not )(?:under|below|before)|within|up to|maximum(?: of)?|ceiling of|until|limited to"
    r"|not (?:above|over|beyond|after))"
    r"(?: the| a| an)?$"
)
_OR_MORE = re.compile(r"(?:or|and) (?:more|over|above|later|longer|older)|at (?:the very )?least")
_OR_LESS = re.compile(
    r"(?:or|and) (?:less|fewer|under|below|earlier|younger)|at (?:the very )?most|maximum"
)


def quantities(words: Sequence[Token]) -> list[Quantity]:
    """Return the quantities among the tokens of a sentence, in order."""
    found = list[Quantity]()
    place = 0
    while place < len(words):
        read = _read(words, place)
        if read is None:
            place += 1
            continue
        quantity, end = read
        found.append(quantity)
        place = max(end, place + 1)
    return found


def _read(words: Sequence[Token], place: int) -> tuple[Quantity, int] | None:
    """Return the quantity that begins at a place, and the place behind it."""
    word = words[place]
    if (named := _calendar(words, place)) is not None:
        dimension, value = named
        bound = _bound(words, place, place + 1)
        return Quantity(value, value, dimension, word.at, word.at, bound), place + 1
    number, end, sure = _number(words, place)
    if number is None:
        return None
    if _near_month(words, place, end):
        last = words[end - 1].at
        return Quantity(number, number, "day", word.at, last, _bound(words, place, end)), end
    if not sure and end == place + 1 and word.lower not in _FRACTIONS:  # first, 18th
        return Quantity(number, number, "ordinal", word.at, word.at, binding=number > 2), end
    dimension, factor, behind = _unit(words, place, end)
    fraction = any(each.lower in _FRACTIONS for each in words[place:end])
    if not dimension and fraction:
        dimension, factor = "percent", 100.0
    bound = _bound(words, place, behind)
    is_pronoun = word.lower in ("one", "zero", "a", "an") and not dimension
    binding = word.lower not in ("a", "an") and not is_pronoun
    if not dimension and _YEAR.fullmatch(word.lower):
        dimension = "year"
    value, last = number * factor, words[max(behind, place + 1) - 1].at
    return Quantity(value, number, dimension, word.at, last, bound, binding), behind


def _calendar(words: Sequence[Token], place: int) -> tuple[str, float] | None:
    word = words[place]
    if _is_month(word) and (word.lower not in ("may", "march") or _dated(words, place)):
        return "month", float(MONTH[word.lower])
    if word.lower in _WEEKDAYS:
        return "weekday", float(_WEEKDAYS[word.lower])
    if word.lower in ("noon", "midday", "midnight"):
        return "clock", 0.0 if word.lower == "midnight" else 720.0
    hours, colon, minutes = word.lower.partition(":")
    if (
        colon
        and hours.isdecimal()
        and len(hours) <= 2
        and minutes.isdecimal()
        and len(minutes) == 2
    ):
        late = words[place + 1].lower in ("pm", "p") if place + 1 < len(words) else False
        return "clock", float((int(hours) + 12 * (late and int(hours) < 12)) * 60 + int(minutes))
    return None


def _dated(words: Sequence[Token], place: int) -> bool:
    """Return whether "May" or "March" stands where a month does."""
    before = words[place - 1].lower if place else ""
    after = words[place + 1].lower if place + 1 < len(words) else ""
    return before in ("in", "of", "since", "until", "by", "from", "to", "and") or (
        before[:1].isdigit() or after[:1].isdigit()
    )


def _near_month(words: Sequence[Token], place: int, end: int) -> bool:
    """Return whether a number is the day of a date: 5 May, May 5, the first of May."""
    if words[place].lower[:1].isdigit() and len(words[place].lower) > 4:
        return False
    number, _, _ = _number(words, place)
    if number is None or not 1 <= number <= 31 or number != int(number):
        return False
    after = end + 1 if end < len(words) and words[end].lower == "of" else end
    if after < len(words) and _is_month(words[after]):
        return True
    return place > 0 and _is_month(words[place - 1]) and words[place].lower[:1].isdigit()


def _is_month(word: Token) -> bool:
    return word.lower in MONTH and word.text[0].isupper()


def _number(words: Sequence[Token], place: int) -> tuple[float | None, int, bool]:
    """Return the number that begins at a place, the place behind it, and if it is a cardinal."""
    word = words[place].lower
    if word[0].isdigit():
        return _in_digits(words, place)
    if word in _FREQUENCY:
        return _FREQUENCY[word], place + 1, True
    if word in ("a", "an") and place + 1 < len(words):
        following = words[place + 1].lower
        if following in _FRACTIONS or (following in ORDINAL_WORDS and ORDINAL_WORDS[following] > 2):
            share = _FRACTIONS.get(following) or 1 / ORDINAL_WORDS[following]
            behind = words[place + 2].lower if place + 2 < len(words) else ""
            if following in _FRACTIONS or behind == "of":
                return share, place + 2, True
        return (1.0, place + 1, True) if following in _UNITS else (None, place, False)
    if word in _FRACTIONS and not (place + 1 < len(words) and words[place + 1].lower == "past"):
        return _FRACTIONS[word], place + 1, True
    if word in ORDINAL_WORDS:
        return float(ORDINAL_WORDS[word]), place + 1, False
    return _in_words(words, place)


def _in_digits(words: Sequence[Token], place: int) -> tuple[float | None, int, bool]:
    word = words[place].lower
    if ordinal := _ORDINAL.fullmatch(word):
        return float(ordinal[1]), place + 1, False
    if glued := _GLUED.fullmatch(word):
        known = glued[2] in _UNITS or glued[2] in _SHORT_UNITS
        return (float(glued[1]), place, True) if known else (None, place, False)
    plain = re.sub(r",(?=\d{3}(?:\D|$))", "", word)
    plain = plain.replace(",", ".") if plain.count(",") == 1 and "." not in plain else plain
    if len(plain) > 18 or not re.fullmatch(r"\d+(?:\.\d+)?", plain):
        return None, place, False
    value, end = float(plain), place + 1
    if end < len(words) and words[end].lower in ("quarters", "thirds", "tenths"):
        return value * _FRACTIONS[words[end].lower], end + 1, True
    if end < len(words) and words[end].lower in SCALE_WORDS:
        return value * SCALE_WORDS[words[end].lower], end + 1, True
    return value, end, True


def _in_words(words: Sequence[Token], place: int) -> tuple[float | None, int, bool]:
    total, part, end = 0.0, 0.0, place
    while end < len(words) and end < place + 12:
        word = words[end].lower
        if word in UNIT_WORDS or word in TEN_WORDS:
            if end > place and part % 10 and word in UNIT_WORDS:
                break
            part += UNIT_WORDS.get(word, 0) + TEN_WORDS.get(word, 0)
        elif word in SCALE_WORDS and (end > place or word == "dozen"):
            scale = SCALE_WORDS[word]
            part = max(part, 1.0) * scale
            if scale > 100:
                total, part = total + part, 0.0
        elif word == "-" and end > place and end + 1 < len(words):
            if words[end + 1].lower not in UNIT_WORDS:
                break
        else:
            break
        end += 1
    if end > place and end < len(words) and words[end].lower in ("quarters", "thirds", "tenths"):
        return (total + part) * _FRACTIONS[words[end].lower], end + 1, True
    return (total + part, end, True) if end > place else (None, place, False)


def _unit(words: Sequence[Token], place: int, end: int) -> tuple[str, float, int]:
    """Return the dimension, its factor and the place behind the unit of a number."""
    if glued := _GLUED.fullmatch(words[place].lower):
        found = _UNITS.get(glued[2]) or _SHORT_UNITS.get(glued[2])
        if found:
            return *(_MILLIWATT if words[place].text.endswith("mW") else found), place + 1
    if place and words[place - 1].lower in _MARKS:
        return *_UNITS[words[place - 1].lower], end
    after = end
    while after < len(words) and after < end + 3 and words[after].lower in _BEFORE_UNITS:
        after += 1
    if after < len(words):
        word = words[after].lower
        if words[after].text == "mW":
            return *_MILLIWATT, after + 1
        if word in _UNITS:
            return *_UNITS[word], after + 1
        if word == "per" and after + 1 < len(words) and words[after + 1].lower == "cent":
            return "percent", 1.0, after + 2
        if word in _SHORT_UNITS and words[place].lower[0].isdigit() and after == end:
            return *_SHORT_UNITS[word], after + 1
    return "", 1.0, end


_BEFORE_UNITS = frozenset(
    re.findall(r"\S+", "- a an of working calendar full further extra equal whole more")
)


def _bound(words: Sequence[Token], place: int, behind: int) -> Bound:
    before = " ".join(each.lower for each in words[max(0, place - 5) : place])
    after = " ".join(each.lower for each in words[behind : behind + 4])
    negated = words[place].negated
    if found := _MOST.search(before):
        bound = Bound.MOST
    elif found := _LEAST.search(before):
        bound = Bound.LEAST
    elif _OR_MORE.match(after):
        return Bound.LEAST
    elif _OR_LESS.match(after):
        return Bound.MOST
    else:
        return Bound.NONE
    if negated and not found[0].startswith("no"):  # "cannot be above 5"; not "no more than 5"
        return Bound.LEAST if bound is Bound.MOST else Bound.MOST
    return bound


def _close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-15)


def computed(value: float, given: Sequence[float]) -> bool:
    """Return whether a value is the sum, difference, product or ratio of two given values."""
    return any(
        _close(value, result)
        for first, one in enumerate(given)
        for other in given[first + 1 :]
        for result in _results(one, other)
    )


def _results(one: float, other: float) -> Iterator[float]:
    yield one + other
    yield abs(one - other)
    yield one * other
    if one and other:
        large, small = max(one, other), min(one, other)
        yield large / small
        yield 100 * small / large
        yield 100 * (large - small) / large

"""Figures in text, in one form: 2,340 and 2340, two million and 2.3m, 5 May 2020 and 2020-05-05."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from upheld._internal.cache import kept
from upheld.text.number_words import number_words
from upheld.text.patterns import matches, normalized

_MONTHS = "january february march april may june july august september october november december"
MONTH = {name: place for place, name in enumerate(_MONTHS.split(), start=1)}
MONTH |= {name[:3]: place for name, place in MONTH.items()} | {"sept": 9}
_SCALES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
# A letter after a number may be a scale or a unit (5m): both readings stand.
_LETTERS = {"k": 3, "m": 6, "mn": 6, "mio": 6, "bn": 9, "b": 9, "tn": 12}

_RAISED = re.compile("[²³¹⁰-⁹]")  # NFKC would make 10² into 102
_ISO = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_SLASHED = re.compile(r"(?<![\d/.])(\d{1,2})([/.])(\d{1,2})\2(\d{4}|\d{2})(?![\d/]|\.\d)")
_SPAN = re.compile(r"(?<![\d-])(\d{2})(\d{2})\s?[-–/]\s?(\d{2})(?![\d-])")  # 1914-18
_CLOCK = re.compile(r"(?<![\d:])(\d{1,2}):(\d{2})(?!\d)")
_DECADE = re.compile(r"(?<![\d-])(\d{2}|)(\d)0['’]?s\b")  # 1990s, the 90s
_MONTH_NAME = re.compile(rf"\b({'|'.join(sorted(MONTH, key=len, reverse=True))})\b\.?", re.I)
_NUMBER = re.compile(
    r"(?<![^\W_])(?<!\d[.,])(\d{1,3}(?:[ ,]\d{3})+(?:\.\d+)?(?![\d])|\d+(?:[.,]\d+)*)"
    r"(?:\s?(hundred|thousand|million|billion|trillion|mio|mn|bn|tn|[kKmMbB])\b)?"
    r"(\s?[pP]\.?[mM]\b)?"
)
_DATED = re.compile(r"\d|\b(?:in|of|since|until|till|by|during|early|late|mid|last|next)\W*$", re.I)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number, year or month as it stands in a text, and the values it can be read as."""

    text: str
    readings: frozenset[str]


@kept(4096)
def figures(text: str) -> tuple[Figure, ...]:
    """The figures that a claim gives: each must stand where the claim is said to come from.

    "one", "zero", "first" and their like are left out: they are pronouns and turns of phrase as
    often as figures.
    """
    return tuple(figure for figure, binding in _read(_plain(text)) if binding)


@kept(4096)  # every claim asks the same premises
def values(text: str) -> frozenset[str]:
    """Every value that a premise can be said to give."""
    found: set[str] = set()
    for figure, _ in _read(_plain(text)):
        found |= figure.readings
        if re.fullmatch(
            r"[\d.]+ .*", figure.text
        ):  # "12 345" may be two; "2.3 million" is also 2.3
            found.update(_value(piece) for piece in re.findall(r"\d+(?:\.\d+)?", figure.text))
    return frozenset(found)


def absent(claim: str, given: frozenset[str]) -> tuple[str, ...]:
    """Figures of the claim that are not among the values given."""
    return tuple(each.text for each in figures(claim) if not each.readings & given)


def _plain(text: str) -> str:
    return normalized("NFKC", _RAISED.sub(" ", text))


def _read(text: str) -> Iterator[tuple[Figure, bool]]:
    """Figures, and whether a claim is bound by them; dates first, then what is left."""
    left = text
    for rule, parts in _DATES:
        for match in rule.finditer(left):
            yield from ((figure, True) for figure in parts(match))
        left = rule.sub(lambda match: " " * len(match[0]), left)
    for match in matches(_MONTH_NAME, left):
        name = match[1]
        if name[0].isupper() and (len(name) > 3 or name.lower() == "may" or _near(left, match)):
            month = f"month:{MONTH[name.lower()]}"
            # "May" and "March" are months only beside a number or after "in".
            sure = name.lower() not in ("may", "march") or _near(left, match)
            yield Figure(name, frozenset({month})), sure
    for match in matches(_NUMBER, left):
        yield _number(match), True
    for run, value, binding in number_words(left):
        yield Figure(run, frozenset({_value(value)})), binding


def _near(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - 8) : match.start()]
    after = text[match.end() : match.end() + 6]
    return bool(_DATED.search(before) or re.match(r"\W*\d", after))


def _iso(match: re.Match[str]) -> Iterator[Figure]:
    year, month, day = match.groups()
    yield Figure(match[0], frozenset({_value(year)}))
    yield Figure(match[0], frozenset({f"month:{int(month)}"}))
    yield Figure(match[0], frozenset({_value(day)}))


def _slashed(match: re.Match[str]) -> Iterator[Figure]:
    """Day and month in either order; a year of two digits is this century's or the last's."""
    one, _, other, year = match.groups()
    for part in (one, other):
        yield Figure(match[0], frozenset({_value(part), f"month:{int(part)}"}))
    full = {year} if len(year) == 4 else {year, f"19{year}", f"20{year}"}
    yield Figure(match[0], frozenset(map(_value, full)))


def _span(match: re.Match[str]) -> Iterator[Figure]:
    century, start, end = match.groups()
    yield Figure(century + start, frozenset({_value(century + start)}))
    readings = {_value(end), _value(century + end), f"month:{int(end)}"}
    yield Figure(match[0], frozenset(readings))


def _clock(match: re.Match[str]) -> Iterator[Figure]:
    yield Figure(match[0], frozenset({_value(match[1])}))
    if match[2] != "00":
        yield Figure(match[0], frozenset({_value(match[2])}))


def _decade(match: re.Match[str]) -> Iterator[Figure]:
    """Any year of it; a decade without its century is of the last or of this one."""
    tens = [f"{century}{match[2]}" for century in ([match[1]] if match[1] else ["19", "20"])]
    years = {f"{ten}{year}" for ten in tens for year in range(10)}
    yield Figure(match[0], frozenset({*years, f"{match[2]}0"} if not match[1] else years))


_DATES = (
    (_ISO, _iso),
    (_SLASHED, _slashed),
    (_SPAN, _span),
    (_CLOCK, _clock),
    (_DECADE, _decade),
)


def _number(match: re.Match[str]) -> Figure:
    digits, scale, afternoon = match.groups()
    value = _value(digits)
    readings = {value}
    if scale and scale.lower() in _SCALES:
        readings = {_scaled(value, _SCALES[scale.lower()])}
    elif scale:
        readings.add(_scaled(value, _LETTERS[scale.lower()]))
    if afternoon and value.isdigit() and len(value) <= 2 and int(value) < 12:
        readings.add(str(int(value) + 12))
    return Figure(match[0].strip(), frozenset(readings))


def _value(digits: str | int) -> str:
    """A number in its one form; what is no single number (3.11.2) stays as it is written."""
    plain = str(digits)
    if re.fullmatch(r"\d{1,3}(?:[ ,]\d{3})+(?:\.\d+)?", plain):
        plain = re.sub("[ ,]", "", plain)
    elif re.fullmatch(r"\d+,\d+", plain):
        plain = plain.replace(",", ".")
    if not re.fullmatch(r"\d+(?:\.\d+)?", plain):
        return plain
    whole, _, rest = plain.partition(".")
    rest = rest.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{rest}" if rest else "")


def _scaled(value: str, zeros: int) -> str:
    if not re.fullmatch(r"\d{1,20}(?:\.\d{1,20})?", value):
        return value
    return _value(f"{Decimal(value).scaleb(zeros):f}")

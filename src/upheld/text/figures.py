"""Find numbers and dates in text and normalise them, so that 2,340 equals 2340.

Also "two million" and 2m, 5 May 2020 and 2020-05-05, and numbers in words: "two", "twenty-one",
"three hundred and five thousand", "a dozen".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from upheld._internal.cache import cached_in_run
from upheld.text.patterns import matches, normalized, replaced, search

_WORD = re.compile(r"[^\W\d_]+")
# "nine hundred and ninety-nine trillion …" down to units has 30 words. A longer run is not one
# number (its value could have thousands of digits), so it is split into several.
_LONGEST_NUMBER = 40  # words
_LOOSE = frozenset({"one", "zero"})
UNIT_WORDS = {
    word: value
    for value, word in enumerate(
        _WORD.findall(
            """zero one two three four five six seven eight nine ten eleven twelve thirteen
            fourteen fifteen sixteen seventeen eighteen nineteen"""
        )
    )
}
TEN_WORDS = {
    word: 10 * value
    for value, word in enumerate(
        _WORD.findall("twenty thirty forty fifty sixty seventy eighty ninety"), start=2
    )
}
SCALE_WORDS = {
    "dozen": 12,
    "hundred": 100,
    "thousand": 1_000,
    "million": 1_000_000,
    "billion": 1_000_000_000,
    "trillion": 1_000_000_000_000,
}
ORDINAL_WORDS = {
    word: value
    for value, word in enumerate(
        _WORD.findall(
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
        ),
        start=1,
    )
}


def number_words(text: str) -> Iterator[tuple[str, int, bool]]:
    """Yield each number in words: its text, its value, and whether it is certainly a figure.

    >>> list(number_words("two hundred and five of the first dozen"))
    [('two hundred and five', 205, True), ('first', 1, False), ('dozen', 12, True)]
    """
    run: list[re.Match[str]] = []
    for word in _WORD.finditer(text):
        if run and len(run) < _LONGEST_NUMBER and _continues(text, run, word):
            run.append(word)
            continue
        yield from _told(text, run)
        run = []
        lower = word[0].lower()
        if lower in ORDINAL_WORDS:
            yield word[0], ORDINAL_WORDS[lower], False
        elif _is_number(lower) and not _digits_before(text, word):
            run = [word]
    yield from _told(text, run)


def _is_number(word: str) -> bool:
    return word in UNIT_WORDS or word in TEN_WORDS or word in SCALE_WORDS


def _digits_before(text: str, word: re.Match[str]) -> bool:
    """Whether digits stand before a scale word, as in "2.3 million"; `_NUMBER` reads these."""
    before = text[max(0, word.start() - 3) : word.start()]
    return word[0].lower() in SCALE_WORDS and bool(re.search(r"\d\s?$", before))


def _continues(text: str, run: list[re.Match[str]], word: re.Match[str]) -> bool:
    last, this = run[-1][0].lower(), word[0].lower()
    between = text[run[-1].end() : word.start()]
    if between.strip() not in ("", "-", "‐", "‑"):
        return False
    if last == "and":
        return this in UNIT_WORDS or this in TEN_WORDS
    if this == "and":
        following = _WORD.match(text, word.end() + 1)
        number = following is not None and following[0].lower() in (UNIT_WORDS | TEN_WORDS)
        return last in SCALE_WORDS and last != "dozen" and number
    if this in SCALE_WORDS:
        return True
    if this in TEN_WORDS:
        return last in SCALE_WORDS
    if this in UNIT_WORDS:
        return last in SCALE_WORDS or (last in TEN_WORDS and 0 < UNIT_WORDS[this] < 10)
    return False


def _told(text: str, run: list[re.Match[str]]) -> Iterator[tuple[str, int, bool]]:
    if not run:
        return
    total = part = 0
    for word in run:
        lower = word[0].lower()
        if lower in SCALE_WORDS:
            scale = SCALE_WORDS[lower]
            if scale > 100:  # thousand and larger multiply the whole group before them
                total, part = total + max(part, 1) * scale, 0
            else:
                part = max(part, 1) * scale
        elif lower != "and":
            part += UNIT_WORDS.get(lower, 0) + TEN_WORDS.get(lower, 0)
    words = text[run[0].start() : run[-1].end()]
    yield words, total + part, words.lower() not in _LOOSE


_MONTHS = "january february march april may june july august september october november december"
MONTH = {name: place for place, name in enumerate(_MONTHS.split(), start=1)}
MONTH |= {name[:3]: place for name, place in MONTH.items()} | {"sept": 9}
_SCALES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
# A letter after a number may be a scale or a unit (5m): both values are accepted.
_LETTERS = {"k": 3, "m": 6, "mn": 6, "mio": 6, "bn": 9, "b": 9, "tn": 12}

_RAISED = re.compile("[²³¹⁰-⁹]")  # NFKC would make 10² into 102
_DIGIT = re.compile(r"\d")  # without one, no pattern of dates or numbers needs to look
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
    """A number, year or month: its text, and the values that it can be read as."""

    text: str
    readings: frozenset[str]


@cached_in_run(4096)
def figures(text: str) -> tuple[Figure, ...]:
    """Return the figures of a claim, each of which its source must contain.

    "one", "zero", "first" and the like are left out, because they are often not figures but
    pronouns or parts of idioms.
    """
    return tuple(figure for figure, binding in _read(_plain(text)) if binding)


@cached_in_run(4096)  # every claim is compared with the same premises
def values(text: str) -> frozenset[str]:
    """Return all values that the figures of a premise can be read as."""
    found: set[str] = set()
    for figure, _ in _read(_plain(text)):
        found |= figure.readings
        if re.fullmatch(
            r"[\d.]+ .*", figure.text
        ):  # "12 345" may be two; "2.3 million" is also 2.3
            found.update(_value(piece) for piece in re.findall(r"\d+(?:\.\d+)?", figure.text))
    return frozenset(found)


def absent(claim: str, given: frozenset[str]) -> tuple[str, ...]:
    """Return the figures of the claim, as text, that have no value in `given`."""
    return tuple(each.text for each in figures(claim) if not each.readings & given)


def _plain(text: str) -> str:
    return normalized("NFKC", replaced(_RAISED, text, lambda _: " "))


def _read(text: str) -> Iterator[tuple[Figure, bool]]:
    """Yield figures, and whether a claim's source must contain them; dates are read first."""
    left = text
    digits = search(_DIGIT, text) is not None
    for rule, parts in _DATES if digits else ():
        dates = list(matches(rule, left))
        yield from ((figure, True) for date in dates for figure in parts(date))
        left = _blanked(left, dates)
    for match in matches(_MONTH_NAME, left):
        name = match[1]
        if name[0].isupper() and (len(name) > 3 or name.lower() == "may" or _near(left, match)):
            month = f"month:{MONTH[name.lower()]}"
            # "May" and "March" are months only beside a number or after "in".
            sure = name.lower() not in ("may", "march") or _near(left, match)
            yield Figure(name, frozenset({month})), sure
    for match in matches(_NUMBER, left) if digits else ():
        yield _number(match), True
    for run, value, binding in number_words(left):
        yield Figure(run, frozenset({_value(value)})), binding


def _blanked(text: str, found: Sequence[re.Match[str]]) -> str:
    """The text with spaces in place of what was found, so that every offset stays."""
    parts: list[str] = []
    start = 0
    for match in found:
        parts += (text[start : match.start()], " " * len(match[0]))
        start = match.end()
    return "".join([*parts, text[start:]]) if found else text


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
    """Read day and month in either order, and a year of two digits as 19xx or 20xx."""
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
    """Read a decade as any of its years; without a century, as of the 1900s or the 2000s."""
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
    """Normalise a number; text that is not a single number (3.11.2) is returned unchanged."""
    plain = str(digits)
    if plain.isdecimal():
        return plain.lstrip("0") or "0"
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

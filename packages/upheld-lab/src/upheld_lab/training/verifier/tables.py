"""Twins from tables: a cell's value and another's, larger and smaller, sums and differences.

A row of the corpus reads "Year: 1970; Time: 12.93; Athlete: Chi Cheng", as our readers write
table rows: a value with the name of its column.
"""

# ruff: noqa: E501  (one entry of a list, or one form, is one line)

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from upheld_lab.bench.verify.labels import Label

Row = Mapping[str, str]
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d")

_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
CELL = (
    "The {column} for {key} is {value}.",
    "For {key}, the {column} is {value}.",
    "{value} is given as the {column} of {key}.",
    "{key} has {value} under {column}.",
    "In the row of {key} the {column} reads {value}.",
    "{key}: {column} {value}.",
    "The table gives {value} as {column} for {key}.",
)
LISTED = (
    "{key} is one of the entries with {value} as {column}.",
    "Among the entries whose {column} is {value} is {key}.",
    "{key} belongs to those with {column} {value}.",
)
MOST = (
    "{key} has the highest {column} of the rows shown.",
    "The highest {column} here is that of {key}.",
)
FEWEST = (
    "{key} has the lowest {column} of the rows shown.",
    "The lowest {column} here is that of {key}.",
)
BOUND = {
    "at least": ("Every {column} in the rows is at least {value}.", "No {column} here is below {value}."),
    "at most": ("Every {column} in the rows is at most {value}.", "No {column} here is above {value}."),
}  # fmt: skip
EARLIER = (
    "The {column} of {one} is earlier than that of {two}.",
    "By {column}, {one} comes before {two}.",
)
MORE = (
    "The {column} of {one} is higher than that of {two}.",
    "{one} has a larger {column} than {two}.",
)
LESS = (
    "The {column} of {one} is lower than that of {two}.",
    "{one} has a smaller {column} than {two}.",
)
DIFFERENCE = (
    "The {column} of {one} and that of {two} differ by {value}.",
    "Between {one} and {two} the {column} differs by {value}.",
)
SUM = ("Together {one} and {two} have a {column} of {value}.",)


WAS_EARLIER = ("{one} was {column} earlier than {two}.", "{two} was {column} after {one}.")
_DATED = re.compile(r"\b(?:year|date|season)\b", re.I)
_DONE = re.compile(r"(?:[A-Z][a-z]*ed|Built|Won|Born|Sold)")


@dataclass(frozen=True, slots=True)
class TableTwin:
    """Two claims about the same rows."""

    kind: str
    rows: str
    true: str
    false: str
    label: Label = Label.CONTRADICTS


def parse(text: str) -> list[Row]:
    """The rows of a passage; lines that are no rows are left out."""
    found = list[Row]()
    for line in text.split("\n"):
        cells = [cell.partition(": ") for cell in line.split("; ")]
        if len(cells) >= 2 and all(name and sign and value for name, sign, value in cells):
            found.append({name.strip(): value.strip() for name, _, value in cells})
    return found


def twins(text: str, dice: random.Random) -> Iterator[TableTwin]:
    """At most one twin of each kind from a table of two rows or more with a column that names."""
    rows = parse(text)
    key = _key_column(rows)
    if key is None:
        return
    shown = _some(rows, dice)
    told = "\n".join("; ".join(f"{name}: {value}" for name, value in row.items()) for row in shown)
    for make in (_cell, _comparison, _difference, _listed, _highest, _bounded, _earlier):
        if (twin := make(shown, key, told, dice)) is not None:
            yield twin


def _cell(rows: Sequence[Row], key: str, told: str, dice: random.Random) -> TableTwin | None:
    row = dice.choice(rows)
    columns = [name for name in row if name != key and len(row[name]) < 60]
    if not columns:
        return None
    column = dice.choice(columns)
    others = {each.get(column, "") for each in rows} - {row[column], ""}
    if not others or dice.random() < 0.2:
        others = {row[name] for name in columns if row[name] != row[column]}
    if not others:
        return None
    form = dice.choice(CELL)
    right, wrong = (
        form.format(key=row[key], column=lower(column), value=value)
        for value in (row[column], dice.choice(sorted(others)))
    )
    return TableTwin("table_cell", told, _capital(right), _capital(wrong))


def _comparison(rows: Sequence[Row], key: str, told: str, dice: random.Random) -> TableTwin | None:
    found = _two_numbers(rows, key, dice)
    if found is None:
        return None
    column, (one, high), (two, low) = found
    if high < low:
        one, two = two, one
    form = dice.choice((MORE, LESS))
    words = dice.choice(form)
    first, second = (one, two) if form is MORE else (two, one)
    right = words.format(column=lower(column), one=first, two=second)
    wrong = words.format(column=lower(column), one=second, two=first)
    return TableTwin("comparison", told, _capital(right), _capital(wrong))


def _difference(rows: Sequence[Row], key: str, told: str, dice: random.Random) -> TableTwin | None:
    found = _two_numbers(rows, key, dice)
    if found is None:
        return None
    column, (one, first), (two, second) = found
    add = dice.random() < 0.3
    value = first + second if add else abs(first - second)
    if value != int(value) or value < 1:
        return None
    tenth = max(1, int(value / 10))
    wrong = int(value) + dice.choice(
        [step for step in (-3 * tenth, -tenth, -1, 1, 2, tenth, 2 * tenth) if value + step > 0]
    )
    words = dice.choice(SUM if add else DIFFERENCE)
    right_claim, wrong_claim = (
        words.format(column=lower(column), one=one, two=two, value=f"{each:,}")
        for each in (int(value), wrong)
    )
    return TableTwin("arithmetic", told, _capital(right_claim), _capital(wrong_claim))


def _listed(rows: Sequence[Row], key: str, told: str, dice: random.Random) -> TableTwin | None:
    """A row with a value that several rows have, and one with another."""
    shared = [
        (column, value)
        for column in rows[0]
        if column != key
        for value, times in Counter(row.get(column, "") for row in rows).items()
        if value and times >= 2 and times < len(rows) and len(value) < 40
    ]
    if not shared:
        return None
    column, value = dice.choice(shared)
    inside = [row[key] for row in rows if row.get(column) == value]
    # "Drama, romance" is drama too.
    outside = [row[key] for row in rows if value not in row.get(column, value)]
    if not outside:
        return None
    form = dice.choice(LISTED)
    right, wrong = (
        form.format(key=dice.choice(names), column=lower(column), value=value)
        for names in (inside, outside)
    )
    return TableTwin("list_membership", told, _capital(right), _capital(wrong))


def _highest(rows: Sequence[Row], key: str, told: str, dice: random.Random) -> TableTwin | None:
    found = _numbers(rows, key, dice)
    if found is None:
        return None
    column, values = found
    ranked = sorted(values, key=lambda value: value[1])
    forms, best = dice.choice(((MOST, ranked[-1]), (FEWEST, ranked[0])))
    others = [name for name, value in values if value != best[1]]
    if len(others) != len(values) - 1:
        return None
    form = dice.choice(forms)
    right, wrong = (
        form.format(key=name, column=lower(column)) for name in (best[0], dice.choice(others))
    )
    return TableTwin("comparison", told, _capital(right), _capital(wrong))


def _bounded(rows: Sequence[Row], key: str, told: str, dice: random.Random) -> TableTwin | None:
    """What all values of a column keep to, and what one of them does not."""
    found = _numbers(rows, key, dice)
    if found is None:
        return None
    column, values = found
    low, high = min(value for _, value in values), max(value for _, value in values)
    if high - low < 2 or low != int(low) or high != int(high):
        return None
    bound = dice.choice(sorted(BOUND))
    inside = low if bound == "at least" else high
    outside = dice.randint(int(low) + 1, int(high) - 1)
    form = dice.choice(BOUND[bound])
    right, wrong = (
        form.format(column=lower(column), value=f"{int(value):,}") for value in (inside, outside)
    )
    return TableTwin("bounds", told, _capital(right), _capital(wrong))


def _earlier(rows: Sequence[Row], key: str, told: str, dice: random.Random) -> TableTwin | None:
    """Which of two years came first."""
    columns = [
        name
        for name in rows[0]
        if name != key and sum(bool(_YEAR.fullmatch(row.get(name, ""))) for row in rows) >= 2
    ]
    if not columns:
        return None
    column = dice.choice(columns)
    having = [(row[column], row[key]) for row in rows if _YEAR.fullmatch(row.get(column, ""))]
    (first, one), (second, two) = sorted(dice.sample(having, 2))
    if first == second:
        return None
    if not _DATED.search(column) and not _DONE.fullmatch(column):
        return None  # "by eagle scout" is no sentence
    form = dice.choice(EARLIER if _DATED.search(column) else WAS_EARLIER)
    right, wrong = (
        form.format(column=lower(column), one=a, two=b) for a, b in ((one, two), (two, one))
    )
    return TableTwin("order", told, _capital(right), _capital(wrong))


def _two_numbers(
    rows: Sequence[Row], key: str, dice: random.Random
) -> tuple[str, tuple[str, float], tuple[str, float]] | None:
    """Two rows with different plain numbers in one column that is no year and no rank."""
    found = _numbers(rows, key, dice)
    if found is None:
        return None
    column, having = found
    one, two = dice.sample(having, 2)
    return (column, one, two) if one[1] != two[1] else None


def _numbers(
    rows: Sequence[Row], key: str, dice: random.Random
) -> tuple[str, list[tuple[str, float]]] | None:
    """A column of plain numbers, by the rows' names."""
    columns = [
        name
        for name in rows[0]
        if name != key
        and not re.search(
            r"year|date|rank|no\.?$|pos|number$|opened|built|season|#|district|type|code|level|ref|rou?nd|eliminat|'s$|key|class|seed|week|lane|heat|pick|elected|limited|first|last|est",
            name,
            re.I,
        )
        and all(_plain(row.get(name, "")) is not None for row in rows)
        and not all(_YEAR.fullmatch(row[name]) for row in rows)
    ]
    if not columns:
        return None
    column = dice.choice(columns)
    return column, [(row[key], _plain(row[column]) or 0.0) for row in rows]


def lower(column: str) -> str:
    """The name of a column inside a sentence: without capitals, but for abbreviations."""
    words = [word if word[1:] != word[1:].lower() else word.lower() for word in column.split()]
    return " ".join(words).replace("( ", "(").replace(" )", ")")


def _plain(value: str) -> float | None:
    return float(value.replace(",", "")) if _NUMBER.fullmatch(value) else None


def _key_column(rows: Sequence[Row]) -> str | None:
    """The first column whose values are words and name each row alone."""
    if len(rows) < 2:
        return None
    for name in rows[0]:
        values = Counter(row.get(name, "") for row in rows)
        wordy = sum(any(sign.isalpha() for sign in value) for value in values)
        if "" not in values and max(values.values()) == 1 and wordy == len(values):
            return name
    return None


def _some(rows: Sequence[Row], dice: random.Random) -> list[Row]:
    """Neighbouring rows that fit a premise."""
    size = dice.randint(2, min(6, len(rows)))
    first = dice.randint(0, len(rows) - size)
    return list(rows[first : first + size])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

"""Minimal pairs on made-up policies, manuals, minutes, specifications and tables.

Passages of Wikipedia are not what users ask about. Here a grammar of our own writes short
documents in plain office prose: one thing that is told, sentences around it that mislead, a claim
that follows in other words and one that does not.
"""

# ruff: noqa: E501  (one entry of a list, or one form, is one line)

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from upheld_lab.bench.verify.labels import Label
from upheld_lab.training.verifier import business_makers as makers
from upheld_lab.training.verifier import business_rules as rules
from upheld_lab.training.verifier import business_words as words
from upheld_lab.training.verifier.business_makers import Draw, Made, up
from upheld_lab.training.verifier.minimal_pairs import Twin
from upheld_lab.training.verifier.pairs import marked, premise

Maker = Callable[[Draw], Made]
SOURCE = "business"


def business_pairs(count: int, seed: int) -> Iterator[Twin]:
    """So many twins, each kind as often as the others; kinds that prose lacks more often."""
    dice = random.Random(seed)  # noqa: S311  (training data, no secret)
    for number in range(count):
        yield _KINDS[number % len(_KINDS)](Draw(dice), f"{SOURCE}:{number}")


def _single(make: Maker) -> Callable[[Draw, str], Twin]:
    def twin(d: Draw, document: str) -> Twin:
        made = make(d)
        told = _document(d, [made])
        return Twin(made.kind, told, made.true, told, made.false, made.label, document)

    return twin


def _joined_sentences(d: Draw, document: str) -> Twin:
    """A claim of two parts from one document, one of them wrong."""
    one, two = d.any(*_PLAIN)(d), d.any(*_PLAIN)(d)
    told = _document(d, [one, two])
    true, false = _joined(d, one, two)
    return Twin("joined_sentences", told, true, told, false, Label.NOT_ENTAILED, document)


def _joined_sources(d: Draw, document: str) -> Twin:
    """A claim of two parts from two documents; or a change from one to the other."""
    if d.dice.random() < 0.5:
        return _change(d, document)
    one, two = d.any(*_PLAIN)(d), d.any(*_PLAIN)(d)
    told = marked([_document(d, [one], 1), _document(d, [two], 1)])
    true, false = _joined(d, one, two)
    return Twin("joined_sources", told, true, told, false, Label.NOT_ENTAILED, document)


def _change(d: Draw, document: str) -> Twin:
    org, (_, what) = d.one(words.ORGS), d.one(words.COLUMNS)
    row, (early, late) = d.one(words.ROWS), d.dice.sample(range(12, 960), 2)
    first = d.dice.randint(2012, 2023)
    years = (first, first + d.dice.randint(1, 4))
    texts = [
        premise(
            f"{org}, report for {year}",
            _shuffled(d, [f"At {row} the {what} was {value}.", *_fillers(d, 2)]),
        )
        for year, value in zip(years, (early, late), strict=True)
    ]
    told = marked(texts if d.dice.random() < 0.5 else texts[::-1])
    wrong = d.any((late, early), (early, late + d.any(-7, -2, 3, 10)))
    form = d.any(
        "From {a} to {b} the {w} at {r} went from {x} to {y}.",
        "At {r} the {w} was {x} in {a} and {y} in {b}.",
    )
    true, false = (
        form.format(a=years[0], b=years[1], w=what, r=row, x=x, y=y)
        for x, y in ((early, late), wrong)
    )
    if d.dice.random() < 0.4:
        forms = (
            "The {w} at {r} grew by {n} between {a} and {b}.",
            "The {w} at {r} shrank by {n} between {a} and {b}.",
        )
        right, other = forms if late > early else forms[::-1]
        gap = abs(late - early)
        true = right.format(w=what, r=row, n=gap, a=years[0], b=years[1])
        slip = gap + d.any(1, 2, 5, 10)
        false = d.any(other.format(w=what, r=row, n=gap, a=years[0], b=years[1]), right.format(w=what, r=row, n=slip, a=years[0], b=years[1]))  # fmt: skip
    return Twin("joined_sources", told, true, told, false, Label.CONTRADICTS, document)


def _table(d: Draw, document: str) -> Twin:
    """A cell, a sum, a comparison, a bound or a row's membership in a small table."""
    size = d.dice.randint(3, 5)
    names = [d.one(words.ROWS) for _ in range(size)]
    columns = [d.one(words.COLUMNS) for _ in range(d.dice.randint(2, 3))]
    cells = {
        (row, column): value
        for column, _ in columns
        for row, value in zip(names, d.dice.sample(range(2, 400), size), strict=True)
    }
    head = d.any("Name", "Item", "Entry")
    if d.dice.random() < 0.7:
        lines = ["; ".join([f"{head}: {row}", *(f"{c}: {cells[row, c]}" for c, _ in columns)]) for row in names]  # fmt: skip
    else:
        lines = [f"| {head} | {' | '.join(c for c, _ in columns)} |"]
        lines += [f"| {row} | {' | '.join(str(cells[row, c]) for c, _ in columns)} |" for row in names]  # fmt: skip
    before = _fillers(d, d.dice.randint(0, 2))
    told = premise(_title(d), "\n".join([*before, *lines]))
    one, two = d.dice.sample(names, 2)
    (column, said), (other, _) = d.dice.sample(columns, 2)
    kind, true, false = d.any(_cell, _cell, _total, _more, _limit)(
        d, cells, names, (one, two), (column, other), said
    )
    return Twin(kind, told, true, told, false, Label.CONTRADICTS, document)


Cells = dict[tuple[str, str], int]
Told = tuple[str, str, str]


def _cell(d: Draw, cells: Cells, names: list[str], rows: tuple[str, str], columns: tuple[str, str], said: str) -> Told:  # fmt: skip
    right = cells[rows[0], columns[0]]
    wrong = d.any(cells[rows[1], columns[0]], cells[rows[0], columns[1]])
    wrong = wrong if wrong != right else right + 1
    form = d.any(
        "{r} has a {c} of {v}.", "The {c} of {r} is {v}.", "With {r} the {c} comes to {v}."
    )
    true, false = (form.format(r=rows[0], c=said, v=value) for value in (right, wrong))
    return "table_cell", true, false


def _total(d: Draw, cells: Cells, names: list[str], rows: tuple[str, str], columns: tuple[str, str], said: str) -> Told:  # fmt: skip
    one, two = (cells[row, columns[0]] for row in rows)
    adds = d.dice.random() < 0.5
    right = one + two if adds else abs(one - two)
    wrong = right + d.any(-1, 1, 2, 10, 20) if right > 1 else right + 4
    form = d.any("Together {a} and {b} have a {c} of {v}.", "The {c} of {a} and that of {b} add up to {v}.") if adds else d.any("The {c} of {a} and that of {b} are {v} apart.", "Between {a} and {b} the {c} differs by {v}.")  # fmt: skip
    true, false = (form.format(a=rows[0], b=rows[1], c=said, v=v) for v in (right, wrong))
    return "arithmetic", true, false


def _more(d: Draw, cells: Cells, names: list[str], rows: tuple[str, str], columns: tuple[str, str], said: str) -> Told:  # fmt: skip
    high, low = sorted(rows, key=lambda row: -cells[row, columns[0]])
    ranked = sorted(names, key=lambda row: cells[row, columns[0]])
    if d.dice.random() < 0.4:
        word, right = d.any(("highest", ranked[-1]), ("lowest", ranked[0]))
        wrong = d.any(*(name for name in names if name != right))
        form = d.any("{r} has the {w} {c}.", "The {w} {c} is that of {r}.")
        true, false = (form.format(r=row, w=word, c=said) for row in (right, wrong))
        return "comparison", true, false
    form, first, second = d.any(("The {c} of {a} is higher than that of {b}.", high, low), ("{a} has a lower {c} than {b}.", low, high))  # fmt: skip
    return "comparison", form.format(a=first, b=second, c=said), form.format(a=second, b=first, c=said)  # fmt: skip


def _limit(d: Draw, cells: Cells, names: list[str], rows: tuple[str, str], columns: tuple[str, str], said: str) -> Told:  # fmt: skip
    values = [cells[name, columns[0]] for name in names]
    low, high = min(values), max(values)
    form = d.any("Every entry has a {c} of {b} {v}.", "The {c} is {b} {v} throughout the table.")
    bound, inside, outside = d.any(
        (d.any("at least", "no less than"), low, d.dice.randint(low + 1, high)),
        (d.any("at most", "no more than"), high, d.dice.randint(low, high - 1)),
    )
    true, false = (form.format(c=said, b=bound, v=value) for value in (inside, outside))
    return "bounds", true, false


def _joined(d: Draw, one: Made, two: Made) -> tuple[str, str]:
    glue, turned = d.any(", and ", ", while ", "; "), d.dice.random() < 0.5

    def joined(second: str) -> str:
        first, last = (second, one.true) if turned else (one.true, second)
        return f"{first.rstrip('.')}{glue}{_inside(last)}"

    return joined(two.true), joined(two.false)


def _inside(sentence: str) -> str:
    names = {*words.FIRST, *words.PLACES, *(row.split()[0] for row in words.ROWS)}
    return (
        sentence if sentence.split(maxsplit=1)[0] in names else sentence[:1].lower() + sentence[1:]
    )


def _document(d: Draw, told: Sequence[Made], most: int = 4) -> str:
    """What is told among other sentences, under a title and sometimes a heading."""
    parts = [made.told for made in told] + [text for made in told for text in made.beside]
    parts += _fillers(d, d.dice.randint(1, most))
    heading = next((made.heading for made in told if made.heading), "")
    if heading:  # it speaks for all that stands below it
        return premise(_title(d), told[0].told, heading)
    heading = d.any(*words.HEADINGS) if d.dice.random() < 0.25 else ""
    return premise(_title(d), _shuffled(d, parts), heading)


def _fillers(d: Draw, count: int) -> list[str]:
    """Sentences on other things: nothing is drawn twice for one document."""
    return [d.any(*_FILLERS)(d).told for _ in range(count)]


def _shuffled(d: Draw, parts: list[str]) -> str:
    d.dice.shuffle(parts)
    return ("\n" if d.dice.random() < 0.15 else " ").join(up(part) for part in parts)


def _title(d: Draw) -> str:
    return d.one(words.TITLES).format(o=d.one(words.ORGS))


_MAKERS: tuple[Maker, ...] = (
    makers.number, makers.unit, makers.date, makers.number_words, makers.bounds, makers.arithmetic,
    makers.name, makers.role, makers.place, makers.swapped_values, makers.absent_subject,
    makers.list_membership, rules.modality, rules.negation, rules.antonym, rules.dropped_condition,
    rules.dropped_exception, rules.quantifier, rules.attribution, rules.retraction, rules.cause,
    rules.order, rules.comparison,
)  # fmt: skip
# Parts of claims that join two, and sentences around: statements that stand by themselves.
_PLAIN: tuple[Maker, ...] = (
    makers.number, makers.date, makers.number_words, makers.name, makers.place, rules.modality,
    rules.antonym, makers.role, rules.quantifier,
)  # fmt: skip
_FILLERS: tuple[Maker, ...] = (*_PLAIN, makers.unit, rules.dropped_condition, rules.cause)
# Rare in prose, so more often here.
_SCARCE: tuple[Maker, ...] = (
    rules.dropped_condition, rules.dropped_exception, makers.role, rules.dropped_condition,
    rules.dropped_exception, makers.role, rules.modality, makers.place, makers.unit, rules.order,
    makers.arithmetic, makers.bounds,
)  # fmt: skip
_KINDS = (*map(_single, (*_MAKERS, *_SCARCE)), _joined_sentences, _joined_sources, _table, _table)

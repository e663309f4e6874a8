"""Rows of tables in a source: a value of one row says nothing about what another row is named for.

A model that reads a whole table finds the value of a claim in it, and the name as well, and takes
them for one row. So a claim that names a row may take its figures from that row, or from outside of
the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from upheld.text.words import terms

_LONGEST_LABEL = 80  # characters of a first cell that names its row
_NAME = ": "  # between the name of a column and its value, as our readers write rows


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: its text, the words that name it, and the number of its table."""

    text: str
    label: frozenset[str]
    table: int


def table_rows(text: str, sentences: Sequence[tuple[int, int]]) -> tuple[Row, ...]:
    """Return the rows of the tables of a text; its sentences have no outer bars."""
    found: list[Row] = []
    table = 0
    for start, end in sentences:
        if not is_row(text, start):
            table += 1  # whatever stands between two tables
            continue
        row = text[start:end]
        found.append(Row(row, _label(row), table))
    return tuple(found)


def is_row(text: str, start: int) -> bool:
    """Return whether a sentence is a row of a table: a bar stands before it, and is in none."""
    return "|" in text[max(0, start - 2) : start + 1]


def other_rows(claim: str, rows: Sequence[Row]) -> list[str]:
    """Return the rows that a claim is not about: it names another one of the same table."""
    told = terms(claim)
    named = [bool(row.label) and row.label <= told for row in rows]
    tables = {row.table for row, is_named in zip(rows, named, strict=True) if is_named}
    return [
        row.text
        for row, is_named in zip(rows, named, strict=True)
        if row.table in tables and row.label and not is_named
    ]


def _label(row: str) -> frozenset[str]:
    """Return the words of the first cell, if they name anything: a mere number does not."""
    first, bar, _ = row.partition("|")
    if not bar:
        first = row.partition(";")[0].rpartition(_NAME)[2]
    short = first.strip()[:_LONGEST_LABEL]
    return terms(short) if any(map(str.isalpha, short)) else frozenset()

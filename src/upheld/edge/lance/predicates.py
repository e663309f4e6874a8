"""Conditions on rows, made from typed values only.

The engine's typed expressions know no list functions, so conditions are SQL; every value enters
through `literal`, the one place where a string becomes part of a statement.
"""

from __future__ import annotations

from collections.abc import Iterable

from upheld.ports import Filter
from upheld.types import Scope

NOTHING = "false"


def literal(value: str) -> str:
    """A SQL string: in this dialect only the quote is special, and it is doubled."""
    return "'" + value.replace("'", "''") + "'"


def storable(value: str) -> bool:
    """Whether a string is Unicode text; half a surrogate pair is not, and is in no row."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def one_of(column: str, values: Iterable[str]) -> str:
    """The column holds one of these values."""
    listed = ",".join(literal(value) for value in values if storable(value))
    return f"{column} IN ({listed})" if listed else NOTHING


def shares_label(labels: Iterable[str]) -> str:
    """The row carries at least one of these labels."""
    listed = ",".join(literal(label) for label in labels if storable(label))
    return f"array_has_any(labels, [{listed}])" if listed else NOTHING


def in_fragment(number: int) -> str:
    """The row lies in this fragment: the upper half of a row's address is its number."""
    return f"_rowaddr >= {number << 32} AND _rowaddr < {(number + 1) << 32}"


def all_of(*conditions: str) -> str:
    """Every condition holds; empty when there is none."""
    return " AND ".join(f"({condition})" for condition in conditions if condition)


def seen_in(scope: Scope) -> str:
    """What `Scope.admits` says, as a condition; the owner's view has none."""
    if scope.labels is None:
        return ""
    return f"NOT labelled OR {shares_label(scope.labels)}"


def narrowed(scope: Scope, where: Filter = Filter()) -> str:
    """A scope and a filter together."""
    return all_of(
        seen_in(scope),
        one_of("document_id", where.document_ids) if where.document_ids else "",
        one_of("title", where.titles) if where.titles else "",
        shares_label(where.labels) if where.labels else "",
    )

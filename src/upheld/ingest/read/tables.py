"""Tables as lines: each row becomes one sentence that names the columns of its values.

    | Parameter: port; Default: 5432; Context: postmaster |

A row of a Markdown table means nothing without its header, which a quote does not show. The bars
show the sentence splitter where a row begins and ends; quotes leave them out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

LONGEST_LINE = 500  # characters; a longer row continues on a line that begins with its first cell
_LONGEST_NAME = 80  # of a column; also the longest text repeated for each row it spans
_MOST_COLUMNS = 1_000
_MOST_NAMED = 8_000_000  # characters of a table; with names, larger ones would exceed limits
_MOST_REPEATS = 100_000  # of cells that span rows, in one table
_STOP = re.compile(r"(?<=\w)[.;,]\Z")
_YEAR = re.compile(r"(?:18|19|20)\d\d")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of any format; `columns` and `rows` are how many it spans."""

    text: str
    header: bool = False
    columns: int = 1
    rows: int = 1


@dataclass(frozen=True, slots=True)
class _Placed:
    """The text of a cell at its columns, in one of the rows that it spans."""

    text: str
    first: int
    last: int
    header: bool


_Row = list[_Placed]


def table_lines(rows: Sequence[Sequence[Cell]], headers: int) -> list[str]:
    """Return the rows of a table as lines; the first `headers` rows name the columns."""
    return [line for _, line in numbered_lines(rows, headers)]


def numbered_lines(rows: Sequence[Sequence[Cell]], headers: int) -> list[tuple[int, str]]:
    """Do `table_lines`, with the index of the row that each line is from."""
    placed = list(_place(rows))
    width = max((cell.last + 1 for row in placed for cell in row), default=0)
    naming = [row for row in placed[:headers] if not _spans_all(row, width)] if width > 1 else []
    names = _names(naming, width)
    if sum(len(names[cell.first]) for row in placed for cell in row) > _MOST_NAMED:
        naming, names = [], [""] * width
    if all(row in naming for row in placed):  # only column names
        naming, names = [], [""] * width
    lines: list[tuple[int, str]] = []
    group = ""
    for number, row in enumerate(placed):
        filled = [cell for cell in row if cell.text]
        if not filled or (number < headers and row in naming):
            continue
        if _spans_all(row, width):
            group = filled[0].text if len(filled[0].text) <= _LONGEST_NAME else ""
            lines.append((number, row_line(filled[0].text)))
        elif number >= headers and len(filled) > 1 and all(cell.header for cell in row):
            names, group = _names([row], width), ""
        else:
            lines += ((number, line) for line in _row_lines(group, _parts(filled, names)))
    return lines


def _spans_all(row: _Row, width: int) -> bool:
    """Return whether one cell fills the row, so that it is a title of those below."""
    return width > 1 and len(row) == 1 and row[0].last - row[0].first + 1 >= width


def row_line(text: str) -> str:
    """Return the line of a row."""
    return f"| {text} |"


def first_row_names_columns(rows: Sequence[Sequence[Cell]]) -> bool:
    """Return whether the first row of a table without marked headers can be its header.

    It can if its cells are distinct, short, and words or years. Not in a form, whose first column
    holds names that end in a colon.
    """
    if len(rows) < 2 or len(rows[0]) < 2:
        return False
    names = [cell.text for cell in rows[0]]
    if any(cell.columns > 1 for cell in rows[0]) or len(set(names)) < len(names):
        return False
    if any(len(name) > _LONGEST_NAME for name in names) or not all(names[1:]):
        return False
    for column, name in enumerate(names):
        below = [row[column].text for row in rows[1:] if column < len(row)]
        is_year = column > 0 and _YEAR.fullmatch(name) and not any(map(_YEAR.fullmatch, below))
        if is_figure(name) and not is_year:
            return False
    return not all(row[0].text.endswith(":") for row in rows if row)


def is_figure(text: str) -> bool:
    """Return whether a text is a number, a date or similar: digits and no letters."""
    return any(map(str.isdigit, text)) and not any(map(str.isalpha, text))


def _place(rows: Iterable[Sequence[Cell]]) -> Iterator[_Row]:
    """Assign columns to every cell, and repeat cells that span rows."""
    spanning: dict[int, tuple[_Placed, int]] = {}  # by first column: what to repeat, how often
    repeats = 0
    for cells in rows:
        row: _Row = []
        below: dict[int, tuple[_Placed, int]] = {}
        end = max(spanning, default=-1) + 1
        column, at = 0, 0
        while column < _MOST_COLUMNS and (at < len(cells) or column < end):
            if column in spanning:
                placed, left = spanning[column]
                repeats += 1
            elif at < len(cells):
                placed, left = _placed(cells[at], column, spanning), cells[at].rows
                at += 1
            else:
                column += 1
                continue
            row.append(placed)
            if left > 1 and repeats < _MOST_REPEATS:
                again = placed if len(placed.text) <= _LONGEST_NAME else replace(placed, text="")
                below[column] = (again, left - 1)
            column = placed.last + 1
        spanning = below
        yield row


def _placed(cell: Cell, column: int, spanning: Mapping[int, object]) -> _Placed:
    """Place a cell; it ends where a cell that spans down from above begins."""
    end = min(column + max(cell.columns, 1), _MOST_COLUMNS)
    end = next((at for at in range(column + 1, end) if at in spanning), end)
    return _Placed(cell.text, column, end - 1, cell.header)


def _names(rows: Sequence[_Row], width: int) -> list[str]:
    """Return the column names; those of several header rows are joined: `2024 / Sales`."""
    parts: list[list[str]] = [[] for _ in range(width)]
    for row in rows:
        for cell in row:
            for column in range(cell.first, min(cell.last + 1, width)):
                if cell.text and cell.text not in parts[column]:
                    parts[column].append(cell.text)
    return [_short(" / ".join(part).rstrip(" :")) for part in parts]


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1].rstrip() + "…"


def _parts(filled: _Row, names: Sequence[str]) -> list[str]:
    """Return `Name: value` for each value; a leading header cell names the row itself."""
    label, *values = filled
    if label.header and values and not any(names[cell.first] for cell in filled):
        said = ", ".join(cell.text for cell in values)
        return [f"{label.text.rstrip(' :')}: {said}"]
    parts = []
    for cell in filled:
        name = " / ".join(dict.fromkeys(filter(None, names[cell.first : cell.last + 1][:3])))
        parts.append(f"{name}: {cell.text}" if name and name != cell.text else cell.text)
    return parts


def _row_lines(group: str, parts: Sequence[str]) -> Iterator[str]:
    """Yield one line, or several that each begin with the row's group and first cell."""
    lead = f"{group} — " if group else ""
    label = parts[0] if len(parts[0]) <= _LONGEST_NAME else ""
    line = lead
    for number, part in enumerate(parts):
        if line != lead and len(line) + len(part) > LONGEST_LINE:
            yield row_line(line)
            line = f"{lead}{label}" if label else lead
        line = f"{_STOP.sub('', line)}; {part}" if line != lead else f"{line}{part}"
        if number == 0 and not label and len(line) > LONGEST_LINE:
            yield row_line(line)
            line = lead
    if line != lead:
        yield row_line(line)

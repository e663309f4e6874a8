"""Read XLSX: openpyxl reads the cells; each sheet is a section with a table.

Not markitdown here: it goes through pandas, which writes 3 as 3.0, 0.123456789 as 1.234568e-01 and
an empty cell as NaN, and a quote must equal the sheet.
"""

from __future__ import annotations

import datetime
import io
import re
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from upheld.errors import MissingExtraError, ReadError
from upheld.ingest.read.document import ReadDocument
from upheld.ingest.read.markdown import from_markdown
from upheld.ingest.read.tables import (
    Cell,
    first_row_names_columns,
    is_figure,
    row_line,
    table_lines,
)

_WHITE = re.compile(r"\s+")
_MIDNIGHT = datetime.time()
# Of a workbook; so many filled cells would exceed the text limit of a document.
MOST_CELLS = 4_000_000
# A sheet is sparse if it has more cells than this and a smaller share of them is filled.
SPARSE_CELLS = 100_000
FILLED_SHARE = 0.05


def read_xlsx(data: bytes, name: str) -> ReadDocument:
    """Read the values of a workbook, as they were when it was last calculated."""
    try:
        import openpyxl
        from openpyxl.utils.exceptions import InvalidFileException
    except ImportError as missing:
        raise MissingExtraError("Reading XLSX", "readers") from missing

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about styles and extensions without text
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            room = _Room(name)
            sections = []
            hidden = 0
            for sheet in book.worksheets:
                lines = _sheet_lines(room.rows_of(sheet))
                if sheet.sheet_state != "visible":
                    hidden += len("".join("".join(lines).split()))
                elif lines:
                    sections.append(f"## {sheet.title}\n\n" + "\n".join(lines))
            book.close()
    except (InvalidFileException, zipfile.BadZipFile, KeyError, ValueError, TypeError) as broken:
        raise ReadError(
            f"{name} cannot be opened ({type(broken).__name__}: {broken})",
            help="Check that the file is complete and not encrypted.",
        ) from broken
    return replace(from_markdown("\n\n".join(sections)), hidden=hidden)


@dataclass(slots=True)
class _Room:
    """Counts how many more cells of a workbook may be read.

    A file of a kilobyte can declare a sheet of 17 billion cells, or put two cells that far apart.
    So the declared size is ignored, and gaps count like cells.
    """

    name: str
    cells: int = MOST_CELLS

    def rows_of(self, sheet: Any) -> Iterator[tuple[object, ...]]:
        """Yield the rows of a sheet, each up to its last cell; any gap is one empty row.

        Raises `ReadError` beyond the limit.
        """
        sheet.reset_dimensions()
        in_gap = False
        for row in sheet.iter_rows(values_only=True):
            self.cells -= 2 + len(row)  # a row costs something too
            if self.cells < 0:
                raise ReadError(
                    f"{self.name} has more than {MOST_CELLS:,} cells, empty ones between others "
                    "included",
                    help="Split it into several files, or remove cells that stand far apart.",
                )
            if row or not in_gap:
                yield row
            in_gap = not row


def _sheet_lines(rows: Iterable[Iterable[object]]) -> list[str]:
    """Return the tables of a sheet, one after another, and the single cells above them."""
    lines: list[str] = []
    table = _Table()
    after_gap = False
    for values in rows:
        row = ["" if value is None else _text(value) for value in values]
        filled = [column for column, text in enumerate(row) if text]
        if not filled:
            after_gap = True
            continue
        if after_gap and not table.goes_on_with(row, filled):
            lines += table.lines()
            table = _Table()
        after_gap = False
        if not table.rows and len(filled) == 1:
            lines.append(row_line(row[filled[0]]))  # a title, or a sheet of one column
        else:
            table.add(row, filled)
    return [*lines, *table.lines()]


@dataclass(slots=True)
class _Table:
    """Rows that belong together; `words` are the columns with words below the first row."""

    rows: list[list[str]] = field(default_factory=list)
    first: int = 0
    last: int = 0
    words: set[int] = field(default_factory=set)

    def add(self, row: list[str], filled: Sequence[int]) -> None:
        if self.rows:
            self.words.update(column for column in filled if not is_figure(row[column]))
        self.first = min(self.first, filled[0]) if self.rows else filled[0]
        self.last = max(self.last, filled[-1]) if self.rows else filled[-1]
        self.rows.append(row)

    def goes_on_with(self, row: Sequence[str], filled: Sequence[int]) -> bool:
        """Return whether a row after a gap continues this table: same columns, no new header."""
        return (
            bool(self.rows)
            and len(filled) > 1
            and (filled[0], filled[-1]) == (self.first, self.last)
            and (
                any(is_figure(row[column]) for column in filled)
                or all(column in self.words for column in filled)
            )
        )

    def lines(self) -> list[str]:
        """Return one line per row; without column names if almost nothing is filled."""
        size = len(self.rows) * (self.last + 1 - self.first)
        if size > SPARSE_CELLS:
            filled = [[text for text in row if text] for row in self.rows]
            if sum(map(len, filled)) < FILLED_SHARE * size:
                return [row_line("; ".join(row)) for row in filled]
        end = self.last + 1
        whole = (row[:end] + [""] * (end - len(row)) for row in self.rows)
        cells = [[Cell(text) for text in row[self.first :]] for row in whole]
        return table_lines(cells, int(first_row_names_columns(cells)))


def _text(value: object) -> str:
    if isinstance(value, datetime.datetime) and value.time() == _MIDNIGHT:
        value = value.date()
    return _WHITE.sub(" ", str(value)).strip()

"""XLSX: openpyxl gives the cells; each sheet is a section with a table.

Not markitdown here: it goes through pandas, which writes 3 as 3.0, 0.123456789 as 1.234568e-01 and
an empty cell as NaN, and a quote must say what the sheet says.
"""

from __future__ import annotations

import datetime
import io
import re
import warnings
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

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


def read_xlsx(data: bytes, name: str) -> ReadDocument:
    """The values of a workbook, as they were when it was last calculated."""
    try:
        import openpyxl
        from openpyxl.utils.exceptions import InvalidFileException
    except ImportError as missing:
        raise MissingExtraError("Reading XLSX", "readers") from missing

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # notes on styles and extensions that hold no text
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            sections = [
                f"## {sheet.title}\n\n" + "\n".join(lines)
                for sheet in book.worksheets
                if (lines := _sheet_lines(sheet.iter_rows(values_only=True)))
            ]
            book.close()
    except (InvalidFileException, zipfile.BadZipFile, KeyError, ValueError, TypeError) as broken:
        raise ReadError(
            f"{name} cannot be opened ({type(broken).__name__}: {broken})",
            help="Check that the file is complete and not encrypted.",
        ) from broken
    return from_markdown("\n\n".join(sections))


def _sheet_lines(rows: Iterable[Iterable[object]]) -> list[str]:
    """The tables of a sheet, one after another, and the single cells above them."""
    lines: list[str] = []
    table = _Table()
    after_gap = False
    for values in rows:
        row = [_text(value) for value in values]
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
    """Rows of cells that belong together; `words` are the columns that have some below the top."""

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
        """Whether a row below a gap is of this table: its columns, and not words over figures."""
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
        cells = [[Cell(text) for text in row[self.first : self.last + 1]] for row in self.rows]
        return table_lines(cells, int(first_row_names_columns(cells)))


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime.datetime) and value.time() == _MIDNIGHT:
        value = value.date()
    return _WHITE.sub(" ", str(value)).strip()

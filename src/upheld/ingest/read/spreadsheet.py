"""XLSX: openpyxl gives the cells; each sheet is a section with a table.

Not markitdown here: it goes through pandas, which writes 3 as 3.0, 0.123456789 as 1.234568e-01 and
an empty cell as NaN, and a quote must say what the sheet says.
"""

from __future__ import annotations

import datetime
import io
import itertools
import re
import warnings
import zipfile
from collections.abc import Iterable

from upheld.errors import MissingExtraError, ReadError
from upheld.ingest.read.document import ReadDocument
from upheld.ingest.read.markdown import from_markdown

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
                f"## {sheet.title}\n\n{table}"
                for sheet in book.worksheets
                if (table := _table(sheet.iter_rows(values_only=True)))
            ]
            book.close()
    except (InvalidFileException, zipfile.BadZipFile, KeyError, ValueError, TypeError) as broken:
        raise ReadError(
            f"{name} cannot be opened ({type(broken).__name__}: {broken})",
            help="Check that the file is complete and not encrypted.",
        ) from broken
    return from_markdown("\n\n".join(sections))


def _table(rows: Iterable[Iterable[object]]) -> str:
    """Rows as a Markdown table; empty rows and the empty columns at the right are left out."""
    cells = [[_cell(value) for value in row] for row in rows]
    filled = [row for row in cells if any(row)]
    width = max((i + 1 for row in filled for i, cell in enumerate(row) if cell), default=0)
    lines = [f"| {' | '.join(row[:width])} |" for row in filled]
    rule = "|" + " --- |" * width
    return "\n".join(itertools.chain(lines[:1], [rule], lines[1:])) if lines else ""


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime.datetime) and value.time() == _MIDNIGHT:
        value = value.date()
    return _WHITE.sub(" ", str(value)).strip().replace("|", "\\|")

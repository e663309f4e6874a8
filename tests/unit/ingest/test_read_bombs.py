"""Small files that would become large work: read in a second of CPU time, or refused in it."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Callable, Iterator

import openpyxl
import pytest

from upheld.errors import ReadError
from upheld.ingest.read import read

SECOND = 1.0
_SHEET = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    "{dimension}<sheetData>{rows}</sheetData></worksheet>"
)


def workbook(rows: str, dimension: str = "", sheets: int = 1) -> bytes:
    """A workbook whose sheets say what they like about themselves."""
    book = openpyxl.Workbook()
    for number in range(1, sheets):
        book.create_sheet(f"more {number}")
    plain, made = io.BytesIO(), io.BytesIO()
    book.save(plain)
    said = f'<dimension ref="{dimension}"/>' if dimension else ""
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name.startswith("xl/worksheets/sheet"):
                content = _SHEET.format(dimension=said, rows=rows).encode()
            new.writestr(name, content, compresslevel=9)
    return made.getvalue()


def cell(place: str, value: str = "nine") -> str:
    return f'<c r="{place}" t="str"><v>{value}</v></c>'


def row(number: int, *cells: str) -> str:
    return f'<row r="{number}">{"".join(cells)}</row>'


def column(number: int) -> str:
    return str(openpyxl.utils.get_column_letter(number))


BOMBS: dict[str, Callable[[], bytes]] = {
    "says it is as large as can be": lambda: workbook(row(1, cell("A1")), "A1:XFD1048576"),
    "two cells as far apart as can be": lambda: workbook(
        row(1, cell("A1")) + row(1_048_576, cell("XFD1048576")), "A1:XFD1048576"
    ),
    "cells at the far end of many rows": lambda: workbook(
        "".join(row(number, cell(f"XFD{number}")) for number in range(1, 3000))
    ),
    "gaps in many sheets": lambda: workbook(
        row(1, cell("A1")) + row(1_048_576, cell("A1048576")), sheets=40
    ),
    "a diagonal": lambda: workbook(
        "".join(row(number, cell(f"{column(number)}{number}")) for number in range(1, 2000))
    ),
}


def read_or_refused(data: bytes, name: str) -> str:
    try:
        return read(data, name).text
    except ReadError as refused:
        return str(refused)


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_small_spreadsheet_takes_less_than_a_second(bomb: str) -> None:
    data = BOMBS[bomb]()
    read(workbook(row(1, cell("A1"))), "warm.xlsx")  # the libraries
    began = time.process_time()
    text = read_or_refused(data, "bomb.xlsx")
    assert "nine" in text or "cells" in text
    assert len(text) < 1_000_000
    assert time.process_time() - began < SECOND * (1 + len(data) / 100_000)


def test_a_sheet_that_says_too_much_of_its_size_is_read_all_the_same() -> None:
    data = workbook(row(1, cell("A1", "hour")) + row(2, cell("A2", "nine")), "A1:XFD1048576")
    assert read(data, "hours.xlsx").text == "## Sheet\n\n| hour |\n| nine |"


def test_a_sheet_that_says_too_little_of_its_size_is_read_whole() -> None:
    rows = row(1, cell("A1", "day"), cell("B1", "hour"))
    rows += row(2, cell("A2", "Monday"), cell("B2", "nine"))
    assert "day: Monday; hour: nine" in read(workbook(rows, "A1:A1"), "hours.xlsx").text


def deep(tag: str, depth: int) -> Iterator[str]:
    yield from (f"<{tag}><tr><td>" for _ in range(depth))
    yield "nine"
    yield from (f"</td></tr></{tag}>" for _ in range(depth))


@pytest.mark.parametrize(
    ("page", "least"),
    [
        ("<table><tr><td colspan=1000000000>nine</td></tr></table>", "nine"),
        ("<table><tr>" + "<td rowspan=65534 colspan=1000>nine</td>" * 50 + "</tr></table>", "nine"),
        ("".join(deep("table", 400)), ""),
    ],
    ids=["colspan", "rowspans", "tables in tables"],
)
def test_a_small_page_takes_less_than_a_second(page: str, least: str) -> None:
    text = f"<html><body><p>It opens at nine, and closes at ten.</p>{page}</body></html>"
    read(b"<html><body><p>It opens at nine.</p></body></html>", "warm.html")
    began = time.process_time()
    document = read(text.encode(), "page.html")
    assert least in document.text
    assert time.process_time() - began < SECOND

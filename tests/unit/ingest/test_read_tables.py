"""Rows of tables are sentences that name their columns, in every format that has tables."""

from __future__ import annotations

import io
import zipfile

import docx
import pptx
import pytest
from docx.oxml import OxmlElement

from tests.documents import make_docx, make_epub, make_xlsx
from upheld.ingest.read import read
from upheld.ingest.read.tables import LONGEST_LINE, Cell, table_lines
from upheld.text.sentences import sentences

PROSE = "<p>" + "A page has words before its tables, so that it is taken for a page. " * 20 + "</p>"


def rows_of(table: str, *, prose: str = PROSE) -> list[str]:
    """The quotable rows of a page with a table."""
    text = read(f"<html><body><h1>Title</h1>{prose}{table}</body></html>".encode(), "a.html").text
    whole = [line[2:-2] for line in text.split("\n") if line.startswith("| ")]
    assert [each for each in sentences(text) if each in whole] == whole
    return whole


SETTINGS = [
    ["Parameter", "Default", "Context"],
    ["max_connections", "100", "postmaster"],
    ["work_mem", "4 MB. Per sort!", "user"],
]
SAID = [
    "Parameter: max_connections; Default: 100; Context: postmaster",
    "Parameter: work_mem; Default: 4 MB. Per sort!; Context: user",
]


def as_html(rows: list[list[str]], head: str = "th") -> str:
    lines = [
        "".join(f"<{tag}>{cell}</{tag}>" for cell in row)
        for tag, row in zip([head, *["td"] * len(rows)], rows, strict=False)
    ]
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


@pytest.mark.parametrize("prose", [PROSE, "<main><article>" + PROSE, "<p>Short.</p>", ""])
def test_rows_of_a_page_name_their_columns(prose: str) -> None:
    assert rows_of(as_html(SETTINGS), prose=prose) == SAID
    bold = [[f"<b>{name}</b>" for name in SETTINGS[0]], *SETTINGS[1:]]
    assert rows_of(as_html(bold, "td"), prose=prose) == SAID


def test_rows_of_word_documents_name_their_columns() -> None:
    text = read(make_docx([("Normal", "Words.")], table=SETTINGS), "a.docx").text
    assert text == "Words.\n\n" + "\n".join(f"| {row} |" for row in SAID)
    assert sentences(text)[1:] == SAID


def test_rows_of_spreadsheets_name_their_columns() -> None:
    text = read(make_xlsx({"Settings": SETTINGS}), "a.xlsx").text
    assert sentences(text)[1:] == SAID


def test_rows_of_slides_name_their_columns() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Settings"
    grid = slide.shapes.add_table(3, 3, 0, 3_000_000, 9_000_000, 2_000_000).table
    for row, values in enumerate(SETTINGS):
        for column, value in enumerate(values):
            grid.cell(row, column).text = value
    out = io.BytesIO()
    deck.save(out)
    assert sentences(read(out.getvalue(), "a.pptx").text)[1:] == SAID


def test_rows_of_books_name_their_columns() -> None:
    book = make_epub("Book", [("One", ["TABLE"])])
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"<p>TABLE</p>", as_html(SETTINGS).encode()))
    assert sentences(read(out.getvalue(), "a.epub").text)[-2:] == SAID


def test_header_rows_and_spans() -> None:
    table = """<table><caption>Sales</caption>
    <thead><tr><th rowspan=2>Region</th><th colspan=2>2024</th></tr>
    <tr><th>Q1</th><th>Q2</th></tr></thead>
    <tbody><tr><td rowspan=2>North</td><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr>
    <tr><th colspan=3>Estimates</th></tr>
    <tr><td>South</td><td></td><td>6</td></tr><tr><td>East</td><td colspan=2>7</td></tr></table>"""
    assert rows_of(table) == [
        "Region: North; 2024 / Q1: 1; 2024 / Q2: 2",
        "Region: North; 2024 / Q1: 3; 2024 / Q2: 4",
        "Estimates",
        "Estimates — Region: South; 2024 / Q2: 6",
        "Estimates — Region: East; 2024 / Q1 / 2024 / Q2: 7",
    ]


def test_a_row_that_begins_with_a_header_names_itself() -> None:
    table = """<table><tr><th colspan=2>France</th></tr><tr><th>Capital:</th><td>Paris</td></tr>
    <tr><th>Languages</th><td><ul><li>French</li><li>Breton</li></ul></td></tr></table>"""
    assert rows_of(table) == [
        "France",
        "France — Capital: Paris",
        "France — Languages: French, Breton",
    ]


def test_a_table_without_headers_keeps_its_rows() -> None:
    assert rows_of(as_html([["Anna", "Berlin"], ["Bob", "Paris"]], "td")) == [
        "Anna; Berlin",
        "Bob; Paris",
    ]


def test_a_table_for_layout_is_read_as_the_page_that_it_is() -> None:
    inner = as_html(SETTINGS)
    page = f"<table><tr><td><h2>Menu</h2></td><td>{PROSE}{inner}</td></tr></table>"
    text = read(f"<html><body>{page}</body></html>".encode(), "a.html").text
    assert [f"| {row} |" for row in SAID] == [line for line in text.split("\n") if "|" in line]
    assert "## Menu" in text
    assert "A page has words before its tables" in text


def test_one_column_is_a_list() -> None:
    table = "<table><tr><th>Function</th></tr><tr><td><p>abs(x)</p><p>Absolute value</p></td></tr>"
    assert rows_of(table) == ["Function", "abs(x); Absolute value"]


def test_a_form_in_word_is_not_taken_for_a_table_with_a_header() -> None:
    form = [["Name:", "Anna"], ["City:", "Berlin"]]
    text = read(make_docx([("Normal", "Words.")], table=form), "a.docx").text
    assert sentences(text)[1:] == ["Name:; Anna", "City:; Berlin"]


def test_a_header_that_word_marks_is_used() -> None:
    document = docx.Document()
    grid = document.add_table(2, 2)
    for cell, text in zip(
        [*grid.rows[0].cells, *grid.rows[1].cells], ["1", "2", "a", "b"], strict=True
    ):
        cell.text = text
    marker = OxmlElement("w:tblHeader")
    grid.rows[0]._tr.get_or_add_trPr().append(marker)
    out = io.BytesIO()
    document.save(out)
    assert sentences(read(out.getvalue(), "a.docx").text) == ["1: a; 2: b"]


def test_titles_gaps_and_a_second_table_in_a_sheet() -> None:
    rows: list[list[object]] = [
        ["Sales report"],
        [],
        ["Region", 2023, 2024],
        ["North", 10.5, 11],
        [],
        ["South", 7, 8],
        [],
        ["Person", "Office", "Since"],
        ["Anna", "Berlin", "May"],
    ]
    assert sentences(read(make_xlsx({"S": rows}), "a.xlsx").text) == [
        "## S",
        "Sales report",
        "Region: North; 2023: 10.5; 2024: 11",
        "Region: South; 2023: 7; 2024: 8",
        "Person: Anna; Office: Berlin; Since: May",
    ]


def test_a_sheet_of_figures_has_no_header() -> None:
    text = read(make_xlsx({"S": [[1, 2.5], [3, 4]]}), "a.xlsx").text
    assert sentences(text) == ["## S", "1; 2.5", "3; 4"]


def test_a_long_row_goes_on_in_lines_that_say_whose_they_are() -> None:
    names = [f"column {n}" for n in range(80)]
    values = ["Anna", *(f"value {n}" for n in range(1, 80))]
    lines = table_lines([[Cell(name) for name in names], [Cell(value) for value in values]], 1)
    assert len(lines) > 2
    assert all(len(line) <= LONGEST_LINE + 50 for line in lines)
    assert all(line.startswith("| column 0: Anna; ") for line in lines)
    for name, value in zip(names, values, strict=True):
        assert any(f"{name}: {value}" in line for line in lines)


def test_a_cell_longer_than_a_line_loses_nothing() -> None:
    long = "word " * 400
    lines = table_lines([[Cell("A"), Cell("B")], [Cell(long.strip()), Cell("end")]], 1)
    assert " ".join(lines).count("word") == 400
    assert "B: end" in lines[-1]


@pytest.mark.parametrize(
    "table",
    [
        "<table>" + "<tr><td rowspan=65534 colspan=1000>x" * 1_000,
        "<table>" + "<tr>" + "<td rowspan=9999>x" * 1_000 + "<tr><td>y" * 1_000,
        "<table><tr><td>" * 1_000 + "x",
        "<table><tr><th>" + "n" * 50_000 + "<th>b" + "<tr><td>1<td>2" * 1_500,
        "<table><tr><td rowspan=9999>" + "n" * 1_500 + "<td>b" + "<tr><td>1<td>2" * 1_500,
    ],
    ids=["spans", "many spans", "nested", "long name", "long repeated"],
)
def test_a_hostile_table_is_bounded(table: str) -> None:
    document = read(f"<html><body>{PROSE}{table}</body></html>".encode(), "a.html")
    assert len(document.text) < 5_000_000

"""Rows of tables in PDF name their columns where lines or alignment show a table, only there."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pytest
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

from upheld.ingest.read import read
from upheld.text.sentences import sentences

BODY = getSampleStyleSheet()["BodyText"]
PROSE = "Words before the table are prose and go on for a while, so that their lines are long. " * 3
SETTINGS = [
    ["Parameter", "Default", "Context"],
    ["max_connections", "100", "postmaster"],
    ["work_mem", "4 MB", "user"],
    ["shared_buffers", "128 MB", "postmaster"],
]
SAID = [
    "Parameter: max_connections; Default: 100; Context: postmaster",
    "Parameter: work_mem; Default: 4 MB; Context: user",
    "Parameter: shared_buffers; Default: 128 MB; Context: postmaster",
]
WHOLE, HEADER = ((0, 0), (-1, -1)), ((0, 0), (-1, 0))
GRID = ("GRID", *WHOLE, 0.5, colors.black)
BELOW = ("LINEBELOW", *HEADER, 0.5, colors.black)
ABOVE = ("LINEABOVE", *HEADER, 0.5, colors.black)
END = ("LINEBELOW", (0, -1), (-1, -1), 0.5, colors.black)
BOLD = ("FONTNAME", *HEADER, "Helvetica-Bold")


def made(rows: Sequence[Sequence[object]], *style: tuple[object, ...]) -> bytes:
    out = io.BytesIO()
    table = Table([list(row) for row in rows], style=TableStyle(list(style)))
    story = [Paragraph(PROSE, BODY), table, Spacer(1, 12), Paragraph("Words after it.", BODY)]
    SimpleDocTemplate(out, invariant=1).build(story)
    return out.getvalue()


def rows_of(data: bytes) -> list[str]:
    text = read(data, "a.pdf").text
    whole = [line[2:-2] for line in text.split("\n") if line.startswith("| ")]
    assert [each for each in sentences(text) if each in whole] == whole
    return whole


@pytest.mark.parametrize(
    "style",
    [(GRID,), (BELOW,), (ABOVE, BELOW, END), (BELOW, END), (BOLD,), ()],
    ids=["grid", "line below", "three lines", "two lines", "bold", "aligned"],
)
def test_rows_name_their_columns(style: tuple[tuple[object, ...], ...]) -> None:
    data = made(SETTINGS, *style)
    assert rows_of(data) == SAID
    paragraphs = read(data, "a.pdf").text.split("\n\n")
    assert " ".join(paragraphs[0].split()) == PROSE.strip()
    assert paragraphs[-1] == "Words after it."


def test_a_cell_of_several_lines_is_one_cell() -> None:
    long = "How deep the well is below the ground, measured at noon when nobody draws from it"
    rows = [
        ["Name", "Description", "Unit"],
        ["depth", Paragraph(long, BODY), "m"],
        ["width", Paragraph("How wide", BODY), "cm"],
    ]
    top = ("VALIGN", *WHOLE, "TOP")
    assert rows_of(made(rows, GRID, top)) == [
        f"Name: depth; Description: {long}; Unit: m",
        "Name: width; Description: How wide; Unit: cm",
    ]


def test_a_table_goes_on_over_pages() -> None:
    rows = [["Key", "Meaning"], *([f"key{n}", f"meaning {n}"] for n in range(60))]
    out = io.BytesIO()
    SimpleDocTemplate(out, invariant=1).build(
        [Paragraph(PROSE, BODY), Table(rows, style=TableStyle([GRID]))]
    )
    document = read(out.getvalue(), "a.pdf")
    assert len(document.pages) == 2
    found = [line for line in document.text.split("\n") if line.startswith("| ")]
    assert found == [f"| Key: key{n}; Meaning: meaning {n} |" for n in range(60)]


def page(*lines: tuple[float, float, str]) -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, A4, invariant=1)
    for x, y, text in lines:
        canvas.drawString(x, y, text)
    canvas.line(60, 800, 530, 800)  # under the running title
    canvas.save()
    return out.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        page(
            *((60, 805, "42"), (450, 805, "A manual")),
            *((60, 780 - 14 * n, "prose that goes on and on over its lines") for n in range(20)),
        ),
        page(
            *((60, 700 - 14 * n, "the left column of a page of two") for n in range(20)),
            *((320, 700 - 14 * n, "the right column of a page of two") for n in range(20)),
        ),
        page(
            *(
                (x, 700 - 14 * n, text)
                for n in range(9)
                for x, text in ((60, f"1.{n}"), (100, "Chapter " + "." * 60), (500, f"{n * 7}"))
            )
        ),
        page(*((60 + 90 * c, 700 - 14 * r, f"{c * r}.5") for r in range(6) for c in range(4))),
        page(*((60, 700 - 14 * n, "int x;   /* note */   return;") for n in range(6))),
    ],
    ids=["running title", "two columns", "contents", "figures alone", "code"],
)
def test_what_is_not_clearly_a_table_stays_text(data: bytes) -> None:
    assert rows_of(data) == []


def test_no_word_is_lost() -> None:
    for style in ((GRID,), (BELOW,), ()):
        text = read(made(SETTINGS, *style), "a.pdf").text
        words = {word for row in SETTINGS for cell in row for word in cell.split()}
        assert words <= set(text.replace(":", " ").replace(";", " ").split())

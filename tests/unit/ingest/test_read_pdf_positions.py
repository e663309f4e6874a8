"""Spans of a PDF's text on its pages: what is under the rectangles is what was quoted."""

from __future__ import annotations

import io
import struct
from itertools import pairwise

import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.documents import make_pdf
from tests.pdf_letters import under
from upheld.errors import NotFoundError
from upheld.ingest.read import ReadDocument, read
from upheld.ingest.read.pdf import PageText, Piece
from upheld.ingest.read.pdf_positions import MarkedPage, PageSpan, locate, render_page, trace
from upheld.types import content_hash


def spans_of(document: ReadDocument, start: int, end: int) -> list[PageSpan]:
    """The parts of a span on each of its pages."""
    parts = []
    borders = [*document.pages, len(document.text)]
    for number, (first, last) in enumerate(pairwise(borders)):
        own = document.text[first:last].rstrip()
        inside = max(start - first, 0), min(end - first, len(own))
        if inside[0] < inside[1]:
            parts.append(PageSpan(number, *inside, content_hash(own)))
    return parts


def drawn(rotation: int = 0, crop: bool = False) -> bytes:
    """Two columns, a broken word, an accent of its own, and a line that goes up the page."""
    out = io.BytesIO()
    # Its box is turned with the page.
    size = (600, 800) if rotation in (0, 180) else (800, 600)
    canvas = Canvas(out, pagesize=size, invariant=1)
    for x, lines in ((60, ("The tower was", "built for exam-")), (320, ("ple in stone.", "Nine."))):
        for number, line in enumerate(lines):
            canvas.drawString(x, 700 - 16 * number, line)
    canvas.rotate(90)
    canvas.drawString(200, -40, "It goes up the page.")
    canvas.setPageRotation(rotation)
    if crop:
        canvas.setCropBox((30, 100, 550, 780))
    canvas.save()
    return out.getvalue()


def marked(data: bytes, quote: str) -> list[MarkedPage]:
    document = read(data, "a.pdf")
    start = document.text.index(quote)
    return locate(data, "a.pdf", spans_of(document, start, start + len(quote)))


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [False, True])
def test_what_is_under_the_rectangles_is_the_quote(rotation: int, crop: bool) -> None:
    data = drawn(rotation, crop)
    text = read(data, "a.pdf").text
    assert "built for exam" in text
    for quote in (text[3:-3], "tower was", "built for", "in stone", "goes up the", "Nine"):
        found = marked(data, quote)
        assert sorted(under(data, found)) == sorted("".join(quote.split()))
        for each in found[0].rectangles or ():
            assert 0 <= each.left < each.right <= 1
            assert 0 <= each.top < each.bottom <= 1


def test_a_line_is_one_rectangle_and_a_break_begins_another() -> None:
    data = drawn()
    (page,) = marked(data, "tower was\nbuilt for example in")
    assert under(data, [page]) == "towerwasbuiltforexamplein"
    assert page.rectangles is not None
    first, second, third = page.rectangles  # the word is broken over two columns
    assert first.bottom <= second.top
    assert second.right < third.left
    assert (page.width, page.height) == (600, 800)


def test_a_span_goes_on_over_the_page() -> None:
    data = make_pdf([["It runs on and"], ["then ends."], ["New."]])
    found = marked(data, "on and\nthen")
    assert [page.page for page in found] == [0, 1]
    assert under(data, found) == "onandthen"


def test_a_table_row_marks_its_own_words() -> None:
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    rows = (("Port", "Default", "Users"), ("http", "80", "412"), ("https", "443", "977"))
    for number, row in enumerate(rows):
        for column, word in enumerate(row):
            canvas.drawString(72 + 150 * column, 700 - 16 * number, word)
    canvas.save()
    data = out.getvalue()
    assert "Port: https; Default: 443" in read(data, "a.pdf").text
    assert under(data, marked(data, "Port: https; Default: 443")) == "https443977"


def test_a_composed_letter_has_both_its_parts() -> None:
    between = Piece("\r\n")
    first, second = Piece("\ufeffcafe\u0301", ((10, 16),)), Piece("ex\ufffe", ((18, 21),))
    pieces = (first, between, second, between, Piece("am", ((23, 25),)))
    origins = trace(PageText("café\nexam", pieces, ()))
    assert origins == [(11,), (12,), (13,), (14, 15), (), (18,), (19,), (23,), (24,)]
    assert trace(PageText("cafe\nexam", pieces, ())) is None


def test_a_text_that_is_not_the_indexed_one_is_not_marked() -> None:
    data = drawn()
    for span in (PageSpan(0, 0, 5, content_hash("Another text")), PageSpan(7, 0, 5, "")):
        (page,) = locate(data, "a.pdf", [span])
        assert page.rectangles is None


def test_a_page_becomes_a_picture() -> None:
    picture = render_page(drawn(90), "a.pdf", 0, 400)
    assert picture.startswith(b"\x89PNG\r\n")
    assert struct.unpack(">II", picture[16:24]) == (400, 300)
    with pytest.raises(NotFoundError, match="page 2 of 1"):
        render_page(drawn(), "a.pdf", 1, 400)

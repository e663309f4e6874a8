"""What stands under the rectangles of a page, read from the PDF by coordinates alone."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import pypdfium2 as pdfium
from pypdfium2.raw import FPDF_PageToDevice, FPDFText_GetCharBox, FPDFText_GetUnicode

from upheld.ingest.read.pdf_positions import MarkedPage

GRID = 1_000_000


def under(data: bytes, marked: Sequence[MarkedPage]) -> str:
    """The letters whose middle is in a rectangle, by their coordinates alone."""
    letters = []
    pdf = pdfium.PdfDocument(data)
    for each in marked:
        page = pdf[each.page]
        textpage = page.get_textpage()
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        across, down = ctypes.c_int(), ctypes.c_int()
        for at in range(textpage.count_chars()):
            FPDFText_GetCharBox(textpage, at, left, right, bottom, top)
            middle = (left.value + right.value) / 2, (bottom.value + top.value) / 2
            FPDF_PageToDevice(page, 0, 0, GRID, GRID, 0, *middle, across, down)
            x, y = across.value / GRID, down.value / GRID
            inside = [r for r in each.rectangles or () if r.left < x < r.right]
            if any(r.top < y < r.bottom for r in inside):
                letters.append(chr(FPDFText_GetUnicode(textpage, at)))
    pdf.close()
    return "".join("".join(letters).split())

"""Figures of docs/decisions/003-pdf-reader.md: PDF libraries on pages that this script makes.

pip install pypdf pdfminer.six
python scripts/measure_pdf.py
"""

from __future__ import annotations

import io
import re
import textwrap
import time
from collections.abc import Callable

import pypdfium2
from pdfminer.high_level import extract_text
from pypdf import PdfReader
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph

from upheld_lab.bench.costs.synthetic import Writer

PARAGRAPHS, ROUNDS = 60, 3
Read = Callable[[bytes], str]


def pdfium(data: bytes) -> str:
    """pypdfium2, page by page."""
    with pypdfium2.PdfDocument(data) as pdf:
        return "\n".join(page.get_textpage().get_text_bounded() for page in pdf)


def pypdf(data: bytes) -> str:
    """pypdf, page by page."""
    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(data)).pages)


def pdfminer(data: bytes) -> str:
    """pdfminer.six with its layout analysis."""
    return str(extract_text(io.BytesIO(data)))


READERS: dict[str, Read] = {"pypdfium2": pdfium, "pypdf": pypdf, "pdfminer.six": pdfminer}


def flowing(paragraphs: list[str], columns: int) -> bytes:
    """Paragraphs set by a typesetter that finishes one column before the next."""
    out = io.BytesIO()
    width = (A4[0] - 100 - 20 * (columns - 1)) / columns
    frames = [Frame(50 + i * (width + 20), 50, width, A4[1] - 100) for i in range(columns)]
    document = BaseDocTemplate(out, pagesize=A4)
    document.addPageTemplates(PageTemplate(frames=frames))
    style = getSampleStyleSheet()["BodyText"]
    document.build([Paragraph(text, style) for text in paragraphs])
    return out.getvalue()


def across(left: list[str], right: list[str]) -> bytes:
    """Two columns drawn line by line across the page."""
    out = io.BytesIO()
    canvas = Canvas(out)
    for row, (one, other) in enumerate(zip(left, right, strict=True)):
        canvas.drawString(50, 780 - 15 * row, one)
        canvas.drawString(320, 780 - 15 * row, other)
    canvas.save()
    return out.getvalue()


def lettered(lines: list[str]) -> bytes:
    """Letters placed one by one, with no space in the file."""
    out = io.BytesIO()
    canvas = Canvas(out)
    for row, line in enumerate(lines):
        x = 50.0
        for word in line.split():
            for letter in word:
                canvas.drawString(x, 780 - 15 * row, letter)
                x += stringWidth(letter, "Helvetica", 12)
            x += 3.3
    canvas.save()
    return out.getvalue()


def runs(text: str) -> set[tuple[str, ...]]:
    """Every five words that follow each other."""
    words = re.findall(r"\w+", text)
    return {tuple(words[i : i + 5]) for i in range(len(words) - 4)}


def main() -> None:
    """A row for each kind of page and library."""
    writer = Writer(0)
    paragraphs = [writer.paragraph(6) for _ in range(PARAGRAPHS)]
    narrow = [textwrap.wrap(" ".join(paragraphs[i : i + 4]), 42)[:45] for i in (0, 4)]
    wide = textwrap.wrap(" ".join(paragraphs[:8]), 80)[:45]
    kinds: dict[str, tuple[bytes, list[str]]] = {
        "one column": (flowing(paragraphs, 1), paragraphs),
        "two columns": (flowing(paragraphs, 2), paragraphs),
        "letter by letter": (lettered(wide), [" ".join(wide)]),
        "two columns drawn across": (across(*narrow), [" ".join(lines) for lines in narrow]),
    }
    print("| pages | library | ms a page | runs of five words kept |\n|---|---|---|---|")
    for kind, (data, texts) in kinds.items():
        pages = len(PdfReader(io.BytesIO(data)).pages)
        wanted = set().union(*(runs(text) for text in texts))
        for name, read in READERS.items():
            seconds = []
            for _ in range(ROUNDS):
                began = time.perf_counter()
                text = read(data)
                seconds.append(time.perf_counter() - began)
            kept = len(wanted & runs(text)) / len(wanted)
            print(f"| {kind} | {name} | {min(seconds) / pages * 1000:.1f} | {kept:.3f} |")


if __name__ == "__main__":
    main()

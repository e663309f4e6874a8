"""Real PDFs, as Debian's packages bring them, and sentences of them that could be quoted.

Ligatures, broken words, formulas, tables, sentences that go over the page; one is turned.
"""

from __future__ import annotations

import gzip
import io
import random
import re
import unicodedata
from pathlib import Path

import pypdfium2 as pdfium
import pytest

from upheld.generation.candidates import sentences_of
from upheld.ingest.read import ReadDocument
from upheld.types import Passage

DOC = Path("/usr/share/doc")
PACKAGES = {
    "bzip2": "bzip2/manual.pdf.gz",
    "debian-reference-en": "../debian-reference/debian-reference.en.pdf",
    "fontconfig": "fontconfig/fontconfig-user.pdf.gz",
    "gnuplot-doc": "gnuplot/gnuplot.pdf",
    "graphviz-doc": "graphviz/pdf/dotguide.pdf.gz",
    "libtasn1-doc": "libtasn1-doc/libtasn1.pdf",
    "nettle-dev": "nettle-dev/nettle.pdf.gz",
    "shared-mime-info": "shared-mime-info/shared-mime-info-spec.pdf",
    "valgrind": "valgrind/valgrind_manual.pdf.gz",
    "zlib1g-dev": "zlib1g-dev/crc-doc.1.0.pdf.gz",
}
TURNED = "graphviz-doc"
ROW_HEADERS = re.compile(r"(?:^|(?<=; ))\w[\w ]*: ")  # which the reader puts before each cell
EACH, ACROSS = 5, 2  # quotes of a document, and how many of them go over the page, if there are any


def original(package: str) -> bytes:
    path = DOC / PACKAGES[package]
    if not path.exists():
        pytest.skip(f"needs Debian's packages: apt-get install {' '.join(PACKAGES)}")
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return turned(data) if package == TURNED else data


def turned(data: bytes) -> bytes:
    """The same document with its pages on their side."""
    pdf, out = pdfium.PdfDocument(data), io.BytesIO()
    for number in range(len(pdf)):
        pdf[number].set_rotation(90)
    pdf.save(out)
    return out.getvalue()


def quotes(document: ReadDocument) -> list[tuple[int, int]]:
    """Sentences that could be quoted; those that go over the page come first."""
    whole = Passage("a", document.text, "a", "v", 0, len(document.text))
    spans = [(each.start, each.end) for each in sentences_of([whole])]
    spans = [(start, end) for start, end in spans if 30 < end - start < 500]
    dice = random.Random(7)
    across = [
        span for span in spans if any(span[0] < border < span[1] for border in document.pages)
    ]
    drawn = dice.sample(across, min(ACROSS, len(across)))
    return [*drawn, *dice.sample(spans, EACH - len(drawn))]


def plain(text: str) -> str:
    """Without what the reader or the line break added, and with letters instead of ligatures.

    Glyphs that have no letter of their own, such as parts of brackets, are control characters.
    """
    letters = unicodedata.normalize("NFKC", text)
    return re.sub(r"[\s\x00-\x1f\u00ad\ufffe;|-]", "", letters)


def is_quote(found: str, quote: str) -> bool:
    """Whether what was found on a page is the quote; a row's headers stand elsewhere."""
    return plain(found) in (plain(quote), plain(ROW_HEADERS.sub("", quote)))

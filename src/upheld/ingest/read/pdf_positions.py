"""Where the characters of a PDF's text are on its pages, and a page as a picture.

A span of the text is never searched for on the page. The page is read again by the code that made
the text, every code point is followed from PDFium's characters to the canonical text, and the
result must be the text that was indexed: otherwise nothing is marked.
"""

from __future__ import annotations

import ctypes
import math
import struct
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from upheld.errors import NotFoundError, ReadError
from upheld.ingest.read.document import without_controls
from upheld.ingest.read.pdf import SOFT_HYPHEN, PageText, Piece, open_pdf, page_text
from upheld.text.patterns import normalized
from upheld.types import content_hash

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage, PdfTextPage

MOST_PIXELS = 8_000_000
_GRID = 1_000_000  # PDFium converts page coordinates to whole numbers
_GAP = 3.0  # times the height of a line: what is further apart is not marked as one
_SAME_LINE = 0.5  # the same: how far apart two base lines may be, for exponents
_LEAST_HEIGHT = 3.0  # points, for lines of dots
_UPRIGHT = 0.05  # radians by which a line may be oblique and still count as straight
_JAMO = (range(0x1160, 0x1200), range(0xD7B0, 0xD800))  # vowels and finals, which compose

Origin = tuple[int, ...]  # indexes into PDFium's text of the page; empty: added by the reader


@dataclass(frozen=True, slots=True)
class PageSpan:
    """Code points `start` to `end` of one page's text, whose hash is `text_hash`; pages from 0."""

    page: int
    start: int
    end: int
    text_hash: str


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A part of a page as it is shown, in fractions of its width and height from the top left."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class MarkedPage:
    """The rectangles of a span on one page; None if its text is not the one that was indexed."""

    page: int
    width: float  # points
    height: float
    rectangles: tuple[Rectangle, ...] | None


def locate(data: bytes, name: str, spans: Sequence[PageSpan]) -> list[MarkedPage]:
    """Return the rectangles of each span; raises `ReadError` if the PDF cannot be opened."""
    pdf = open_pdf(data, name)
    try:
        return [_locate(pdf, span) for span in spans]
    finally:
        pdf.close()


def render_page(data: bytes, name: str, number: int, width: int) -> bytes:
    """Render a page, counted from 0, as a PNG of so many pixels across, or fewer if it is long.

    Raises `NotFoundError` if there is no such page.
    """
    from pypdfium2 import PdfiumError

    pdf = open_pdf(data, name)
    try:
        if not 0 <= number < len(pdf):
            raise NotFoundError(f"There is no page {number + 1} of {len(pdf)}.")
        page = pdf[number]
        across, down = (max(side, 1.0) for side in page.get_size())
        scale = min(width / across, math.sqrt(MOST_PIXELS / (across * down)))
        bitmap = page.render(scale=scale, rev_byteorder=True, prefer_bgrx=False)
        rows = bytes(bitmap.buffer)
        return _png(rows, bitmap.width, bitmap.height, bitmap.stride, bitmap.n_channels)
    except PdfiumError as broken:
        raise ReadError(f"{name} has a page that cannot be shown ({broken})") from broken
    finally:
        pdf.close()


def trace(read: PageText) -> list[Origin] | None:
    """Return what each code point of a page's text was made of; None if that is not certain."""
    text = "".join(piece.text for piece in read.pieces)
    origins = [origin for piece in read.pieces for origin in _of_piece(piece)]
    dropped = {at for match in SOFT_HYPHEN.finditer(text) for at in range(*match.span())}
    text, origins = _without(text, origins, dropped)
    returns = {at for at in range(len(text) - 1) if text.startswith("\r\n", at)}
    bom = {0} if text.startswith("\ufeff") else set()
    _, origins = _without(text, origins, returns | bom)
    text, origins = _composed(without_controls(text), origins)
    start = len(text) - len(text.lstrip())
    if text.strip() != read.text or len(text) != len(origins):
        return None
    return origins[start : start + len(read.text)]


def _of_piece(piece: Piece) -> Iterator[Origin]:
    if piece.is_row:  # any part of a row stands for all of its words
        whole = tuple(at for span in piece.spans for at in range(*span))
        return iter([whole] * len(piece.text))
    if piece.spans:
        return ((at,) for at in range(*piece.spans[0]))
    return iter([()] * len(piece.text))


def _without(text: str, origins: list[Origin], dropped: set[int]) -> tuple[str, list[Origin]]:
    if not dropped:
        return text, origins
    left = [at for at in range(len(text)) if at not in dropped]
    return "".join(text[at] for at in left), [origins[at] for at in left]


def _composed(text: str, origins: list[Origin]) -> tuple[str, list[Origin]]:
    """Normalise to NFC letter by letter: a composed letter has the origins of all its parts."""
    if text == normalized("NFC", text):
        return text, origins
    starts = [at for at, letter in enumerate(text) if at == 0 or _begins(letter)]
    parts: list[str] = []
    composed: list[Origin] = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        part, own = normalized("NFC", text[start:end]), origins[start:end]
        parts.append(part)
        if part != text[start:end]:
            own = [tuple(at for origin in own for at in origin)] * len(part)
        composed += own
    return "".join(parts), composed


def _begins(letter: str) -> bool:
    """Return whether a letter can be separated from the one before it."""
    is_jamo = any(ord(letter) in each for each in _JAMO)
    return not is_jamo and not unicodedata.category(letter).startswith("M")


def _locate(pdf: PdfDocument, span: PageSpan) -> MarkedPage:
    if not 0 <= span.page < len(pdf):
        return MarkedPage(span.page, 0.0, 0.0, None)
    page = pdf[span.page]
    try:
        width, height = page.get_size()
        textpage = page.get_textpage()
        rectangles = _rectangles(pdf, page, textpage, span)
        return MarkedPage(span.page, width, height, rectangles)
    finally:
        page.close()


def _rectangles(
    pdf: PdfDocument, page: PdfPage, textpage: PdfTextPage, span: PageSpan
) -> tuple[Rectangle, ...] | None:
    read = page_text(page, textpage, _carried(pdf, span.page))
    if content_hash(read.text) != span.text_hash:
        return None
    origins, indexes = trace(read), _char_indexes(page, textpage)
    if origins is None or indexes is None:
        return None
    wanted = (at for origin in origins[span.start : span.end] for at in origin)
    chars = dict.fromkeys(indexes[at] for at in wanted)  # in order, and each once
    on_page = _OnPage(page)
    return tuple(on_page(box) for box in _merged(_glyphs(textpage, chars)))


def _carried(pdf: PdfDocument, number: int) -> tuple[str, ...]:
    """Return the column names of a table that may continue on a page, as reading all pages does."""
    before: list[PdfPage] = []
    names: tuple[str, ...] = ()
    try:
        while number > 0:  # back to the first page of a table
            number -= 1
            before.append(pdf[number])
            if not page_text(before[-1], before[-1].get_textpage(), ()).names:
                break
        for page in reversed(before):
            names = page_text(page, page.get_textpage(), names).names
    finally:
        for page in before:
            page.close()
    return names


def _char_indexes(page: PdfPage, textpage: PdfTextPage) -> list[int] | None:
    """Return PDFium's index of each code point of its text of the page; None if they differ.

    The text leaves out characters beside the page and those without a code, and has line ends of
    its own. So spaces, which have no extent, are not followed; all else must be the same in order.
    """
    from pypdfium2.raw import FPDFText_GetUnicode

    text, count = textpage.get_text_bounded(), textpage.count_chars()
    codes = [FPDFText_GetUnicode(textpage, at) for at in range(count)]
    if len(text) == count and all(ord(letter) == codes[at] for at, letter in enumerate(text)):
        return list(range(count))
    frame = page.get_bbox()
    printed = [
        at
        for at in range(count)
        if codes[at] and not chr(codes[at]).isspace() and _touches(frame, textpage, at)
    ]
    if [chr(codes[at]) for at in printed] != [each for each in text if not each.isspace()]:
        return None
    following = iter(printed)
    return [-1 if letter.isspace() else next(following) for letter in text]


def _touches(frame: tuple[float, float, float, float], textpage: PdfTextPage, at: int) -> bool:
    left, bottom, right, top = frame
    own_left, own_bottom, own_right, own_top = _char_box(textpage, at)
    return own_left <= right and own_right >= left and own_bottom <= top and own_top >= bottom


_Box = tuple[float, float, float, float]  # left, bottom, right, top, in points from the bottom left


@dataclass(frozen=True, slots=True)
class _Glyph:
    box: _Box
    along: bool | None  # whether its line runs across the page; False: up or down; None: obliquely
    base: float  # where its base line is, in the other direction


def _char_box(textpage: PdfTextPage, at: int) -> _Box:
    from pypdfium2.raw import FPDFText_GetCharBox

    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    FPDFText_GetCharBox(textpage, at, left, right, bottom, top)
    return left.value, bottom.value, right.value, top.value


def _glyphs(textpage: PdfTextPage, chars: Iterator[int] | dict[int, None]) -> Iterator[_Glyph]:
    """Yield the characters that have an extent: no spaces and no line ends."""
    from pypdfium2.raw import FPDFText_GetCharAngle, FPDFText_GetCharOrigin

    x, y = ctypes.c_double(), ctypes.c_double()
    for at in chars:
        if at < 0:
            continue
        box = _char_box(textpage, at)
        if box[2] <= box[0] or box[3] <= box[1]:
            continue
        turns = FPDFText_GetCharAngle(textpage, at) / (math.pi / 2)
        FPDFText_GetCharOrigin(textpage, at, x, y)
        straight = abs(turns - round(turns)) < _UPRIGHT
        along = round(turns) % 2 == 0 if straight else None
        yield _Glyph(box, along, y.value if along else x.value)


def _merged(glyphs: Iterator[_Glyph]) -> Iterator[_Box]:
    """Join the boxes of characters that follow each other on one line."""
    last: _Glyph | None = None
    box: _Box | None = None
    for glyph in glyphs:
        if box is not None and last is not None and _continues(box, last, glyph):
            left, bottom, right, top = zip(box, glyph.box, strict=True)
            box = min(left), min(bottom), max(right), max(top)
        else:
            if box is not None:
                yield box
            box = glyph.box
        last = glyph
    if box is not None:
        yield box


def _continues(box: _Box, last: _Glyph, glyph: _Glyph) -> bool:
    if last.along is None or last.along != glyph.along:
        return False
    first = 0 if glyph.along else 1  # the direction of the line
    other = 1 - first
    height = max(box[other + 2] - box[other], glyph.box[other + 2] - glyph.box[other])
    height = max(height, _LEAST_HEIGHT)
    gap = max(glyph.box[first] - last.box[first + 2], last.box[first] - glyph.box[first + 2])
    return abs(glyph.base - last.base) <= _SAME_LINE * height and gap <= _GAP * height


@dataclass(frozen=True, slots=True)
class _OnPage:
    """Converts boxes to fractions of the page as it is shown: cropped, and rotated."""

    page: PdfPage

    def __call__(self, box: _Box) -> Rectangle:
        left, bottom, right, top = box
        across, down = zip(self._shown(left, top), self._shown(right, bottom), strict=True)
        return Rectangle(min(across), min(down), max(across), max(down))

    def _shown(self, x: float, y: float) -> tuple[float, float]:
        from pypdfium2.raw import FPDF_PageToDevice

        across, down = ctypes.c_int(), ctypes.c_int()
        FPDF_PageToDevice(self.page, 0, 0, _GRID, _GRID, 0, x, y, across, down)
        return across.value / _GRID, down.value / _GRID


def _png(rows: bytes, width: int, height: int, stride: int, channels: int) -> bytes:
    """Encode pixels as PNG, so that no imaging library is needed."""
    colour = {1: 0, 3: 2, 4: 6}[channels]
    length = width * channels
    lines = b"".join(b"\0" + rows[at : at + length] for at in range(0, stride * height, stride))
    header = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )

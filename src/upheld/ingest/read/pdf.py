"""Read PDF: pypdfium2 extracts the lines of each page; their positions show the paragraphs."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import TYPE_CHECKING

from upheld.errors import MissingExtraError, ReadError
from upheld.ingest.read.document import Heading, ReadDocument, canonical, one_line
from upheld.ingest.read.pdf_tables import EDGE, PdfTable, find_tables

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage, PdfTextPage

_PASSWORD_NEEDED = 4  # FPDF_ERR_PASSWORD
_NO_TITLES = frozenset(("about:blank", "untitled", "untitled document"))  # by print commands
# PDFium writes a hyphen at the end of a line as U+FFFE or U+0002, together with the line end.
SOFT_HYPHEN = re.compile("[\ufffe\x02](?:\r?\n)?")
_LINE_END = "\r\n"
_MOST_BOOKMARKS = 10_000
_PARAGRAPH = 1.3  # times the usual line spacing
_RUNS_ON = re.compile(r"[^\W\d_]|[,;\-–]")


def open_pdf(data: bytes, name: str) -> PdfDocument:
    """Open a PDF; raises `ReadError` if it is encrypted or broken."""
    try:
        import pypdfium2 as pdfium
    except ImportError as missing:
        raise MissingExtraError("Reading PDF", "readers") from missing

    try:
        return pdfium.PdfDocument(data)
    except pdfium.PdfiumError as broken:
        if getattr(broken, "err_code", None) == _PASSWORD_NEEDED:
            raise ReadError(
                f"{name} is encrypted", help="Save a copy without a password and add that."
            ) from broken
        raise ReadError(
            f"{name} is not a PDF that can be opened", help="Check that the file is complete."
        ) from broken


def read_pdf(data: bytes, name: str) -> ReadDocument:
    """Join the pages of a PDF, with the offset of each and the headings of its outline."""
    pdf = open_pdf(data, name)
    from pypdfium2 import PdfiumError

    try:
        text, pages = _join(list(_page_texts(pdf)))
        if not text.strip():
            raise ReadError(
                f"{name} has no text: it looks scanned",
                help="Run it through OCR (for example ocrmypdf) and add the result.",
            )
        title = one_line(pdf.get_metadata_dict().get("Title", ""))
        title = "" if title.casefold() in _NO_TITLES else title
        return ReadDocument(text, title, pages, _outline(pdf, text, pages))
    except PdfiumError as broken:
        raise ReadError(f"{name} has a page that cannot be read ({broken})") from broken
    finally:
        pdf.close()


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a page's text: a line, a table row, or what stands between them.

    `spans` are the ranges of PDFium's text of the page that it was made of. A line has one, of its
    own length; a table row has those of its words; what stands between has none.
    """

    text: str
    spans: tuple[tuple[int, int], ...] = ()
    is_row: bool = False


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of a page with the pieces that it is made of."""

    text: str
    pieces: tuple[Piece, ...]
    names: tuple[str, ...]  # column names of a table that may continue on the next page


def _page_texts(pdf: PdfDocument) -> Iterator[str]:
    names: tuple[str, ...] = ()
    for number in range(len(pdf)):
        page = pdf[number]
        try:
            read = page_text(page, page.get_textpage(), names)
        finally:
            page.close()
        names = read.names
        yield read.text


def page_text(page: PdfPage, textpage: PdfTextPage, carried: tuple[str, ...]) -> PageText:
    """Return the text of a page; `carried` are column names of the page before."""
    lines = textpage.get_text_bounded().split(_LINE_END)
    gaps, tables = [False] * len(lines), list[PdfTable]()
    # Positions are used only if PDFium counts the page's characters as we do.
    if textpage.count_chars() == sum(map(len, lines)) + len(_LINE_END) * (len(lines) - 1):
        gaps = [False, *_gaps(textpage, lines)]
        tables = find_tables(page, textpage, lines, carried)
    pieces = _lay_out(lines, gaps, tables)
    text = SOFT_HYPHEN.sub("", "".join(piece.text for piece in pieces))
    goes_on = tables and tables[-1].last >= len(lines) - EDGE
    names = tables[-1].names if goes_on else ()
    return PageText(canonical(text).strip(), tuple(pieces), names)


def _lay_out(lines: list[str], gaps: list[bool], tables: list[PdfTable]) -> list[Piece]:
    """Join the lines of a page into paragraphs, and put table rows in place of their lines."""
    pieces: list[Piece] = []
    in_table = {number: table for table in tables for number in range(table.first, table.last)}
    start = 0
    for number, (line, gap) in enumerate(zip(lines, gaps, strict=True)):
        before, table = in_table.get(number - 1), in_table.get(number)
        at, start = start, start + len(line) + len(_LINE_END)
        if table is not None and number > table.first:
            continue
        if pieces:
            apart = table or before or (gap and not _goes_on(pieces[-1].text, line))
            pieces.append(Piece("\n\n" if apart else _LINE_END))
        if table is None:
            pieces.append(Piece(line, ((at, at + len(line)),)))
            continue
        for index, (row, words) in enumerate(zip(table.rows, table.words, strict=True)):
            pieces += [Piece("\n")] if index else []
            pieces.append(Piece(row, words, is_row=True))
    return pieces


def _gaps(textpage: PdfTextPage, lines: list[str]) -> list[bool]:
    """Return, for each line, whether a wide gap or a jump up the page precedes it."""
    from pypdfium2.raw import FPDFText_GetCharOrigin

    ends = list(accumulate(lines, lambda at, line: at + len(line) + len(_LINE_END), initial=0))
    x, y = ctypes.c_double(), ctypes.c_double()

    def height(at: int) -> float:
        FPDFText_GetCharOrigin(textpage, at, x, y)
        return y.value

    steps = [
        height(before + len(line.rstrip()) - 1) - height(after)
        for before, line, after in zip(ends, lines[:-1], ends[1:], strict=False)
    ]
    down = sorted(step for step in steps if step > 0) or [0.0]
    pitch = down[len(down) // 4]  # on a page of short paragraphs most steps may be wide
    return [step > _PARAGRAPH * pitch or step < -pitch for step in steps]


def _goes_on(text: str, line: str) -> bool:
    """Return whether a line continues a sentence, whatever the layout."""
    return line[:1].islower() and bool(_RUNS_ON.match(text[-1:]))


def _join(pages: list[str]) -> tuple[str, tuple[int, ...]]:
    """Join pages into one text; a sentence may continue across a page break."""
    parts: list[str] = []
    starts: list[int] = []
    length = 0
    for page in pages:
        between = ("\n" if _RUNS_ON.match(parts[-1][-1:]) else "\n\n") if parts else ""
        starts.append(length + len(between))
        length = starts[-1] + len(page)
        parts += (between, page)
    return "".join(parts), tuple(starts)


def _outline(pdf: PdfDocument, text: str, pages: tuple[int, ...]) -> tuple[Heading, ...]:
    """Return bookmarks as headings, at their words on the page, or else at the page's start."""
    found: list[Heading] = []
    for bookmark in islice(pdf.get_toc(), _MOST_BOOKMARKS):
        destination, title = bookmark.get_dest(), one_line(bookmark.get_title())
        number = destination.get_index() if destination else None
        if number is None or not title or not 0 <= number < len(pages):
            continue
        end = pages[number + 1] if number + 1 < len(pages) else len(text)
        at = text.find(title, pages[number], end)
        found.append(Heading(pages[number] if at < 0 else at, bookmark.level + 1, title))
    return tuple(sorted(found, key=lambda heading: heading.start))

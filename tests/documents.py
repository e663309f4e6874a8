"""Documents of every format that is read, made by the tests that read them."""

from __future__ import annotations

import html
import io
import zipfile
from collections.abc import Mapping, Sequence

import docx
import openpyxl
import pptx
from docx.enum.style import WD_STYLE_TYPE
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

Row = Sequence[object]


def make_pdf(
    pages: Sequence[Sequence[str]],
    *,
    title: str = "",
    outline: Sequence[tuple[int, int, str]] = (),
    password: str = "",
) -> bytes:
    """Pages of lines; the outline has (page, level from 0, title)."""
    out = io.BytesIO()
    encryption = StandardEncryption(password, canPrint=1) if password else None
    canvas = Canvas(out, encrypt=encryption, invariant=1)
    canvas.setTitle(title)
    for number, lines in enumerate(pages):
        for page, level, bookmark in outline:
            if page == number:
                canvas.bookmarkPage(bookmark)
                canvas.addOutlineEntry(bookmark, bookmark, level)
        for line_number, line in enumerate(lines):
            canvas.drawString(72, 770 - 16 * line_number, line)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def make_docx(parts: Sequence[tuple[str, str]], table: Sequence[Row] = ()) -> bytes:
    """Parts are (style, text): "Title", "Heading 1", "Normal", "List Bullet"."""
    document = docx.Document()
    # The template's 100 kB of table styles take ten times as long to read as what a test writes.
    for style in [each for each in document.styles if each.type is WD_STYLE_TYPE.TABLE]:
        if style.name not in ("Normal Table", "Table Grid"):
            style.delete()
    for style, text in parts:
        document.add_paragraph(text, style=style)
    if table:
        grid = document.add_table(len(table), len(table[0]))
        for row, values in zip(grid.rows, table, strict=True):
            for cell, value in zip(row.cells, values, strict=True):
                cell.text = str(value)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def make_pptx(slides: Sequence[tuple[str, str]]) -> bytes:
    """Slides with a title and a body."""
    deck = pptx.Presentation()
    for title, body in slides:
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = body
    out = io.BytesIO()
    deck.save(out)
    return out.getvalue()


def make_xlsx(sheets: Mapping[str, Sequence[Row]]) -> bytes:
    """Sheets of rows."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(list(row))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def make_html(parts: Sequence[tuple[str, str]], title: str = "") -> bytes:
    """Parts are (tag, text)."""
    body = "".join(f"<{tag}>{html.escape(text)}</{tag}>" for tag, text in parts)
    head = f"<meta charset='utf-8'><title>{html.escape(title)}</title>"
    return f"<!doctype html><html><head>{head}</head><body>{body}</body></html>".encode()


def make_epub(title: str, chapters: Sequence[tuple[str, Sequence[str]]]) -> bytes:
    """Chapters with a heading and paragraphs."""
    out = io.BytesIO()
    names = [f"chapter{number}.xhtml" for number in range(len(chapters))]
    items = "".join(
        f'<item id="{n}" href="{n}" media-type="application/xhtml+xml"/>' for n in names
    )
    spine = "".join(f'<itemref idref="{n}"/>' for n in names)
    with zipfile.ZipFile(out, "w") as book:
        book.writestr("mimetype", "application/epub+zip")
        book.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">'
            '<rootfiles><rootfile full-path="OEBPS/content.opf"'
            ' media-type="application/oebps-package+xml"/></rootfiles></container>',
        )
        book.writestr(
            "OEBPS/content.opf",
            '<package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
            f'<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{html.escape(title)}'
            f"</dc:title></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>",
        )
        for name, (heading, paragraphs) in zip(names, chapters, strict=True):
            body = "".join(f"<p>{html.escape(text)}</p>" for text in paragraphs)
            book.writestr(
                f"OEBPS/{name}",
                f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{html.escape(heading)}'
                f"</title></head><body><h1>{html.escape(heading)}</h1>{body}</body></html>",
            )
    return out.getvalue()

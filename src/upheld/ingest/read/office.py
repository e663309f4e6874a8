"""Read DOCX, PPTX and EPUB: markitdown converts them to Markdown."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from upheld.errors import MissingExtraError, ReadError
from upheld.ingest.read.document import ReadDocument, canonical
from upheld.ingest.read.markdown import from_markdown, markdown_headings

if TYPE_CHECKING:
    from markitdown import DocumentConverter, DocumentConverterResult

_SLIDE = re.compile(r"<!-- Slide number: \d+ -->\n?")
_WORD_TEXT = "word/document.xml"
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TREATED = re.compile(rb"<(?:table|style|dialog)\b|\b(?:hidden|style|bgcolor|color)\s*=|\bhidden\b")
_IMAGE = re.compile(r"!\[((?:(?!!\[)[^\]\n])*+)\]\([^)\n]*+\)")
# Quotes must equal the source, so only characters that are Markdown syntax are escaped.
_OPTIONS: dict[str, Any] = {
    "escape_asterisks": False,
    "escape_underscores": False,
    "style_map": "p[style-name='Title'] => h1:fresh",
}


def read_docx(data: bytes, name: str) -> ReadDocument:
    """Read a Word document; its styles make the headings."""
    data, hidden = _without_hidden_runs(data)
    converter = _through_html(_converters().DocxConverter(), first_row_names=True)
    markdown = _convert(converter, data, name).markdown
    return replace(from_markdown(_without_images(markdown)), hidden=hidden)


def read_epub(data: bytes, name: str) -> ReadDocument:
    """Read a book, with its chapters in reading order."""
    converter = _through_html(_converters().EpubConverter())
    result = _convert(converter, data, name)
    document = from_markdown(_without_images(result.markdown), result.title or "")
    return replace(document, hidden=converter._html_converter.hidden)


def read_pptx(data: bytes, name: str) -> ReadDocument:
    """Read a slide deck; its slides are pages."""
    result = _convert(_through_html(_converters().PptxConverter()), data, name)
    slides = _SLIDE.split(_without_images(result.markdown))[1:]
    unseen = _hidden_slides(data)
    text, pages, hidden = "", [], 0
    for number, slide in enumerate(slides):
        text += "\n\n" if text and text[-1] != "\n" else ""
        pages.append(len(text))
        if number in unseen:
            hidden += len("".join(slide.split()))
        else:
            text += canonical(slide).strip()
    headings = markdown_headings(text)
    title = headings[0].title if headings else ""
    return ReadDocument(text, title, tuple(pages), headings, hidden)


def _converters() -> Any:
    # markitdown publishes no types for its converters' options
    try:
        from markitdown import converters
    except ImportError as missing:
        raise MissingExtraError("Reading DOCX, PPTX and EPUB", "readers") from missing
    return converters


def _through_html(converter: Any, *, first_row_names: bool = False) -> Any:
    """Return a converter whose intermediate HTML is treated like that of web pages.

    markitdown gives a Word table an empty header: Word documents do not mark theirs, and Markdown
    has no table without one.
    """
    from lxml import html

    from upheld.ingest.read.hidden import remove_hidden
    from upheld.ingest.read.html_tables import flatten_tables, restore_rows

    class Converter(_converters().HtmlConverter):  # type: ignore[misc]
        hidden = 0  # characters in everything converted

        def convert(self, file_stream: Any, stream_info: Any, **options: Any) -> Any:
            data = file_stream.read()
            if _TREATED.search(data):
                parser = html.HTMLParser(encoding=stream_info.charset or "utf-8")
                tree = html.document_fromstring(data, parser=parser)
                self.hidden += remove_hidden(tree)
                flatten_tables(tree, first_row_names=first_row_names)
                data = html.tostring(tree, encoding="utf-8")
            result = super().convert(io.BytesIO(data), stream_info, **options)
            result.markdown = restore_rows(result.markdown)
            return result

    converter._html_converter = Converter()
    return converter


def _without_hidden_runs(data: bytes) -> tuple[bytes, int]:
    """Remove text formatted as hidden from a Word document; also return its number of characters.

    An invalid file is returned as it is; the converter will report the error.
    """
    from lxml import etree

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            main = package.read(_WORD_TEXT)
            if b"vanish" not in main:
                return data, 0
            others = {each.filename: package.read(each) for each in package.infolist()}
        root = etree.fromstring(main, etree.XMLParser(resolve_entities=False, no_network=True))
    except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, etree.XMLSyntaxError):
        return data, 0
    hidden = 0
    for mark in list(root.iterfind(f".//{_W}r/{_W}rPr/{_W}vanish")):
        if mark.get(f"{_W}val", "true") not in ("0", "false", "off"):
            run = mark.getparent().getparent()
            hidden += len("".join("".join(each.text or "" for each in run.iter(f"{_W}t")).split()))
            run.getparent().remove(run)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        for filename, content in (others | {_WORD_TEXT: etree.tostring(root)}).items():
            package.writestr(filename, content)
    return out.getvalue(), hidden


def _hidden_slides(data: bytes) -> set[int]:
    """Return the indexes of slides that a slide show skips, counted from zero."""
    import pptx

    with zipfile.ZipFile(io.BytesIO(data)) as package:
        names = [name for name in package.namelist() if name.startswith("ppt/slides/slide")]
        if not any(b'show="' in package.read(name) for name in names):
            return set()
    slides = pptx.Presentation(io.BytesIO(data)).slides
    return {at for at, slide in enumerate(slides) if slide._element.get("show") in ("0", "false")}


def _convert(converter: DocumentConverter, data: bytes, name: str) -> DocumentConverterResult:
    from markitdown import MissingDependencyException, StreamInfo

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about odd mark-up are of no use here
            return converter.convert(io.BytesIO(data), StreamInfo(), **_OPTIONS)
    except MissingDependencyException as missing:
        raise MissingExtraError("Reading DOCX, PPTX and EPUB", "readers") from missing
    except MemoryError:
        raise
    except Exception as broken:  # each format has its own parser with its own errors
        raise ReadError(
            f"{name} cannot be opened ({type(broken).__name__}: {broken})",
            help="Check that the file is complete and not encrypted.",
        ) from broken


def _without_images(markdown: str) -> str:
    """Replace images by their descriptions."""
    return "\n".join(map(_line_without_images, markdown.split("\n")))


def _line_without_images(line: str) -> str:
    end = line.rfind(")") + 1  # no address ends after this, so the search stops here
    return _IMAGE.sub(r"\1", line[:end]) + line[end:] if "![" in line else line

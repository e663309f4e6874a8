"""DOCX, PPTX and EPUB: markitdown's converters give Markdown."""

from __future__ import annotations

import io
import re
import warnings
from typing import TYPE_CHECKING, Any

from upheld.errors import MissingExtraError, ReadError
from upheld.ingest.read.document import ReadDocument, canonical
from upheld.ingest.read.markdown import from_markdown, markdown_headings

if TYPE_CHECKING:
    from markitdown import DocumentConverter, DocumentConverterResult

_SLIDE = re.compile(r"<!-- Slide number: \d+ -->\n?")
_IMAGE = re.compile(r"!\[([^\]\n]*)\]\([^)\n]*\)")
# Quotes must read as the source does, so nothing that is not Markdown's own is escaped.
_OPTIONS: dict[str, Any] = {
    "escape_asterisks": False,
    "escape_underscores": False,
    "style_map": "p[style-name='Title'] => h1:fresh",
}


def read_docx(data: bytes, name: str) -> ReadDocument:
    """A Word document; its styles make the headings."""
    converter = _with_tables(_converters().DocxConverter(), first_row_names=True)
    return from_markdown(_without_images(_convert(converter, data, name).markdown))


def read_epub(data: bytes, name: str) -> ReadDocument:
    """A book, its chapters in reading order."""
    result = _convert(_with_tables(_converters().EpubConverter()), data, name)
    return from_markdown(_without_images(result.markdown), result.title or "")


def read_pptx(data: bytes, name: str) -> ReadDocument:
    """A slide deck; slides are its pages."""
    result = _convert(_with_tables(_converters().PptxConverter()), data, name)
    slides = _SLIDE.split(_without_images(result.markdown))[1:]
    text, pages = "", []
    for slide in slides:
        text += "\n\n" if text else ""
        pages.append(len(text))
        text += canonical(slide).strip()
    headings = markdown_headings(text)
    title = headings[0].title if headings else ""
    return ReadDocument(text, title, tuple(pages), headings)


def _converters() -> Any:
    # markitdown publishes no types for its converters' options
    try:
        from markitdown import converters
    except ImportError as missing:
        raise MissingExtraError("Reading DOCX, PPTX and EPUB", "readers") from missing
    return converters


def _with_tables(converter: Any, *, first_row_names: bool = False) -> Any:
    """A converter whose HTML, between its format and Markdown, goes through our tables.

    markitdown gives a Word table an empty header: Word documents do not mark theirs, and Markdown
    knows no table without one.
    """
    from lxml import html

    from upheld.ingest.read.html_tables import flatten_tables, restore_rows

    class Converter(_converters().HtmlConverter):  # type: ignore[misc]
        def convert(self, file_stream: Any, stream_info: Any, **options: Any) -> Any:
            data = file_stream.read()
            if b"<table" in data:
                parser = html.HTMLParser(encoding=stream_info.charset or "utf-8")
                tree = html.document_fromstring(data, parser=parser)
                flatten_tables(tree, first_row_names=first_row_names)
                data = html.tostring(tree, encoding="utf-8")
            result = super().convert(io.BytesIO(data), stream_info, **options)
            result.markdown = restore_rows(result.markdown)
            return result

    converter._html_converter = Converter()
    return converter


def _convert(converter: DocumentConverter, data: bytes, name: str) -> DocumentConverterResult:
    from markitdown import MissingDependencyException, StreamInfo

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the parsers' notes on odd mark-up help nobody here
            return converter.convert(io.BytesIO(data), StreamInfo(), **_OPTIONS)
    except MissingDependencyException as missing:
        raise MissingExtraError("Reading DOCX, PPTX and EPUB", "readers") from missing
    except MemoryError:
        raise
    except Exception as broken:  # each format has its own parser, and each its own errors
        raise ReadError(
            f"{name} cannot be opened ({type(broken).__name__}: {broken})",
            help="Check that the file is complete and not encrypted.",
        ) from broken


def _without_images(markdown: str) -> str:
    """Pictures leave their description."""
    return _IMAGE.sub(r"\1", markdown)

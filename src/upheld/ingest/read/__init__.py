"""Readers: turn the bytes of one file format into canonical text."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import PurePath
from typing import cast

from upheld.errors import ReadError
from upheld.ingest.read.document import Heading, ReadDocument

__all__ = ["READERS_VERSION", "SUFFIXES", "Heading", "ReadDocument", "read"]

Read = Callable[[bytes, str], ReadDocument]

# Increase this if a reader's output changes: documents read by an older version are read again.
READERS_VERSION = "9"

# The reader of each suffix; its libraries are imported when the first such file is read.
SUFFIXES = {
    ".txt": "text.read_text",
    ".text": "text.read_text",
    ".log": "text.read_text",
    ".rst": "text.read_text",
    ".csv": "text.read_text",
    ".tsv": "text.read_text",
    ".md": "markdown.read_markdown",
    ".markdown": "markdown.read_markdown",
    ".html": "html.read_html",
    ".htm": "html.read_html",
    ".xhtml": "html.read_html",
    ".pdf": "pdf.read_pdf",
    ".docx": "office.read_docx",
    ".pptx": "office.read_pptx",
    ".epub": "office.read_epub",
    ".xlsx": "spreadsheet.read_xlsx",
}
_PDF = b"%PDF-"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def read(data: bytes, name: str) -> ReadDocument:
    """Read a document with the reader of its suffix, or of its first bytes if they are known."""
    document = _reader(data, name)(data, name)
    if not document.text.strip():
        raise ReadError(f"{name} has no text")
    return document


def _reader(data: bytes, name: str) -> Read:
    where = SUFFIXES.get(PurePath(name).suffix.lower())
    if data.startswith(_PDF):
        where = SUFFIXES[".pdf"]
    elif data.startswith(_OLE):
        raise ReadError(
            f"{name} is encrypted, or in the format of Office 2003 and before",
            help="Save it without a password as DOCX, PPTX or XLSX.",
        )
    if where is None:
        raise ReadError(f"{name} is of no format that can be read", help=_KNOWN)
    module, function = where.split(".")
    return cast("Read", getattr(import_module(f"{__name__}.{module}"), function))


_KNOWN = f"Known suffixes: {' '.join(sorted(SUFFIXES))}"

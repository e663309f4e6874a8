"""HTML: trafilatura finds the main text and gives it as Markdown, with its headings."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace

from upheld.errors import MissingExtraError, ReadError
from upheld.ingest.read.document import ReadDocument
from upheld.ingest.read.markdown import from_markdown

# Code as it stands, or a character that was escaped.
_CODE_OR_ESCAPE = re.compile(r"(?ms)^(`{3,}).*?^\1|`[^`\n]+`|\\([!-/:-@\[-`{-~])")


def read_html(data: bytes, name: str) -> ReadDocument:
    """The main text of a page; all of its text where no main text stands out."""
    try:
        import trafilatura
    except ImportError as missing:
        raise MissingExtraError("Reading HTML", "readers") from missing

    tree = trafilatura.load_html(data)
    if tree is None:
        raise ReadError(f"{name} is not HTML", help="Check that the file is complete.")
    title = tree.findtext(".//title") or ""
    main = trafilatura.extract(
        tree, output_format="markdown", include_comments=False, favor_recall=True
    )
    if main:
        return _unescaped(from_markdown(main, title))
    everything = trafilatura.html2txt(data)
    if not everything.strip():
        raise ReadError(
            f"{name} has no text", help="A page that scripts fill in must be saved after they ran."
        )
    return from_markdown(everything, title)


def _unescaped(document: ReadDocument) -> ReadDocument:
    """Without backslashes: they kept text from looking like headings, and no page has them."""
    escapes = [match.start() for match in _CODE_OR_ESCAPE.finditer(document.text) if match[2]]
    return replace(
        document,
        text=_CODE_OR_ESCAPE.sub(lambda match: match[2] or match[0], document.text),
        headings=tuple(
            replace(heading, start=heading.start - bisect_left(escapes, heading.start))
            for heading in document.headings
        ),
    )

"""The result of a reader: canonical text, and the offsets of its pages and headings."""

from __future__ import annotations

import re
from dataclasses import dataclass

from upheld.text.patterns import normalized

_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_LONGEST_TITLE = 150


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the document; `start` is the offset of its line."""

    start: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """The text and structure of a document; offsets are code points into `text`."""

    text: str
    title: str = ""
    pages: tuple[int, ...] = ()  # offset of each page; empty if the format has no pages
    headings: tuple[Heading, ...] = ()
    hidden: int = 0  # characters that the document hides from its readers; they are not in `text`


def canonical(text: str) -> str:
    """Normalise text to the form that is stored and that offsets refer to.

    NFC, because the same word typed on two systems must be found by one query; not NFKC, which
    changes the meaning (x² is not x2). Lines end in "\\n"; no controls, no lone surrogates.
    """
    return normalized("NFC", without_controls(text))


def without_controls(text: str) -> str:
    """Do what `canonical` does before NFC; only "\r\n" and a leading BOM change the length."""
    text = _LINE_ENDS.sub("\n", text.removeprefix("\ufeff"))
    return _SURROGATES.sub("\ufffd", _CONTROLS.sub(" ", text))


def one_line(title: str) -> str:
    """Put a title on one line and cut it to the length of a title."""
    line = " ".join(canonical(title).split())
    return line if len(line) <= _LONGEST_TITLE else line[: _LONGEST_TITLE - 1].rstrip() + "…"

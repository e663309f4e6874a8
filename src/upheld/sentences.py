"""Sentences with exact spans: nupunkt inside the blocks that line structure makes."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterable

from nupunkt import sent_spans

from upheld.continuation import join_around_code, join_blocks, join_sentences
from upheld.kept import kept

Span = tuple[int, int]

# Where a sentence cannot run on: blank lines, headings, list items, table rows, code fences.
_BLOCK = re.compile(
    r"\n[ \t]*\n"
    r"|\n(?=[ \t]*(?:[-*+•>]|#{1,6}|\d{1,3}[.)])[ \t])"
    r"|\n(?=[ \t]*\|)"
    r"|\n(?=```|~~~)"
    r"|(?<=\n)(?:```|~~~).*\n"
)
_HEADING_END = re.compile(r"(?m)^ {0,3}#{1,6}[ \t].*$")
_CJK_END = re.compile(r"[。！？]+[”」』）]*")


def sentence_spans(text: str, cuts: Iterable[int] = ()) -> list[Span]:
    """Spans of the sentences of a text, trimmed, in order, never overlapping; none spans a cut."""
    cuts = tuple(cuts)
    return _spans(text, cuts) if cuts else list(_uncut(text))


@kept(1_000)
def _uncut(text: str) -> tuple[Span, ...]:
    """Writer, checks and quotes ask for the sentences of the same passages, one after another."""
    return tuple(_spans(text, ()))


def _spans(text: str, cuts: Iterable[int]) -> list[Span]:
    return [
        span
        for start, end in block_spans(text, cuts)
        for span in sentences_of_block(text, start, end)
    ]


def sentences(text: str) -> list[str]:
    """The sentences themselves."""
    return [text[start:end] for start, end in sentence_spans(text)]


def block_spans(text: str, cuts: Iterable[int] = ()) -> list[Span]:
    """Spans of paragraphs, headings, list items and table rows, trimmed; `cuts` adds borders.

    A paragraph that goes on after a block of code is one block with it.
    """
    edges = sorted(cuts)
    between = itertools.groupby(
        _line_blocks(text, edges), lambda span: bisect_right(edges, span[0])
    )
    return [span for _, blocks in between for span in join_blocks(text, blocks)]


def _line_blocks(text: str, cuts: Iterable[int] = ()) -> list[Span]:
    """Blocks by line structure alone."""
    borders = {0, len(text), *cuts}
    borders.update(match.end() for match in _BLOCK.finditer(text))
    borders.update(match.end() for match in _HEADING_END.finditer(text))
    return _trimmed(text, sorted(borders))


def sentences_of_block(text: str, start: int, end: int) -> list[Span]:
    """Spans of the sentences inside one block."""
    return [(start + first, start + last) for first, last in _of_block(text[start:end])]


@kept(1_000)  # sentences and quotes of a passage are the same, block by block
def _of_block(block: str) -> tuple[Span, ...]:
    parts = [_split(block, start, end) for start, end in _line_blocks(block)]
    return tuple(join_around_code(block, parts))


def _split(text: str, start: int, end: int) -> list[Span]:
    spans: list[Span] = []
    for span in sent_spans(text[start:end]):
        first, last = start + span[0], start + span[1]
        ends = (match.end() for match in _CJK_END.finditer(text, first, last))
        spans += _trimmed(text, [first, *ends, last])
    return join_sentences(text, spans)


def _trimmed(text: str, borders: list[int]) -> list[Span]:
    """The non-white spans between borders."""
    spans: list[Span] = []
    for start, end in itertools.pairwise(borders):
        piece = text[start:end]
        body = piece.strip()
        if body:
            first = start + len(piece) - len(piece.lstrip())
            spans.append((first, first + len(body)))
    return spans

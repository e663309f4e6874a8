"""Sentences with exact spans: nupunkt inside the blocks that line structure makes.

Every function here takes time in proportion to its text, whatever the text is.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from nupunkt import sent_spans

from upheld._internal.cache import kept
from upheld.text.continuation import join_around_code, join_blocks, join_sentences

Span = tuple[int, int]

# A line, without its indent, that no sentence runs on into: list items, headings, table rows.
_OPENS_BLOCK = re.compile(r"(?:[-*+•>]|#{1,6}|\d{1,3}[.)])[ \t]|\|")
_FENCES = ("```", "~~~")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_LONGEST_ROW = 1_000  # characters; a longer line between bars is prose in a box
_CJK_END = re.compile(r"[。！？]+[”」』）]*")
# A block without any of these is one sentence, as most items of a list of thousands are.
_DIVIDED = re.compile(r"\A\||[\n.!?…。！？]")
# nupunkt takes quadratic time over text such as "?!?!?!", so it sees a long block in parts. What it
# decides depends on the words around a full stop: a margin on both sides gives the same borders.
_PART = 2_000
_MARGIN = 200


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
    return _trimmed(text, sorted({0, len(text), *cuts, *_block_borders(text)}))


def _block_borders(text: str) -> Iterator[int]:
    """Blank lines, list items, headings, table rows, code fences: where a block ends."""
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        line = text[start:end]
        body = line.lstrip(" \t")
        if not body:
            yield min(end + 1, len(text))
        elif line.startswith(_FENCES):
            if start:
                yield from (start, min(end + 1, len(text)))
        elif _OPENS_BLOCK.match(body):
            yield start
            if _HEADING.match(line):
                yield end
        start = end + 1


def sentences_of_block(text: str, start: int, end: int) -> list[Span]:
    """Spans of the sentences inside one block."""
    return [(start + first, start + last) for first, last in _of_block(text[start:end])]


@kept(1_000)  # sentences and quotes of a passage are the same, block by block
def _of_block(block: str) -> tuple[Span, ...]:
    if not _DIVIDED.search(block):
        return tuple(_trimmed(block, [0, len(block)]))
    parts = [_split(block, start, end) for start, end in _line_blocks(block)]
    return tuple(join_around_code(block, parts))


def _split(text: str, start: int, end: int) -> list[Span]:
    row = text[start:end] if end - start <= _LONGEST_ROW else ""
    if row.startswith("|") and row.endswith("|") and "\n" not in row:
        # A row of a table is one sentence, whatever stands in its cells; its outer bars are not.
        return _trimmed(text, [start + 1, max(end - 1, start + 1)])
    spans: list[Span] = []
    for begins, ends in itertools.pairwise(_sentence_borders(text[start:end])):
        first, last = start + begins, start + ends
        cjk_ends = (match.end() for match in _CJK_END.finditer(text, first, last))
        spans += _trimmed(text, [first, *cjk_ends, last])
    return join_sentences(text, spans)


def _sentence_borders(block: str) -> list[int]:
    """Where nupunkt says that sentences begin, and the end of the block."""
    borders = [0]
    decided = 0
    while decided < len(block):
        first, last = max(0, decided - _MARGIN), decided + _PART
        until = len(block) if last >= len(block) else last - _MARGIN
        starts = (first + start for start, _ in sent_spans(block[first:last]))
        borders += (start for start in starts if decided < start <= until)
        decided = until
    return [*borders, len(block)]


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

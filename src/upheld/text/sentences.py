"""Split text into sentences with exact spans: by lines into blocks, then by nupunkt.

Every function here takes linear time, for any text.

Sentences that were split by mistake are joined again. Manuals put code between the halves of a
sentence ("The command", a line of code, "cannot be run in a block"), and nupunkt ends one after
"help ?" or "N!". Half a sentence may say the opposite of the whole, so text that begins like the
middle of a sentence is joined with the text before it.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from nupunkt import sent_spans

from upheld._internal.cache import cached_in_run

Span = tuple[int, int]

_LONGEST = 3_000  # characters of a joined block before its last part
_MOST_BLOCKS = 40  # blocks to search backwards for the fence that opens a code block
_SEEN = 120  # characters at the start or end of a text that the patterns look at
_FEWEST_WORDS = 4  # of a paragraph that continues; shorter ones are titles
_FENCE = ("```", "~~~")
_ALONE = re.compile(r"#{1,6}[ \t]|\|")  # headings and table rows are never joined
_OPENS = re.compile(r"(?:[-*+•>]|\d{1,3}[.)])[ \t]")  # a list item begins a sentence
_FIRST_WORD = re.compile(r"[`*_\"“'(]{0,4}+([a-z]++(?:'t)?+)[`*_\"”')]{0,4}+(?=[\s,;]|\Z)")
_LAST_WORD = re.compile(r"(?<![\w'’])([a-z]{1,12}(?:['’]t)?)[`*_]{0,3}\Z")
_PLAIN_WORD = re.compile(r"[*_(]{0,3}+[a-z]++(?=[\s,;])")
_STOPPED = re.compile(r"[.!?…。！？][\"”’'»)\]`*_]{0,4}\Z")
_RUNS_ON = re.compile(r"[^\W\d_A-Z][`*_)\"”]{0,3}\Z|,\Z")
# No sentence begins with these in lower case, unless all of its text is in lower case.
_GOES_ON = frozenset(
    re.findall(
        r"\S+",
        """and are aren't as at be because been both but by can can't cannot could did didn't do
        does doesn't don't except fails for from had has have how if in into is isn't it its may
        might must neither never nor not of on or otherwise shall should since so than that the
        their then these they this those to unless until was wasn't we were what when where
        whereas whether which while who whom whose will with without won't would yet you your""",
    )
)
# Words of that list that can end a sentence; the others, and a few more, cannot.
_CAN_END = frozenset(
    re.findall(r"\S+", "both how in it on so that then these they this those we what you")
)
_LEADS_ON = (_GOES_ON - _CAN_END) | {"a", "an", "means", "using"}


def begins_midway(sentence: str) -> bool:
    """Whether a text begins like the middle of a sentence: "cannot be run", ", except that"."""
    if sentence[:1] in {",", ";", ")"}:
        return True
    word = _FIRST_WORD.match(sentence)
    return word is not None and word[1] in _GOES_ON


def ends_midway(sentence: str) -> bool:
    """Whether a text ends like the first half of a sentence: "You cannot", "for example,"."""
    if sentence.endswith(","):
        return True
    word = _LAST_WORD.search(sentence, max(0, len(sentence) - _SEEN))
    return word is not None and word[1] in _LEADS_ON


def join_blocks(text: str, blocks: Iterable[Span]) -> list[Span]:
    """Join blocks that a sentence runs across; return the spans of all blocks."""
    joined: list[Span] = []
    lone = True  # whether the last span is a single block, not a joined one
    for start, end in blocks:
        at = len(joined)
        if joined and _block_goes_on(text, joined[-1], (start, end)):
            at = _first_half(text, joined) if lone else at - 1
            if start - joined[at][0] > _LONGEST:
                at = len(joined)
        lone = at == len(joined)
        joined[at:] = [(start if lone else joined[at][0], end)]
    return joined


def join_sentences(text: str, sentences: Sequence[Span]) -> list[Span]:
    """Join sentences of one block that the splitter divided by mistake."""
    joined: list[Span] = []
    for start, end in sentences:
        whole = (
            joined
            and begins_midway(text[start : start + _SEEN])
            and not text[joined[-1][0]].islower()  # then the text may have no capitals at all
        )
        joined.append((joined.pop()[0] if whole else start, end))
    return joined


def join_around_code(text: str, parts: Sequence[Sequence[Span]]) -> list[Span]:
    """Return the sentences of a joined block, given the sentences of its parts.

    One sentence crosses each border: the last of a part and the first of the next are joined. A
    middle part that does not begin midway is code, and is all part of that sentence.
    """
    told = [list(part) for part in parts if part]
    for code in told[1:-1]:
        if not begins_midway(text[code[0][0] : code[0][0] + _SEEN]):
            code[:] = [(code[0][0], code[-1][1])]
    for before, after in pairwise(told):
        after[0] = (before.pop()[0], after[0][1])
    return [span for part in told for span in part]


def _block_goes_on(text: str, before: Span, after: Span) -> bool:
    opening = text[after[0] : min(after[1], after[0] + _SEEN)]
    if _ALONE.match(text, *before) or _ALONE.match(opening) or _OPENS.match(opening):
        return False
    ending = text[max(before[0], before[1] - _SEEN) : before[1]]
    if begins_midway(opening):
        return ending.endswith("...") or _STOPPED.search(ending) is None
    return (
        _PLAIN_WORD.match(opening) is not None
        and _RUNS_ON.search(ending) is not None
        and not text.startswith(_FENCE, before[0])
        and len(ending.split()) >= _FEWEST_WORDS
    )


def _first_half(text: str, blocks: Sequence[Span]) -> int:
    """Return the index of the block in which the sentence that continues after these begins."""
    at = len(blocks) - 1
    if text.startswith(_FENCE, blocks[at][0]):
        opening = range(at - 1, max(at - _MOST_BLOCKS, -1), -1)
        at = next((i for i in opening if text.startswith(_FENCE, blocks[i][0])), at)
    if at == 0:
        return at
    start, end = blocks[at - 1]
    if _ALONE.match(text, start) or _STOPPED.search(text, max(start, end - _SEEN), end):
        return at
    return at - 1


# Beginnings of lines (without indent) that start a block: list items, headings, table rows.
_OPENS_BLOCK = re.compile(r"(?:[-*+•>]|#{1,6}|\d{1,3}[.)])[ \t]|\|")
_FENCES = ("```", "~~~")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_LONGEST_ROW = 1_000  # characters; a longer line between bars is prose in a table cell
_CJK_END = re.compile(r"[。！？]+[”」』）]*")
# A block in which no sentence ends before its last character is one sentence: a fast path for
# long lists. The full stop of an item's number ends none.
_DIVIDED = re.compile(r"\A\||[\n.!?…。！？](?!\Z)")
_NUMBER = re.compile(r"\d{1,3}[.)][ \t]")
# nupunkt takes the unit of "15 m. The pump" for an initial. A capital may be one ("in 1961 J.
# Kennedy"), so after what may be a year the next word must be one that begins sentences.
_UNIT_ENDS = re.compile(
    r"(?:\d[ \u00a0]?[dghlmst]"
    r"|(?<!\d)(?!(?:1\d|20)\d\d[ \u00a0])\d{1,9}[ \u00a0]?[ABCFJKLNTVW]"
    r"|\d[ \u00a0]?[ABCFJKLNTVW](?=\.\s+(?:A|At|For|If|In|It|The|This|When)\b))"
    r"\.\s+(?=[\"“(]?[A-Z](?!\.))"
)
# nupunkt takes quadratic time on text such as "?!?!?!", so a long block is split in parts. Its
# decisions depend only on the words around a full stop: with a margin the borders are the same.
_PART = 2_000
_MARGIN = 200


def sentence_spans(text: str, cuts: Iterable[int] = ()) -> list[Span]:
    """Return the spans of the sentences: in order, trimmed, disjoint, never across one of `cuts`.

    Without cuts the result is cached for the run.
    """
    cuts = tuple(cuts)
    return _spans(text, cuts) if cuts else list(_uncut(text))


@cached_in_run(1_000)
def _uncut(text: str) -> tuple[Span, ...]:
    """Return the sentences, cached: writer, verifier and quotes split the same passages."""
    return tuple(_spans(text, ()))


def _spans(text: str, cuts: Iterable[int]) -> list[Span]:
    return [
        span
        for start, end in block_spans(text, cuts)
        for span in sentences_of_block(text, start, end)
    ]


def sentences(text: str) -> list[str]:
    """Return the sentences of a text as strings."""
    return [text[start:end] for start, end in sentence_spans(text)]


def block_spans(text: str, cuts: Iterable[int] = ()) -> list[Span]:
    """Return the spans of paragraphs, headings, list items and table rows, trimmed.

    `cuts` are further borders. A paragraph that continues after a code block is one block with it.
    """
    edges = sorted(cuts)
    between = itertools.groupby(
        _line_blocks(text, edges), lambda span: bisect_right(edges, span[0])
    )
    return [span for _, blocks in between for span in join_blocks(text, blocks)]


def _line_blocks(text: str, cuts: Iterable[int] = ()) -> list[Span]:
    """Return the spans of blocks by line structure alone, without joining."""
    return _trimmed(text, sorted({0, len(text), *cuts, *_block_borders(text)}))


def _block_borders(text: str) -> Iterator[int]:
    """Yield the borders of blocks: at blank lines, list items, headings, table rows and fences."""
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
    """Return the spans of the sentences inside one block, as offsets into the text."""
    return [(start + first, start + last) for first, last in _of_block(text[start:end])]


@cached_in_run(1_000)  # sentences and quotes split the same blocks
def _of_block(block: str) -> tuple[Span, ...]:
    number = _NUMBER.match(block)
    if not _DIVIDED.search(block, number.end() if number else 0):
        return tuple(_trimmed(block, [0, len(block)]))
    parts = [_split(block, start, end) for start, end in _line_blocks(block)]
    return tuple(join_around_code(block, parts))


def _split(text: str, start: int, end: int) -> list[Span]:
    row = text[start:end] if end - start <= _LONGEST_ROW else ""
    if row.startswith("|") and row.endswith("|") and "\n" not in row:
        # A table row is one sentence, whatever its cells contain, without its outer bars.
        return _trimmed(text, [start + 1, max(end - 1, start + 1)])
    spans: list[Span] = []
    for begins, ends in itertools.pairwise(_sentence_borders(text[start:end])):
        first, last = start + begins, start + ends
        cjk_ends = (match.end() for match in _CJK_END.finditer(text, first, last))
        spans += _trimmed(text, [first, *cjk_ends, last])
    return join_sentences(text, spans)


def _sentence_borders(block: str) -> list[int]:
    """Return the starts of sentences by nupunkt, and the end of the block."""
    borders = [0]
    decided = 0
    while decided < len(block):
        first, last = max(0, decided - _MARGIN), decided + _PART
        until = len(block) if last >= len(block) else last - _MARGIN
        starts = (first + start for start, _ in sent_spans(block[first:last]))
        borders += (start for start in starts if decided < start <= until)
        decided = until
    borders += (match.end() for match in _UNIT_ENDS.finditer(block) if match.end() < len(block))
    return [*sorted(set(borders)), len(block)]


def _trimmed(text: str, borders: list[int]) -> list[Span]:
    """Return the spans between borders, trimmed of white space; blank ones are dropped."""
    spans: list[Span] = []
    for start, end in itertools.pairwise(borders):
        piece = text[start:end]
        body = piece.strip()
        if body:
            first = start + len(piece) - len(piece.lstrip())
            spans.append((first, first + len(body)))
    return spans

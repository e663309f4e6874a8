"""Where a text goes on in the middle of a sentence, so that no sentence is cut in two.

Manuals set code between the halves of a sentence ("The command", a line of code, "cannot be run in
a block"), and a splitter ends one after "help ?" or "N!". Half a sentence may say the opposite of
the whole, so what begins like the middle of one belongs to what stands before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

Span = tuple[int, int]

_LONGEST = 3_000  # characters of paragraph and code before what goes on
_MOST_BLOCKS = 40  # looked back over for the line that opens a block of code
_SEEN = 120  # characters of a beginning or an end that tell what it is
_FEWEST_WORDS = 4  # of a paragraph that goes on: fewer are a title
_FENCE = ("```", "~~~")
_ALONE = re.compile(r"#{1,6}[ \t]|\|")  # headings and table rows hold no half of a sentence
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
# Most of these, and a few more, cannot end one.
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
    """The blocks, with those joined that hold one sentence together."""
    joined: list[Span] = []
    lone = True  # whether the last one is a single block
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
    """The sentences of one block, with those joined that a splitter took apart."""
    joined: list[Span] = []
    for start, end in sentences:
        whole = (
            joined
            and begins_midway(text[start : start + _SEEN])
            and not text[joined[-1][0]].islower()  # a text without capitals
        )
        joined.append((joined.pop()[0] if whole else start, end))
    return joined


def join_around_code(text: str, parts: Sequence[Sequence[Span]]) -> list[Span]:
    """The sentences of a joined block, from those of its parts.

    One sentence runs over each border: from the last one of a part to the first of the next. A
    part in the middle that does not go on itself is code, and belongs to that sentence whole.
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
    """The block in which the sentence begins that goes on after the last one of these."""
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

"""Read Markdown: the canonical text is the source without comments, with the rows of tables named.

A parser finds headings, code and tables.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from upheld.ingest.read.document import Heading, ReadDocument, canonical, one_line
from upheld.ingest.read.tables import Cell, table_lines
from upheld.ingest.read.text import decode

_COMMENT, _COMMENT_END = "<!--", "-->"

if TYPE_CHECKING:
    from markdown_it.token import Token


# Characters of a heading that are parsed for its title, which has at most 150: the mark-up of links
# and emphasis may take the rest. Parsing links takes a millisecond per hundred of them.
_LONGEST_HEADING = 2_000


def read_markdown(data: bytes, name: str) -> ReadDocument:
    """Read Markdown in any encoding; comments are left out, since readers do not see them."""
    source = canonical(decode(data, name))
    text = _without_comments(source)
    hidden = len("".join(source.split())) - len("".join(text.split()))
    return replace(from_markdown(_with_named_rows(text)), hidden=hidden)


def _without_comments(text: str) -> str:
    """Return the source without `<!-- ... -->`, except in code."""
    if _COMMENT not in text:
        return text
    code = _code_spans(text)
    code_starts = [start for start, _ in code]
    kept: list[str] = []
    at = looked = ticks = 0
    while (start := text.find(_COMMENT, looked)) >= 0:
        line = text.rfind("\n", looked, start)
        ticks = text.count("`", max(line, looked), start) + (ticks if line < 0 else 0)
        end = text.find(_COMMENT_END, start + len(_COMMENT)) + len(_COMMENT_END)
        if end < len(_COMMENT_END):
            break
        block = code[place - 1] if (place := bisect_right(code_starts, start)) else (0, 0)
        if start < block[1] or ticks % 2:
            looked = start + len(_COMMENT)
        else:
            kept.append(text[at:start])
            at = looked = end
    return "".join([*kept, text[at:]])


def _code_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of code blocks, in order."""
    starts = _line_starts(text)
    return [
        (starts[token.map[0]], starts[token.map[1]])
        for token in _block_parser().parse(text)
        if token.type in ("fence", "code_block") and token.map
    ]


def _with_named_rows(text: str) -> str:
    """Return the source with the rows of its tables as lines that name their columns.

    Tables inside of lists and block quotes stay as they are.
    """
    if "|" not in text:
        return text
    lines = text.split("\n")
    kept: list[str] = []
    done = 0
    for (first, last), rows in _tables(text):
        kept += [*lines[done:first], *table_lines(rows, 1)]
        done = last
    return "\n".join([*kept, *lines[done:]])


def _tables(text: str) -> Iterator[tuple[tuple[int, int], list[list[Cell]]]]:
    """Yield the lines that each table takes, and its rows."""
    rows: list[list[Cell]] = []
    where: list[int] | None = None
    for token in _table_parser().parse(text):
        if token.type == "table_open":
            rows = []
            where = token.map if token.level == 0 else None
        elif token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows:
            rows[-1].append(Cell(token.content.strip()))
        elif token.type == "table_close":
            if where:
                yield (where[0], where[1]), rows
            rows = []


def _line_starts(text: str) -> list[int]:
    return list(accumulate(map(len, text.split("\n")), lambda at, n: at + n + 1, initial=0))


def from_markdown(source: str, title: str = "") -> ReadDocument:
    """Make a document of Markdown text; the title defaults to the first heading of level one."""
    text = canonical(source)
    headings = markdown_headings(text)
    first = next((heading.title for heading in headings if heading.level == 1), "")
    return ReadDocument(text, one_line(title) or first, headings=headings)


def markdown_headings(text: str) -> tuple[Heading, ...]:
    """Find headings as CommonMark does: a line of a code block is not one."""
    if "#" not in text and "\n=" not in text and "\n-" not in text:
        return ()
    parser = _block_parser()
    tokens = parser.parse(text)
    line_starts = _line_starts(text)
    return tuple(
        Heading(line_starts[opening.map[0]], int(opening.tag[1:]), title)
        for opening, inline in pairwise(tokens)
        if opening.type == "heading_open" and opening.map
        if (title := one_line(_plain(inline.content)))
    )


@cache
def _block_parser() -> MarkdownIt:
    """Return a parser for blocks only: to parse the inline mark-up would be most of the work."""
    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


@cache
def _table_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


@cache
def _inline_parser() -> MarkdownIt:
    return MarkdownIt("commonmark")


def _plain(inline: str) -> str:
    """Return the text of a heading without its mark-up."""

    def words(tokens: list[Token] | None) -> str:
        return "".join(
            words(token.children) if token.children else token.content for token in tokens or []
        )

    return words(_inline_parser().parseInline(inline[:_LONGEST_HEADING]))

"""Markdown: the source is the canonical text; a parser finds its headings."""

from __future__ import annotations

from functools import cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from upheld.ingest.read.document import Heading, ReadDocument, canonical, one_line
from upheld.ingest.read.text import decode

if TYPE_CHECKING:
    from markdown_it.token import Token


# Characters of a heading that are read for its title, which has at most 150: the mark-up of links
# and emphasis may take the rest. A parser of links takes a millisecond for every hundred of them.
_LONGEST_HEADING = 2_000


def read_markdown(data: bytes, name: str) -> ReadDocument:
    """Markdown in any encoding."""
    return from_markdown(decode(data, name))


def from_markdown(source: str, title: str = "") -> ReadDocument:
    """A document from Markdown text; the first heading of level one is its title by default."""
    text = canonical(source)
    headings = markdown_headings(text)
    first = next((heading.title for heading in headings if heading.level == 1), "")
    return ReadDocument(text, one_line(title) or first, headings=headings)


def markdown_headings(text: str) -> tuple[Heading, ...]:
    """Headings as CommonMark sees them: a line of a code block is not one."""
    if "#" not in text and "\n=" not in text and "\n-" not in text:
        return ()
    parser = _block_parser()
    tokens = parser.parse(text)
    line_starts = list(accumulate(map(len, text.split("\n")), lambda at, n: at + n + 1, initial=0))
    return tuple(
        Heading(line_starts[opening.map[0]], int(opening.tag[1:]), title)
        for opening, inline in pairwise(tokens)
        if opening.type == "heading_open" and opening.map
        if (title := one_line(_plain(inline.content[:_LONGEST_HEADING])))
    )


@cache
def _block_parser() -> MarkdownIt:
    """Only blocks are parsed: inline markup of whole documents would be most of the work."""
    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


@cache
def _inline_parser() -> MarkdownIt:
    return MarkdownIt("commonmark")


def _plain(inline: str) -> str:
    """A heading's words without their markup."""

    def words(tokens: list[Token] | None) -> str:
        return "".join(
            words(token.children) if token.children else token.content for token in tokens or []
        )

    return words(_inline_parser().parseInline(inline))

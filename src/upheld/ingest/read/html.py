"""HTML: trafilatura finds the main text and gives it as Markdown, with its headings.

Before that, the tree is put into the form that a browser shows. Trafilatura takes a line break in
`<code>` for a block of code, and a heading in a list item for a heading of the page: both cut
sentences in two, and half a sentence can say the opposite of the whole.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace
from itertools import islice, pairwise
from typing import Any

from upheld.errors import MissingExtraError, ReadError
from upheld.ingest.read.document import Heading, ReadDocument, canonical
from upheld.ingest.read.markdown import from_markdown
from upheld.text.patterns import stream_safe

HtmlElement = Any  # lxml publishes no types
_SPACES = re.compile(r"[ \t\r\n\f]+")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
# Boxes inside a section: their headings ("Note") do not end it.
_BOX = re.compile(
    r"(?:^|\s)(?:admonition\S*|alert\S*|callout\S*|caution|danger|hint|important|note|sidebar|tip"
    r"|warning)(?:\s|$)",
    re.IGNORECASE,
)
_TOLD_APART = 50  # letters and digits by which two titles are the same
_LITTLE_TEXT = 800  # characters in paragraphs; trafilatura takes less than 750 for no main text
_INLINE = {"a", "abbr", "b", "code", "em", "i", "kbd", "samp", "span", "strong", "tt", "var"}
# A fence, code as it stands, or a character that was escaped.
_CODE_OR_ESCAPE = re.compile(r"(?m)^`{3,}+|`[^`\n]++`|\\([!-/:-@\[-`{-~])")


def read_html(data: bytes, name: str) -> ReadDocument:
    """The main text of a page; all of its text where no main text stands out."""
    try:
        import trafilatura
    except ImportError as missing:
        raise MissingExtraError("Reading HTML", "readers") from missing
    from upheld.ingest.read.html_tables import restore_rows

    tree = trafilatura.load_html(data)
    if tree is None:
        raise ReadError(f"{name} is not HTML", help="Check that the file is complete.")
    title = tree.findtext(".//title") or ""
    try:
        hidden = _prepare(tree)
    except ReadError as refused:
        raise ReadError(f"{name} cannot be read: {refused.args[0]}") from refused
    titles = {_letters(heading.text_content()) for heading in tree.iter(*_HEADINGS)}
    main = trafilatura.extract(
        tree, output_format="markdown", include_comments=False, favor_recall=True
    )
    if main:
        document = _unescaped(from_markdown(restore_rows(main), title))
        return replace(document, headings=_real(document.headings, titles), hidden=hidden)
    tree = trafilatura.load_html(data)
    _prepare(tree)
    everything = restore_rows(trafilatura.html2txt(tree))
    if not everything.strip():
        raise ReadError(
            f"{name} has no text", help="A page that scripts fill in must be saved after they ran."
        )
    document = from_markdown(everything, title)
    return replace(document, headings=_real(document.headings, titles), hidden=hidden)


def _real(headings: tuple[Heading, ...], titles: set[str]) -> tuple[Heading, ...]:
    """The headings that the page has as such: a comment in a block of code can look like one."""
    return tuple(heading for heading in headings if _letters(heading.title) in titles)


def _letters(title: str) -> str:
    """What is left of a title with and without its mark-up, as much as titles keep."""
    return "".join(filter(str.isalnum, canonical(title)))[:_TOLD_APART]


def _prepare(tree: HtmlElement) -> int:
    """Bring a page into a form of which the extraction loses nothing that its readers see.

    Returns the number of characters that the page hides; they are removed.
    """
    from upheld.ingest.read.hidden import remove_hidden
    from upheld.ingest.read.html_tables import flatten_tables

    hidden = remove_hidden(tree)
    for anchor in tree.iter("a"):
        if "href" not in anchor.attrib:
            anchor.tag = "span"  # a place, not a link: parts with many links are taken for menus
    flatten_tables(tree)
    _as_shown(tree)
    _mark_main(tree)
    return hidden


def _as_shown(tree: HtmlElement) -> None:
    """Collapse white space as browsers do, and give loose text a paragraph of its own."""
    verbatim = set()
    for element in tree.iter("pre", "textarea"):
        verbatim.update(element.iter())
    for element in tree.iter():
        if element.text and isinstance(element.tag, str):
            element.text = stream_safe(element.text)  # trafilatura normalises a page at once
        if element.tail:
            element.tail = stream_safe(element.tail)
        if element.text and isinstance(element.tag, str) and element not in verbatim:
            element.text = _SPACES.sub(" ", element.text)
        if element.tail and element.getparent() not in verbatim:
            element.tail = _SPACES.sub(" ", element.tail)
    for block in list(tree.iter("pre")):
        _wrap_loose_text(block)
    for heading in list(tree.iter(*_HEADINGS)):
        if _is_in_box(heading):
            _run_in(heading)


def _is_in_box(heading: HtmlElement) -> bool:
    """Whether a heading does not hold for what follows the element that it stands in."""
    if next(heading.iterancestors("aside", "dd", "li"), None) is not None:
        return True
    near = islice(heading.iterancestors("div", "section", "blockquote"), 2)
    return any(_BOX.search(each.get("class", "")) for each in near)


def _wrap_loose_text(block: HtmlElement) -> None:
    """Text that goes on right after a block of code, which would be dropped: into a paragraph."""
    loose = block.tail or ""
    if not loose.strip():
        return
    block.tail = None
    paragraph = block.makeelement("p")
    paragraph.text = loose
    block.addnext(paragraph)
    while (following := paragraph.getnext()) is not None and following.tag in _INLINE:
        paragraph.append(following)  # with the text after it


def _run_in(heading: HtmlElement) -> None:
    """The heading of a note opens the note's first sentence: "Note: ..."."""
    heading.tag = "p"
    said = "".join(heading.itertext()).rstrip()
    if said and said[-1].isalnum():
        last = heading[-1] if len(heading) else None
        if last is None:
            heading.text = (heading.text or "").rstrip() + ":"
        else:
            last.tail = (last.tail or "").rstrip() + ":"


def _mark_main(tree: HtmlElement) -> None:
    """Where nothing says what the main part is, all of the body is.

    Trafilatura would fall back to picking single paragraphs, and lose headings and lists; with
    little text it keeps them better by itself.
    """
    from lxml.html import Element
    from trafilatura.xpaths import BODY_XPATH

    body = tree.find(".//body")
    if body is None or any(expression(tree) for expression in BODY_XPATH):
        return
    if sum(len(each.text_content()) for each in body.iter("p")) < _LITTLE_TEXT:
        return
    main = Element("main")
    main.text, body.text = body.text, None
    main.extend(list(body))
    body.append(main)


def _unescaped(document: ReadDocument) -> ReadDocument:
    """Without backslashes: they kept text from looking like headings, and no page has them."""
    text = document.text
    escapes: list[int] = []
    at = 0
    while match := _CODE_OR_ESCAPE.search(text, at):
        at = match.end()
        if match[1]:
            escapes.append(match.start())
        elif match[0].startswith("```"):
            at = max(at, _end_of_code(text, match))
    parts = (text[before + 1 : after] for before, after in pairwise([-1, *escapes, len(text)]))
    return replace(
        document,
        text="".join(parts),
        headings=tuple(
            replace(heading, start=heading.start - bisect_left(escapes, heading.start))
            for heading in document.headings
        ),
    )


def _end_of_code(text: str, fence: re.Match[str]) -> int:
    """Where the fence is closed by one that is as long, or else by any; -1 if it is not."""
    for closing in (f"\n{fence[0]}", "\n```"):
        if (at := text.find(closing, fence.end())) >= 0:
            return at + len(closing)
    return -1

"""Read HTML: trafilatura extracts the main text as Markdown, with its headings.

Before that, the tree is normalised to what a browser shows. Trafilatura takes a line break in
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
# Boxes inside a section; their headings ("Note") do not end the section.
_BOX = re.compile(
    r"(?:^|\s)(?:admonition\S*|alert\S*|callout\S*|caution|danger|hint|important|note|sidebar|tip"
    r"|warning)(?:\s|$)",
    re.IGNORECASE,
)
_TOLD_APART = 50  # letters and digits by which titles are compared
_LITTLE_TEXT = 800  # characters in paragraphs; trafilatura sees no main text below 750
_INLINE = {"a", "abbr", "b", "code", "em", "i", "kbd", "samp", "span", "strong", "tt", "var"}
_EMPHASIS = ("b", "em", "i", "strong", "var")
# A fence, inline code, or an escaped character.
_CODE_OR_ESCAPE = re.compile(r"(?m)^`{3,}+|`[^`\n]++`|\\([!-/:-@\[-`{-~])")


def read_html(data: bytes, name: str) -> ReadDocument:
    """Return the main text of a page, or all of its text if there is no clear main part."""
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
    """Keep headings that are headings in the page: a comment in a code block can look like one."""
    return tuple(heading for heading in headings if _letters(heading.title) in titles)


def _letters(title: str) -> str:
    """Return the first letters and digits of a title, to compare it with and without mark-up."""
    return "".join(filter(str.isalnum, canonical(title)))[:_TOLD_APART]


def _prepare(tree: HtmlElement) -> int:
    """Normalise a page so that the extraction loses nothing that its readers see.

    Hidden text is removed; returns its number of characters.
    """
    from upheld.ingest.read.hidden import remove_hidden
    from upheld.ingest.read.html_raised import write_raised
    from upheld.ingest.read.html_tables import flatten_tables
    from upheld.ingest.read.html_terms import join_terms

    hidden = remove_hidden(tree)
    write_raised(tree)
    for anchor in tree.iter("a"):
        if "href" not in anchor.attrib:
            anchor.tag = "span"  # an anchor, not a link: parts with many links are taken for menus
    flatten_tables(tree)
    _flatten_code(tree)
    _as_shown(tree)
    join_terms(tree)
    _keep_manual_name(tree)
    _mark_main(tree)
    return hidden


def _as_shown(tree: HtmlElement) -> None:
    """Collapse white space as browsers do, and put loose text into paragraphs of its own."""
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


def _flatten_code(tree: HtmlElement) -> None:
    """Remove mark-up inside inline code, and emphasis around nothing else.

    Trafilatura takes the words of elements inside `<code>` out of it and puts them further down:
    "-j <em>jobs</em>" would lose its second word to the middle of another sentence.
    """
    inline = [
        each for each in tree.iter("code") if next(each.iterancestors("code", "pre"), None) is None
    ]
    for code in inline:
        if code.find(".//pre") is not None:
            code.drop_tag()
            continue
        for inner in code.iterdescendants("br", "div", "li", "p"):
            inner.tail = " " + (inner.tail or "")
        said = code.text_content()
        for inner in list(code):
            code.remove(inner)
        code.text = said
        around = code.getparent()
        while around is not None and around.tag in _EMPHASIS and len(around) == 1:
            if (around.text or "").strip() or (code.tail or "").strip():
                break
            around.drop_tag()
            around = code.getparent()


def _is_in_box(heading: HtmlElement) -> bool:
    """Return whether a heading applies only inside the element that contains it."""
    if next(heading.iterancestors("aside", "dd", "li"), None) is not None:
        return True
    near = islice(heading.iterancestors("div", "section", "blockquote"), 2)
    return any(_BOX.search(each.get("class", "")) for each in near)


def _wrap_loose_text(block: HtmlElement) -> None:
    """Put text directly after a code block into a paragraph; it would be dropped otherwise."""
    loose = block.tail or ""
    if not loose.strip():
        return
    block.tail = None
    paragraph = block.makeelement("p")
    paragraph.text = loose
    block.addnext(paragraph)
    while (following := paragraph.getnext()) is not None and following.tag in _INLINE:
        paragraph.append(following)  # includes the text after it


def _run_in(heading: HtmlElement) -> None:
    """Make the heading of a note part of its first sentence: "Note: ..."."""
    heading.tag = "p"
    said = "".join(heading.itertext()).rstrip()
    if said and said[-1].isalnum():
        last = heading[-1] if len(heading) else None
        if last is None:
            heading.text = (heading.text or "").rstrip() + ":"
        else:
            last.tail = (last.tail or "").rstrip() + ":"


def _keep_manual_name(tree: HtmlElement) -> None:
    """Move "NAME: git-stash - Stash the changes" into the main part of a page of AsciiDoc.

    It makes the name part of the page's header, which is left out like the menus of other pages.
    """
    main = tree.find(".//div[@id='content']")
    header = tree.find(".//body/div[@id='header']")
    if main is None or header is None or header in main.iterancestors():
        return
    for name in reversed(header.findall("div[@class='sectionbody']")):
        heading = name.getprevious()
        main.insert(0, name)
        if heading is not None and heading.tag in _HEADINGS:
            main.insert(0, heading)


def _mark_main(tree: HtmlElement) -> None:
    """Mark the whole body as the main part if nothing else is marked.

    Otherwise trafilatura falls back to single paragraphs and loses headings and lists. Pages with
    little text are left alone: there it keeps them better by itself.
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
    """Remove the backslashes that keep text from looking like mark-up; no page shows them."""
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
    """Return where a fence of the same length, or else any, closes the code; -1 if none does."""
    for closing in (f"\n{fence[0]}", "\n```"):
        if (at := text.find(closing, fence.end())) >= 0:
            return at + len(closing)
    return -1

"""Definition lists of HTML: a term becomes part of the first sentence of its definition.

Manuals list options and settings as terms. As a list item of its own, a term ends up in another
passage than its definition, and "The default is 100." no longer says of what.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml.html import Element, HtmlElement

_LONGEST_TERM = 200  # characters; a longer one is text of its own
_ENDS = tuple(".,;:!?…")
# Blocks that a term can stand in front of: text, or a box that begins with text.
_TEXT, _BOXES = {"p"}, {"div", "section", "simpara"}


def join_terms(root: HtmlElement) -> None:
    """Move the terms of each definition list into the definitions: "term, other term: text"."""
    for terms, definition in list(_defined(root)):
        said = [" ".join(term.text_content().split()) for term in terms]
        if not any(said) or sum(map(len, said)) > _LONGEST_TERM:
            continue
        place = _first_text(definition)
        last = " " if said[-1].endswith(_ENDS) else ": "
        for term in reversed(terms):
            _put_before(place, term, last if term is terms[-1] else ", ")


def _defined(root: HtmlElement) -> Iterator[tuple[list[HtmlElement], HtmlElement]]:
    """Yield the terms that stand directly before a definition, and the definition."""
    for definition in root.iter("dd"):
        terms: list[HtmlElement] = []
        before = definition.getprevious()
        while before is not None and before.tag == "dt":
            terms.insert(0, before)
            before = before.getprevious()
        if terms:
            yield terms, definition


def _first_text(definition: HtmlElement) -> HtmlElement:
    """Return the paragraph with which a definition begins, or the definition itself.

    Where it begins with another block, such as a list or code, it gets a paragraph of its own.
    """
    place = definition
    while True:
        if (place.text or "").strip() or not len(place):
            return place
        first = place[0]
        if first.tag in _TEXT:
            return first
        if first.tag not in _BOXES:
            paragraph = Element("p")
            place.insert(0, paragraph)
            return paragraph
        place = first


def _put_before(place: HtmlElement, term: HtmlElement, mark: str) -> None:
    """Put the content of a term at the start of an element, and remove the term."""
    for each in list(term.iter("p", "div"))[::-1]:
        if each.getprevious() is not None and each.getprevious().tag == each.tag:
            each.text = ", " + (each.text or "").lstrip()
        each.drop_tag()  # a paragraph inside the definition's first one would hide its text
    for each in list(term.iter("br")):
        each.tail = ", " + (each.tail or "").lstrip()
        each.drop_tag()
    for each in [each for each in term.iter() if each is not term and not each.text_content()]:
        each.drop_tree()  # such as an anchor for the index of a book
    holder = Element("span")
    holder.text = (term.text or "").lstrip()
    holder.extend(list(term))
    holder.tail = (place.text or "").lstrip()
    _end(holder, mark)
    place.text = None
    place.insert(0, holder)
    term.getparent().remove(term)


def _end(element: HtmlElement, mark: str) -> None:
    """Put a mark after the last letter of an element, in place of the white space there."""
    last = element
    while len(last) and not (last[-1].tail or "").strip():
        last[-1].tail = None
        last = last[-1]
    if len(last):
        last[-1].tail = last[-1].tail.rstrip() + mark
    elif last is element or last.tag == "span":
        last.text = (last.text or "").rstrip() + mark
    else:  # not inside code or emphasis
        last.tail = mark

"""Raised and lowered text of HTML: "2^32" for an exponent, and no number glued to another.

As plain text, 2<sup>32</sup> would read 232, and a footnote after "18 bits." make it "bits.1": here
it is "bits.[1]". What is no power stays as it stands: "11th", "H2O", a footnote in brackets.
"""

from __future__ import annotations

import re

from lxml.etree import strip_tags
from lxml.html import HtmlElement

_NEAR = 8  # characters before the raised text that are looked at
# What has powers: a number, x, a closing bracket, a unit of length; not the word of a footnote.
_BASE = re.compile(r"(?:\d|(?<![^\W\d_])[^\W\d_]|(?<![^\W\d_])(?:mm|cm|dm|km|ft|in|mi|yd)|[)\]])\Z")
_SIMPLE = re.compile(r"[-−+]?(?:\d+|[^\W\d_])\Z")
_NO_POWER = re.compile(r"[^\W\d_]{2,3}\Z|[\[(].*[\])]\Z|\W*\Z")  # 11th, [1], (a), *, ™
_FRACTION = ("/", "⁄")


def write_raised(tree: HtmlElement) -> None:
    """Write raised, lowered and underlined text in place; trafilatura would leave the tags in."""
    for raised in tree.iter("sup", "sub"):
        said = raised.text_content().strip()
        if said.isdigit() and raised.find(".//a") is not None:
            _put_around(raised, "[", "]")  # a footnote
        elif said:
            _put_around(raised, *_signs(raised, _before(raised), said))
            if said[-1].isdigit() and (raised.tail or "")[:1].isdigit():
                raised.tail = " " + (raised.tail or "")
    strip_tags(tree, "sup", "sub", "u")


def _signs(raised: HtmlElement, before: str, said: str) -> tuple[str, str]:
    """Return what to write before and after raised or lowered text."""
    digits_meet = before[-1:].isdigit() and said[0].isdigit()
    if raised.tag == "sub":
        return ("_" if digits_meet and not _is_under(raised) else ""), ""
    is_fraction = (raised.tail or "").strip() in _FRACTION  # 3 1/2
    if is_fraction or _NO_POWER.match(said) or not _BASE.search(before):
        return (" " if digits_meet else ""), ""
    return ("^", "") if _SIMPLE.match(said) else ("^(", ")")


def _is_under(lowered: HtmlElement) -> bool:
    """Return whether this is the lower part of a fraction."""
    return _before(lowered).strip() in _FRACTION


def _put_around(raised: HtmlElement, before: str, after: str) -> None:
    raised.text = before + (raised.text or "").lstrip()
    raised.tail = after + (raised.tail or "")


def _before(raised: HtmlElement) -> str:
    """Return the last characters of the text that stands directly before an element."""
    previous = raised.getprevious()
    if previous is None:
        return (raised.getparent().text or "")[-_NEAR:]
    text: str = previous.tail or previous.text_content()
    return text[-_NEAR:]

"""Remove text that a page hides from its readers, so that invisible text is never quoted.

An element is hidden by the `hidden` attribute, or by a style that its `style` attribute or the
`<style>` of the same file gives it: not displayed, invisible, transparent, of no size, in the
colour of its background, or moved off the screen. That includes text for screen readers only.
`<details>` stays, as one click shows it. Styles in other files are not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from upheld.ingest.read.css import colour_of, declarations, media_holds, rules, same_colour
from upheld.ingest.read.selectors import Matcher

HtmlElement = Any  # lxml publishes no types

_NO_TEXT = ("script", "style", "template", "noscript")
_ALWAYS_SHOWN = ("html", "body")  # a page that is hidden at first is shown by a script
_NEVER_SHOWN = ("head", "title", "meta", "link", "base")
_LENGTH = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))\s*([a-z%]*)")
_PIXELS = {"": 1.0, "px": 1.0, "pt": 4 / 3, "em": 16.0, "rem": 16.0, "vw": 12.8, "vh": 8.0}
_OFF_SCREEN = 900  # pixels to the left or above; no layout needs as much
_FAR_RIGHT = 5_000
_SMALLEST_TEXT = 1.0  # pixels
_MOVED = re.compile(r"(?:translate(?:x|y|3d)?|scale(?:x|y|3d)?)\(([^)]*)\)")
_ZERO_CLIPS = re.compile(
    r"rect\(\s*(?:0|1)(?:px)?(?:[\s,]+(?:0|1)(?:px)?){3}\s*\)"
    r"|inset\(\s*(?:50|100)%.*\)|circle\(\s*0[^)]*\)"
)
_ATTRIBUTES = (
    ("bgcolor", "background-color", ("body", "table", "tr", "td", "th")),
    ("color", "color", ("font",)),
)
_NO_FONT_SIZE = re.compile(r"(?:^|\s)0+(?:\.0*)?(?:px|pt|em|rem|%)?(?=[\s/])")
_MATTERS = {
    *("background", "background-clip", "background-color", "-webkit-background-clip", "bottom"),
    *("clip", "clip-path", "color", "content-visibility", "display", "filter", "font", "font-size"),
    *("height", "left", "margin-left", "margin-top", "max-height", "max-width", "opacity"),
    *("overflow", "overflow-x", "overflow-y", "position", "right", "text-indent", "top"),
    *("transform", "visibility", "width"),
}

Styles = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Shown:
    """The visibility that an element passes on to its children."""

    visible: bool = True
    readable: bool = True  # large enough to read
    indented: bool = False  # off the screen
    colour: str = ""
    background: str = ""
    lit: bool = False  # the background shows through the letters


def remove_hidden(root: HtmlElement) -> int:
    """Remove hidden text from a page; returns its number of characters, without white space."""
    styles = _styles(root)
    for element in list(root.iter(*_NO_TEXT)):
        _drop(element)
    removed = 0
    for element, whole in list(_hidden(root, styles)):
        if whole:
            removed += _characters(element)
            _drop(element)
        else:
            removed += _drop_own_text(element)
    for element in root.iter("*"):
        # What is left is visible; without a style, later steps cannot misread it as hidden.
        element.attrib.pop("style", None)
        if element.tag == "dialog":
            element.tag = "div"
    return removed


def _styles(root: HtmlElement) -> dict[HtmlElement, Styles]:
    """Return the declarations that win for each element, of the properties that can hide."""
    winners: dict[HtmlElement, dict[str, tuple[tuple[Any, ...], str]]] = {}

    def declare(
        element: HtmlElement, declared: Mapping[str, tuple[str, bool]], rank: tuple[Any, ...]
    ) -> None:
        own = winners.setdefault(element, {})
        for name, (value, important) in declared.items():
            if name in _MATTERS:
                weight = (important, *rank)
                if name not in own or weight >= own[name][0]:
                    own[name] = (weight, value)

    elements = list(root.iter("*"))
    matcher: Matcher | None = None
    order = 0
    for sheet in root.iter("style"):
        if not sheet.text or not media_holds(sheet.get("media") or ""):
            continue
        for rule in rules(sheet.text):
            order += 1
            if not _MATTERS & rule.declarations.keys():
                continue
            matcher = matcher or Matcher(elements)
            for selector in rule.selectors:
                for element in matcher.select(selector):
                    declare(element, rule.declarations, (0, selector.specificity, order))
    for element in elements:
        if inline := element.get("style"):
            declare(element, declarations(inline), (1, (0, 0, 0), 0))
        for attribute, name, tags in _ATTRIBUTES:
            if element.tag in tags and (value := element.get(attribute)):
                declare(element, {name: (value.strip().lower(), False)}, (-1, (0, 0, 0), 0))
    return {
        element: {name: value for name, (_, value) in own.items()}
        for element, own in winners.items()
    }


def _hidden(root: HtmlElement, styles: Mapping[HtmlElement, Styles]) -> Iterator[tuple[Any, bool]]:
    """Yield elements to remove, and whether wholly or only the text directly in them."""
    passed: list[tuple[HtmlElement, _Shown]] = [(root, _Shown())]
    while passed:
        element, above = passed.pop()
        style = styles.get(element, {})
        if element.tag not in _ALWAYS_SHOWN and (_is_hidden(element) or _hides(style)):
            yield element, True
            continue
        shown = _inherit(above, style) if style else above
        if not _is_seen(shown):
            yield element, False
        passed += [
            (child, shown)
            for child in element
            if isinstance(child.tag, str) and child.tag not in _NEVER_SHOWN
        ]


def _is_hidden(element: HtmlElement) -> bool:
    """Return whether attributes hide an element.

    A closed dialog is hidden; `until-found` text is not, since a search in the page shows it.
    """
    attribute = element.get("hidden")
    if attribute is not None and attribute.lower() != "until-found":
        return True
    return element.tag == "dialog" and "open" not in element.attrib


def _hides(style: Styles) -> bool:
    """Return whether this style hides an element and everything in it."""
    return bool(style) and (
        style.get("display") == "none"
        or style.get("content-visibility") == "hidden"
        or _number(style.get("opacity")) == 0
        or "opacity(0)" in style.get("filter", "").replace("%", "")
        or bool(_ZERO_CLIPS.fullmatch(style.get("clip", "")))
        or bool(_ZERO_CLIPS.fullmatch(style.get("clip-path", "")))
        or _has_no_room(style)
        or _is_off_screen(style)
    )


def _has_no_room(style: Styles) -> bool:
    clipped = any(
        style.get(name, "").startswith(("hidden", "clip"))
        for name in ("overflow", "overflow-x", "overflow-y")
    )
    sizes = (_pixels(style.get(name)) for name in ("width", "height", "max-width", "max-height"))
    return clipped and any(size is not None and size <= 1 for size in sizes)


def _is_off_screen(style: Styles) -> bool:
    placed = ["margin-left", "margin-top"]
    if style.get("position") in ("absolute", "fixed", "relative"):
        placed += ["left", "top", "right", "bottom"]
    moves = [_pixels(style.get(name)) for name in placed]
    for match in _MOVED.finditer(style.get("transform", "")):
        numbers = [_pixels(part.strip()) for part in match[1].split(",")]
        if match[0].startswith("scale"):
            moves += [-float(_OFF_SCREEN)] if 0.0 in numbers[:2] else []
        else:
            moves += numbers[:2]
    return any(move is not None and (move <= -_OFF_SCREEN or move >= _FAR_RIGHT) for move in moves)


def _inherit(above: _Shown, style: Styles) -> _Shown:
    shown = above
    if visibility := style.get("visibility"):
        shown = replace(shown, visible=visibility not in ("hidden", "collapse"))
    if _NO_FONT_SIZE.search(style.get("font", "")):
        shown = replace(shown, readable=False)
    if size := style.get("font-size"):
        pixels = _pixels(size)
        relative = size.endswith(("em", "%")) and not size.endswith("rem")
        if pixels is not None and not (relative and pixels > _SMALLEST_TEXT):
            shown = replace(shown, readable=pixels > _SMALLEST_TEXT)
    if indent := style.get("text-indent"):
        shown = replace(shown, indented=(_pixels(indent) or 0) <= -_OFF_SCREEN)
    if clip := style.get("background-clip") or style.get("-webkit-background-clip"):
        shown = replace(shown, lit=clip == "text")
    if (colour := style.get("color", "inherit")) != "inherit":
        shown = replace(shown, colour=colour)
    background = style.get("background-color") or style.get("background") or "none"
    named = colour_of(background)
    if background not in ("none", "inherit") and (named is None or named[3] > 0):
        shown = replace(shown, background=background)
    return shown


def _is_seen(shown: _Shown) -> bool:
    """Return whether text directly in an element is visible."""
    if not shown.visible or not shown.readable or shown.indented:
        return False
    colour = colour_of(shown.colour)
    if shown.lit or colour is None:
        return True
    if colour[3] == 0:
        return False
    return not same_colour(colour, colour_of(shown.background))


def _number(value: str | None) -> float | None:
    match = _LENGTH.fullmatch(value or "")
    return None if match is None else float(match[1])


def _pixels(value: str | None) -> float | None:
    """Parse a length in pixels, if possible; percentages are relative to the screen."""
    match = _LENGTH.fullmatch(value or "")
    if match is None or (match[2] not in _PIXELS and match[2] != "%"):
        return None
    return float(match[1]) * _PIXELS.get(match[2], 10.0)


def _characters(element: HtmlElement) -> int:
    return len("".join(element.text_content().split()))


def _drop(element: HtmlElement) -> None:
    """Remove an element and keep the text after it."""
    if element.getparent() is not None:
        element.drop_tree()


def _drop_own_text(element: HtmlElement) -> int:
    """Remove the text directly in an element, not that of its children."""
    texts = [element.text or "", *(child.tail or "" for child in element)]
    element.text = None
    for child in element:
        child.tail = None
    return len("".join("".join(texts).split()))

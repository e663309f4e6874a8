"""As much of CSS as it takes to tell which elements the rules of a page's own `<style>` hide.

Rules are matched as for a page at rest on a wide screen: nothing is hovered, focused or printed.
No library for this comes with the ones that read HTML.

Colours of CSS, as far as it takes to tell text that has the colour of its background.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from upheld.errors import ReadError
from upheld.ingest.read.selectors import Selector, closing, selectors, unescaped

Colour = tuple[int, int, int, float]  # red, green, blue up to 255, opacity up to 1

_NAMES = {
    "white": "#fff",
    "black": "#000",
    "snow": "#fffafa",
    "ivory": "#fffff0",
    "whitesmoke": "#f5f5f5",
    "ghostwhite": "#f8f8ff",
    "floralwhite": "#fffaf0",
    "silver": "#c0c0c0",
    "gray": "#808080",
    "grey": "#808080",
    "lightgray": "#d3d3d3",
    "lightgrey": "#d3d3d3",
    "red": "#f00",
    "maroon": "#800000",
    "yellow": "#ff0",
    "olive": "#808000",
    "lime": "#0f0",
    "green": "#008000",
    "aqua": "#0ff",
    "cyan": "#0ff",
    "teal": "#008080",
    "blue": "#00f",
    "navy": "#000080",
    "fuchsia": "#f0f",
    "magenta": "#f0f",
    "purple": "#800080",
    "orange": "#ffa500",
    "transparent": "#0000",
}
_HEX = re.compile(r"#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})")
_FUNCTION = re.compile(r"rgba?\(([^()]{1,80})\)")
_CLOSE = 12  # of 255, in each of red, green and blue: an eye sees no letters


def colour_of(value: str) -> Colour | None:
    """The one colour that a value of `color` or `background` names, or None."""
    if "url(" in value or "gradient" in value or "image" in value:
        return None
    if function := _FUNCTION.search(value):
        return _from_numbers(re.split(r"[\s,/]+", function[1].strip()))
    for word in value.split():
        match = _HEX.fullmatch(_NAMES.get(word, word))
        if match:
            return _from_hex(match[1])
    return None


def same_colour(one: Colour, other: Colour | None) -> bool:
    """Whether letters of one colour cannot be told from a background of the other."""
    if other is None or other[3] == 0:
        return False
    return all(abs(a - b) <= _CLOSE for a, b in zip(one[:3], other[:3], strict=True))


def _from_hex(digits: str) -> Colour:
    if len(digits) <= 4:
        digits = "".join(digit * 2 for digit in digits)
    red, green, blue, opacity = (int(f"{digits}ff"[at : at + 2], 16) for at in (0, 2, 4, 6))
    return red, green, blue, opacity / 255


def _from_numbers(parts: list[str]) -> Colour | None:
    try:
        numbers = [
            float(part.rstrip("%")) * (2.55 if part.endswith("%") and at < 3 else 1)
            for at, part in enumerate(parts)
        ]
        red, green, blue = map(round, numbers[:3])
    except (ValueError, OverflowError):
        return None
    opacity = numbers[3] / (100 if parts[3].endswith("%") else 1) if len(numbers) > 3 else 1.0
    return red, green, blue, opacity


_SCREEN = 1280  # pixels
_DEEPEST = 8  # blocks inside blocks
_MOST_NESTED = 100_000  # characters of a selector that nesting made
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_WRAPPERS = re.compile(r"<!--|-->|<!\[CDATA\[|\]\]>")  # kept old browsers from printing the rules
_STOP = re.compile(r"""[{};"'\\(]""")
_STRINGS = {quote: re.compile(rf"(?:[^{quote}\\\n]|\\.)*+{quote}?", re.DOTALL) for quote in "\"'"}
_WIDTH = re.compile(r"\(\s*(min|max)-(?:device-)?width\s*:\s*([\d.]+)(px|em|rem)\s*\)")

Declarations = Mapping[str, tuple[str, bool]]  # by property: its value, and whether it is important


@dataclass(frozen=True, slots=True)
class Rule:
    """Selectors and what they declare."""

    selectors: tuple[Selector, ...]
    declarations: Declarations


def rules(sheet: str) -> Iterator[Rule]:
    """The rules of a style sheet that hold on a screen."""
    sheet = _COMMENT.sub(" ", sheet)
    yield from _rules(_WRAPPERS.sub(" ", sheet), "", 0)


def declarations(body: str) -> dict[str, tuple[str, bool]]:
    """What a `style` attribute or a block declares: property and value in lower case."""
    found: dict[str, tuple[str, bool]] = {}
    for prelude, block in _statements(_COMMENT.sub(" ", body)):
        name, colon, value = unescaped(prelude).partition(":")
        if block is None and colon:
            value, _, important = value.lower().partition("!")
            found[name.strip().lower()] = (value.strip(), important.strip() == "important")
    return found


def _rules(sheet: str, parent: str, depth: int) -> Iterator[Rule]:
    for prelude, block in _statements(sheet):
        if block is None or depth > _DEEPEST:
            continue
        if prelude.startswith("@"):
            if holds_on_screen(prelude):
                yield from _rules(block, parent, depth + 1)
                if parent:
                    yield from _rule(parent, block)
            continue
        selector = _nested(prelude, parent)
        yield from _rule(selector, block)
        yield from _rules(block, selector, depth + 1)


def _rule(selector: str, block: str) -> Iterator[Rule]:
    meant = tuple(selectors(selector))
    declared = declarations(block)
    if meant and declared:
        yield Rule(meant, declared)


def _nested(selector: str, parent: str) -> str:
    if not parent:
        return selector
    around = f":is({parent})"
    made = selector.replace("&", around) if "&" in selector else f"{around} {selector}"
    if len(made) > _MOST_NESTED:
        raise ReadError("its style rules are nested too deeply to tell what they hide")
    return made


def holds_on_screen(prelude: str) -> bool:
    """Whether the rules in an at-rule hold on a wide screen."""
    name, _, condition = prelude.partition(" ")
    if name in ("@supports", "@layer", "@container", "@scope", "@starting-style"):
        return name != "@starting-style"
    return name == "@media" and media_holds(condition)


def media_holds(queries: str) -> bool:
    """Whether one of the media queries holds; those that are not about width or medium do not."""
    return any(_query_holds(query) for query in queries.lower().split(",")) or not queries.strip()


def _query_holds(query: str) -> bool:
    for least_or_most, number, unit in _WIDTH.findall(query):
        try:
            width = float(number) * (1 if unit == "px" else 16)
        except ValueError:
            return False
        if (width > _SCREEN) if least_or_most == "min" else (width < _SCREEN):
            return False
    left = set(re.findall(r"[^\s]+", _WIDTH.sub(" ", query)))
    return left <= {"all", "screen", "only", "and"}


def _statements(sheet: str) -> Iterator[tuple[str, str | None]]:
    """Preludes with their blocks; a statement or declaration without one has None."""
    start = at = opened = depth = 0
    prelude = ""
    while stop := _STOP.search(sheet, at):
        at = stop.end()
        mark = stop[0]
        if mark in _STRINGS:
            match = _STRINGS[mark].match(sheet, at)
            at = match.end() if match else at
        elif mark == "\\":
            at += 1
        elif mark == "(":
            at = closing(sheet, at)
        elif mark == "{":
            depth += 1
            if depth == 1:
                prelude, opened = sheet[start : stop.start()].strip(), at
        elif mark == "}":
            depth -= depth > 0
            if depth == 0:
                if opened:
                    yield prelude, sheet[opened : stop.start()]
                start, opened = at, 0
        elif depth == 0:
            yield sheet[start : stop.start()].strip(), None
            start = at
    if opened:  # what is not closed ends with the sheet
        yield prelude, sheet[opened:]
    elif sheet[start:].strip():
        yield sheet[start:].strip(), None

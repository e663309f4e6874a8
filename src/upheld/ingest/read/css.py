"""The part of CSS that shows which elements a page's own `<style>` rules hide.

Rules are matched as for an idle page on a wide screen: nothing is hovered, focused or printed. The
libraries that read HTML include none for this.

Colours are parsed as far as needed to detect text in the colour of its background.
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
_CLOSE = 12  # of 255, per channel: closer colours are indistinguishable


def colour_of(value: str) -> Colour | None:
    """Return the single colour that a `color` or `background` value names, or None."""
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
    """Return whether text of one colour is invisible on a background of the other."""
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
_DEEPEST = 8  # nested blocks
_MOST_NESTED = 100_000  # characters of a selector after nesting
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_WRAPPERS = re.compile(r"<!--|-->|<!\[CDATA\[|\]\]>")  # hid the rules from old browsers
_STOP = re.compile(r"""[{};"'\\(]""")
_STRINGS = {quote: re.compile(rf"(?:[^{quote}\\\n]|\\.)*+{quote}?", re.DOTALL) for quote in "\"'"}
_WIDTH = re.compile(r"\(\s*(min|max)-(?:device-)?width\s*:\s*([\d.]+)(px|em|rem)\s*\)")

Declarations = Mapping[str, tuple[str, bool]]  # by property: (value, important)


@dataclass(frozen=True, slots=True)
class Rule:
    """Selectors and their declarations."""

    selectors: tuple[Selector, ...]
    declarations: Declarations


def rules(sheet: str) -> Iterator[Rule]:
    """Yield the rules of a style sheet that apply on a screen."""
    sheet = _COMMENT.sub(" ", sheet)
    yield from _rules(_WRAPPERS.sub(" ", sheet), "", 0)


def declarations(body: str) -> dict[str, tuple[str, bool]]:
    """Parse the declarations of a `style` attribute or block, in lower case."""
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
    """Return whether the rules inside an at-rule apply on a wide screen."""
    name, _, condition = prelude.partition(" ")
    if name in ("@supports", "@layer", "@container", "@scope", "@starting-style"):
        return name != "@starting-style"
    return name == "@media" and media_holds(condition)


def media_holds(queries: str) -> bool:
    """Return whether a media query applies; queries on anything but width or medium do not."""
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
    """Yield preludes with their blocks; a statement or declaration has None for a block."""
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
    if opened:  # an unclosed block ends with the sheet
        yield prelude, sheet[opened:]
    elif sheet[start:].strip():
        yield sheet[start:].strip(), None

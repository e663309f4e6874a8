"""Colours of CSS, as far as it takes to tell text that has the colour of its background."""

from __future__ import annotations

import re

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

"""Safe output to a terminal: strips escape sequences from untrusted text.

An answer may quote a document that contains escape sequences. Printed, they could clear the screen,
rename the window or overwrite a verdict. `SafeConsole` strips them from everything that it prints,
so that callers need not do it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

# ECMA-48: control sequences (CSI), and strings (OSC, DCS, SOS, PM, APC) up to their terminator.
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*+(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*+[0-~]"
)
# C0 without tab and line end, DEL, C1, and the marks that reorder text (bidirectional controls).
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_LINE = re.compile(r"[\u2028\u2029]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")  # a byte of a file name that is not UTF-8
_UNSAFE = re.compile(f"{_CONTROL.pattern}|{_LINE.pattern}|{_SURROGATE.pattern}")


def printable(text: str) -> str:
    """Return the text without escape sequences, control characters and marks that reorder it.

    >>> printable("\\x1b[2Jfree\\u202e")
    'free'
    """
    if _UNSAFE.search(text) is None:
        return text
    # Functions as replacements let other threads run, such as that of a progress bar.
    plain = _CONTROL.sub(lambda _: "", _SEQUENCE.sub(lambda _: "", text))
    return _SURROGATE.sub(lambda _: "\ufffd", _LINE.sub(lambda _: " ", plain))


def printable_json(text: str) -> str:
    """Escape characters of JSON that a terminal would interpret as `\\uXXXX`; values are equal."""
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def on_one_line(name: str) -> str:
    """Make a title, path or address printable on one line: line ends and tabs are replaced."""
    return printable(name).replace("\n", "␊").replace("\t", " ")


class SafeConsole(Console):
    """A rich console that strips escape sequences and ignores markup such as `[red]` in strings.

    Styles and progress bars of the calling code still work.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, emoji=False)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render as rich does, with the text of all segments made printable."""
        if isinstance(renderable, str):
            renderable = printable(renderable)
        elif isinstance(renderable, Text) and _UNSAFE.search(renderable.plain):
            renderable = _printable_text(renderable)
        for segment in super().render(renderable, options):
            if segment.control or _UNSAFE.search(segment.text) is None:
                yield segment
            else:
                yield Segment(printable(segment.text), segment.style)

    def out(self, *objects: Any, **options: Any) -> None:
        """Print like `Console.out`, which does not call `render`, with printable text."""
        super().out(*(printable(str(each)) for each in objects), **options)


def _printable_text(text: Text) -> Text:
    """Remove whole escape sequences from a styled text, before rich wraps its lines."""
    edges = [edge for match in _SEQUENCE.finditer(text.plain) for edge in match.span()]
    kept = text.divide(edges)[::2] if edges else [text]
    clean = text.blank_copy()
    for part in kept:
        clean.append_text(part)
    return clean

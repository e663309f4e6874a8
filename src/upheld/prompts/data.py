"""Text from outside, made so that a model can read it but nothing in it can act."""

from __future__ import annotations

import re

from upheld.text.patterns import replaced

# Turn markers of the chat templates in use. Servers tokenize the whole conversation at once, so
# that a marker inside a passage would end the user's turn and begin another.
_MARKER = re.compile(r"<(?=[|｜]|/?s>|<SYS>|</SYS>|(?:start|end)_of_turn>)|\[(?=/?INST\])")
_LONE_SURROGATES = re.compile(r"[\ud800-\udfff]{1,1000}+")  # cannot be sent as UTF-8
_BACKTICKS = re.compile(r"`+")


def as_data(text: str) -> str:
    """The text with a space in every turn marker: it reads the same and does nothing."""
    inert = replaced(_MARKER, text, lambda marker: marker + " ")
    return replaced(_LONE_SURROGATES, inert, lambda run: "\ufffd" * len(run))


def fence(text: str) -> str:
    """The text between fences longer than any in it, so that it cannot end its own fence."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}\n{text}\n{ticks}"

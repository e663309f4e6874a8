"""What a label or a note says, however it is put."""

from __future__ import annotations

from collections.abc import Sequence


def only_says(texts: Sequence[str], *words: str) -> bool:
    """Whether there is one text and it has these words: a number, a name, what is missing."""
    return len(texts) == 1 and all(each.lower() in texts[0].lower() for each in words)

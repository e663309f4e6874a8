"""Which of several drafts a method returns."""

from __future__ import annotations

from enum import StrEnum


class Keep(StrEnum):
    """The best by the method's score, or the last, as the papers do."""

    BEST = "best"
    LAST = "last"

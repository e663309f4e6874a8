"""A question with a text that helps to answer it or does not, as the model reads them."""

from __future__ import annotations

from dataclasses import dataclass

HELPS, DOES_NOT = 0, 1  # the model's outputs, in this order


@dataclass(frozen=True, slots=True)
class Example:
    """One training row; the text stands first, since that is the side that may be cut."""

    question: str
    text: str
    helps: bool
    source: str

    @property
    def premise(self) -> str:
        return self.text

    @property
    def claim(self) -> str:
        return self.question

    @property
    def label(self) -> int:
        return HELPS if self.helps else DOES_NOT

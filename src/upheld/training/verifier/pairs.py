"""A premise with a claim, as the model reads them."""

from __future__ import annotations

from dataclasses import dataclass

from upheld.bench.verify.labels import Label


@dataclass(frozen=True, slots=True)
class Pair:
    """One training row; `document` is what must not stand on both sides of a split."""

    premise: str
    claim: str
    label: Label
    source: str
    document: str
    whole: str = ""  # the premise before it was cut, for the rule against leaks


def premise(title: str, text: str, heading: str = "") -> str:
    """Title, heading and text on lines of their own: what the verify stage sends."""
    return "\n".join(part for part in (title, heading, text) if part)

"""The nouns of a run: which method with what changed, what came of it, and its scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from upheld.types import Answer

Scores = dict[str, float | None]  # by name; None where a score does not apply to the question


@dataclass(frozen=True, slots=True)
class Variant:
    """A method as a run names it: "rag", "fave:sessions=2+select=r_d"."""

    method: str
    changes: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        told = "+".join(f"{key}={value}" for key, value in self.changes.items())
        return f"{self.method}:{told}" if told else self.method


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one variant made of one question; a line of `answers.jsonl`."""

    question: str  # the id
    variant: str  # the name
    answer: Answer | None  # None: it ended in a typed error
    error: str | None
    seconds: float
    resumed: bool = False  # begun before an interruption: its seconds tell nothing
    found: tuple[str, ...] = ()  # ids of the first twenty passages of a plain search, best first


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores of one outcome; a line of `scores.jsonl`."""

    question: str
    set: str
    variant: str
    scores: Scores

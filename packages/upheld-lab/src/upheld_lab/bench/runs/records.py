"""The nouns of a run: which method with what changed, what came of it, and its scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from upheld.types import Answer, Passage
from upheld.verification.chain import Judgment
from upheld_lab.bench.scores.chain import Quality

GATE = ("relevance_gate", "true")  # the change that `+gate` stands for

Scores = dict[str, float | None]  # by name; None where a score does not apply to the question


@dataclass(frozen=True, slots=True)
class Variant:
    """A method as a run names it: "rag", "rag+gate", "fave:sessions=2+select=r_d"."""

    method: str
    changes: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        others = [change for change in self.changes.items() if change != GATE]
        method = self.method if len(others) == len(self.changes) else f"{self.method}+gate"
        told = "+".join(f"{key}={value}" for key, value in others)
        return f"{method}:{told}" if told else method


@dataclass(frozen=True, slots=True)
class Verified:
    """What a chain of verification (CoV-RAG) made of the first answer that was written."""

    judgment: Judgment | None  # None: its reply did not have the format asked for
    answer: str  # the words that it looked at
    references: tuple[Passage, ...]  # what those were written from
    revised: str = ""  # what was searched for instead; empty: nothing
    found: tuple[Passage, ...] = ()  # by the revised question


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one variant made of one question; a line of `answers.jsonl`."""

    question: str  # the id
    variant: str  # the name
    answer: Answer | None  # None: it ended in a typed error
    error: str | None
    seconds: float
    untimed: bool = False  # resumed, or helped by who asked before: its seconds tell nothing
    found: tuple[str, ...] = ()  # ids of the first twenty passages of a plain search, best first
    verified: Verified | None = None  # by methods with a chain of verification


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores of one outcome; a line of `scores.jsonl`."""

    question: str
    set: str
    variant: str
    scores: Scores


@dataclass(frozen=True, slots=True)
class Judged:
    """What a model said of all answers to a question; a line of `judgements.jsonl`."""

    question: str
    judge: str  # the model's name: without it the figures mean nothing
    qualities: Mapping[str, Quality] | None  # by variant; None: the call failed
    error: str | None = None
    good_revisions: Mapping[str, bool] = field(default_factory=dict)  # of variants that revised

"""What a chain of verification says: scores, a judgment, a revised question (CoV-RAG, Table 1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, Field

from upheld.run.trace import Score
from upheld.text.words import words
from upheld.types import Question

_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
# The paper's Start-Revise fails by questions too long for a retriever (section 4.3): bound them.
_Query = Annotated[str, Field(json_schema_extra={"maxLength": 200})]


class Judgment(StrEnum):
    """Whether the answer is right."""

    TRUE = "true"
    FALSE = "false"
    UNCLEAR = "unclear"


class Chain(BaseModel, frozen=True):
    """The chain; a decoder writes in this order, so that the revision rests on the scores."""

    reference_correctness: _Share
    correctness: _Share
    citation_accuracy: _Share
    truthfulness: _Share
    bias: _Share  # 1 is bad
    conciseness: _Share
    judgment: Judgment
    revised_question: _Query


class Direct(BaseModel, frozen=True):
    """Only the revision; an empty one says that nothing needs revising."""

    revised_question: _Query


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found about a draft; the default says that nobody could look."""

    judgment: Judgment = Judgment.UNCLEAR
    revised_question: str = ""
    scores: Chain | None = None  # none without the chain

    def __str__(self) -> str:
        told = [self.judgment.value]
        if self.scores is not None:
            told += [
                f"{name} {value:.2f}"
                for name, value in self.scores.model_dump().items()
                if isinstance(value, float)
            ]
        if self.revised_question:
            told.append(f"ask instead: {self.revised_question}")
        return ", ".join(told)

    @property
    def score(self) -> Score:
        """Orders answers to one question: judgment, then the mean of the five answer scores."""
        if self == Verification():
            return ()  # below any answer that somebody has looked at
        rank = (Judgment.FALSE, Judgment.UNCLEAR, Judgment.TRUE).index(self.judgment)
        if (s := self.scores) is None:
            return (float(rank),)
        good = (s.correctness, s.citation_accuracy, s.truthfulness, 1 - s.bias, s.conciseness)
        return (float(rank), sum(good) / len(good))


def revision(text: str, question: Question) -> str:
    """On one line, and empty where it asks the same words again: they would find the same."""
    revised = " ".join(text.split())
    return "" if words(revised) in ([], words(question.text)) else revised

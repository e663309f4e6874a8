"""Grade: how good is what was found, and what to do about it (CRAG steps 1 and 2).

The file beside a grader's weights: the thresholds that were fitted on its scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from upheld._internal.probability import to_score
from upheld.errors import ModelError
from upheld.ports import Grader, QueryPassagePair
from upheld.run.calls import grade
from upheld.run.trace import current_run, span
from upheld.types import Evidence, Passage, Question


class Action(StrEnum):
    """What the grades call for: use what was found, look elsewhere, or both."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    AMBIGUOUS = "ambiguous"


@dataclass(frozen=True, slots=True)
class Graded:
    """Evidence in its old order, each hit with its relevance, and the action that follows."""

    evidence: Evidence
    action: Action


@dataclass(frozen=True, kw_only=True)
class Grade:
    """Score every passage in [-1, 1]; the thresholds belong to the scale of one grader.

    The paper's, for its T5, as (upper, lower): PopQA (0.59, -0.99), PubHealth and ARC
    (0.5, -0.91), Biography (0.95, -0.91).
    """

    grader: Grader | None
    upper: float
    lower: float

    async def __call__(self, question: Question, evidence: Evidence) -> Graded:
        if not evidence:
            return Graded(evidence, Action.INCORRECT)
        scores = await relevances(
            self.grader, "grade", question, evidence.passages, "what was found is not graded"
        )
        if scores is None:
            return Graded(evidence, Action.AMBIGUOUS)
        hits = (hit.graded(score) for hit, score in zip(evidence, scores, strict=True))
        action = self.action(scores)
        with span("action", note=f"{action}: the best of {len(scores)} has {max(scores):+.2f}"):
            return Graded(Evidence(tuple(hits)), action)

    def action(self, scores: Sequence[float]) -> Action:
        """The paper's rule; no scores at all are as bad as bad ones."""
        if any(score > self.upper for score in scores):
            return Action.CORRECT
        if all(score < self.lower for score in scores):
            return Action.INCORRECT
        return Action.AMBIGUOUS


async def relevances(
    grader: Grader | None, stage: str, question: Question, passages: Sequence[Passage], instead: str
) -> list[float] | None:
    """Scores on CRAG's scale, 2p - 1; None, and a label on the run, where nobody gives them."""
    if not passages:
        return []
    if grader is None:
        current_run().degrade(f"no grader: {instead}")
        return None
    # With title and headings, as passages are searched and shown to the writer.
    pairs = [QueryPassagePair(question.text, passage.searchable) for passage in passages]
    try:
        return [to_score(each) for each in await grade(grader, stage, pairs)]
    except ModelError as error:
        current_run().degrade(f"the grader failed, {instead}", error)
        return None


class GraderFit(BaseModel):
    """The file `fit.json`; it belongs to one file of weights and to no other."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    grader: str = Field(min_length=1)  # the identity of the model
    upper: float = Field(ge=-1, le=1)
    lower: float = Field(ge=-1, le=1)
    fitted_on: str

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.lower > self.upper:
            raise ValueError("lower stands above upper")
        return self


def fitted_grade(file: Path, grader: Grader) -> Grade:
    """The stage with the thresholds of a file, if they were fitted on this grader's scores."""
    try:
        fit = GraderFit.model_validate_json(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        reason = str(error).partition("\n")[0]
        raise ModelError(f"the grader's fit cannot be read: {reason}") from error
    if fit.grader != grader.identity:
        raise ModelError(f"the fit belongs to {fit.grader}, and the weights are {grader.identity}")
    return Grade(grader=grader, upper=fit.upper, lower=fit.lower)

"""Grade: score the passages that a search found, and choose CRAG's action (steps 1 and 2).

Also reads `fit.json`, the thresholds that were fitted on a grader's scores.
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
    """CRAG's action: use the passages, search elsewhere instead, or do both."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    AMBIGUOUS = "ambiguous"


@dataclass(frozen=True, slots=True)
class Graded:
    """Evidence in unchanged order, each hit with its relevance, and the action to take."""

    evidence: Evidence
    action: Action


@dataclass(frozen=True, kw_only=True)
class Grade:
    """Scores every passage in [-1, 1] and chooses the action; thresholds are for one grader.

    The paper's thresholds for its T5, as (upper, lower): PopQA (0.59, -0.99), PubHealth and ARC
    (0.5, -0.91), Biography (0.95, -0.91). Without a grader the action is AMBIGUOUS.
    """

    grader: Grader | None
    upper: float
    lower: float

    async def __call__(self, question: Question, evidence: Evidence) -> Graded:
        if not evidence:
            return Graded(evidence, Action.INCORRECT)
        scores = await relevances(
            self.grader, "grade", question, evidence.passages, "passages were not graded"
        )
        if scores is None:
            return Graded(evidence, Action.AMBIGUOUS)
        hits = (hit.graded(score) for hit, score in zip(evidence, scores, strict=True))
        action = self.action(scores)
        graded = Evidence(tuple(hits))
        note = f"{action}: the best of {len(scores)} has {max(scores):+.2f}"
        with span("action", note=note) as step:
            step.found = {"action": action, "evidence": graded}
            return Graded(graded, action)

    def action(self, scores: Sequence[float]) -> Action:
        """Choose the action by the paper's rule; without any scores it is INCORRECT."""
        if any(score > self.upper for score in scores):
            return Action.CORRECT
        if all(score < self.lower for score in scores):
            return Action.INCORRECT
        return Action.AMBIGUOUS


async def relevances(
    grader: Grader | None, stage: str, question: Question, passages: Sequence[Passage], instead: str
) -> list[float] | None:
    """Grade passages on CRAG's scale, 2p - 1.

    Without a grader, or if it fails, returns None and marks the run degraded; `instead` says in
    that note what happens without the scores.
    """
    if not passages:
        return []
    if grader is None:
        current_run().degrade(f"no grader: {instead}")
        return None
    # Title and headings are included, as in search and in the writer's prompt.
    pairs = [QueryPassagePair(question.text, passage.searchable) for passage in passages]
    try:
        return [to_score(each) for each in await grade(grader, stage, pairs)]
    except ModelError as error:
        current_run().degrade(f"the grader failed, {instead}", error)
        return None


class GraderFit(BaseModel):
    """The content of `fit.json`: thresholds for the grader with this identity only."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    grader: str = Field(min_length=1)  # the identity of the model
    upper: float = Field(ge=-1, le=1)
    lower: float = Field(ge=-1, le=1)
    fitted_on: str

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.lower > self.upper:
            raise ValueError("lower is greater than upper")
        return self


def fitted_grade(file: Path, grader: Grader) -> Grade:
    """Make the stage with the thresholds of a `fit.json`.

    Raises `ModelError` if the file cannot be read or was fitted for another grader.
    """
    try:
        fit = GraderFit.model_validate_json(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        reason = str(error).partition("\n")[0]
        raise ModelError(f"the grader's fit cannot be read: {reason}") from error
    if fit.grader != grader.identity:
        raise ModelError(f"the fit belongs to {fit.grader}, and the weights are {grader.identity}")
    return Grade(grader=grader, upper=fit.upper, lower=fit.lower)

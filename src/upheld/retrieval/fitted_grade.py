"""The file beside a grader's weights: the thresholds that were fitted on its scores."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from upheld.errors import ModelError
from upheld.ports import Grader
from upheld.retrieval.grade import Grade


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

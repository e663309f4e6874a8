"""The file that `upheld calibrate` writes: a threshold, and what it was fitted on."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from upheld.calibration.labelled import faults
from upheld.errors import CalibrationError
from upheld.types import Guarantee, content_hash

_MOST_BYTES = 64_000  # ours has some hundred; this may be anybody's file


class FittedOn(BaseModel):
    """Which labels, how many claims of them, and when."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    file: str
    hash: str
    labels: int = Field(ge=1)
    date: datetime

    def __str__(self) -> str:
        return f"{self.labels} labels of {self.file} ({self.hash[:12]}), {self.date:%Y-%m-%d}"


class FittedGuarantee(BaseModel):
    """A guarantee and the only pipeline that it speaks of."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: Literal["upheld guarantee 1"] = "upheld guarantee 1"
    alpha: float = Field(gt=0, lt=1)
    delta: float = Field(gt=0, lt=1)
    threshold: float = Field(ge=0, le=1)
    pipeline: str = Field(min_length=1)
    fitted_on: FittedOn


def fitted_on(labels: Path, count: int) -> FittedOn:
    """The name and content of a file of labels, today."""
    return FittedOn(
        file=labels.name,
        hash=content_hash(labels.read_bytes()),
        labels=count,
        date=datetime.now(UTC).replace(microsecond=0),
    )


def write_guarantee(path: Path, fitted: FittedGuarantee) -> None:
    """Write the file, over the one that was there."""
    try:
        path.write_text(fitted.model_dump_json(indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise CalibrationError(f"The guarantee {path} cannot be written: {error}") from error


def read_guarantee(path: Path, pipeline: str) -> Guarantee | None:
    """The guarantee, if it was fitted on what this pipeline emits; else None.

    A file that is missing or spoilt is an error: someone relies on it.
    """
    fitted = _read(path)
    if fitted.pipeline != pipeline:
        return None
    return Guarantee(fitted.alpha, fitted.delta, fitted.threshold, str(fitted.fitted_on))


def _read(path: Path) -> FittedGuarantee:
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise CalibrationError(f"The guarantee {path} cannot be read: {error}") from error
    again = "Write it again: upheld calibrate LABELS --out guarantee.json"
    if len(content) > _MOST_BYTES:
        raise CalibrationError(f"{path} is too long to be a guarantee.", help=again)
    try:
        return FittedGuarantee.model_validate_json(content)
    except ValidationError as error:
        raise CalibrationError(f"{path} is not a guarantee: {faults(error)}", help=again) from error

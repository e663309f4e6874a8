"""The file that `upheld calibrate` writes: a threshold, and what it was fitted on."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from upheld.calibration.labelled import faults
from upheld.errors import CalibrationError
from upheld.types import Guarantee, content_hash

_MOST_BYTES = 64_000  # ours has a few hundred; a user may pass any file
_AGAIN = "Write it again: upheld calibrate LABELS --out guarantee.json"


class FittedOn(BaseModel):
    """The labels that were fitted: their file, hash and number, and the date."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    file: str
    hash: str
    labels: int = Field(ge=1)
    date: datetime

    def __str__(self) -> str:
        return f"{self.labels} labels of {self.file} ({self.hash[:12]}), {self.date:%Y-%m-%d}"


class FittedGuarantee(BaseModel):
    """A guarantee and the only pipeline that it holds for."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: Literal["upheld guarantee 1"] = "upheld guarantee 1"
    alpha: float = Field(gt=0, lt=1)
    delta: float = Field(gt=0, lt=1)
    threshold: float = Field(ge=0, le=1)
    pipeline: str = Field(min_length=1)
    fitted_on: FittedOn

    def for_pipeline(self, pipeline: str) -> Guarantee | None:
        """Return the guarantee if it was fitted on scores of this pipeline, else None.

        Example::

            fitted = read_guarantee(Path("guarantee.json"))
            guarantee = fitted.for_pipeline(answer.pipeline)
        """
        if self.pipeline != pipeline:
            return None
        return Guarantee(self.alpha, self.delta, self.threshold, str(self.fitted_on))


def fitted_on(labels: Path, count: int) -> FittedOn:
    """Describe a file of labels by its name, content hash and today's date."""
    return fitted_today(labels.name, content_hash(labels.read_bytes()), count)


def fitted_today(name: str, hash: str, count: int) -> FittedOn:
    """Describe labels by their name, content hash and today's date."""
    today = datetime.now(UTC).replace(microsecond=0)
    return FittedOn(file=name, hash=hash, labels=count, date=today)


def write_guarantee(path: Path, fitted: FittedGuarantee) -> None:
    """Write the file, replacing an existing one; raises `CalibrationError` if it cannot."""
    try:
        path.write_text(fitted.model_dump_json(indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise CalibrationError(f"The guarantee {path} cannot be written: {error}") from error


def given_or_read(given: FittedGuarantee | None, path: Path | None) -> FittedGuarantee | None:
    """Return the guarantee `given`, or else the one in the file, if there is a file."""
    return given if given is not None or path is None else read_guarantee(path)


def read_guarantee(path: Path) -> FittedGuarantee:
    """Read a guarantee; raises `CalibrationError` if the file is missing or invalid."""
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise CalibrationError(f"The guarantee {path} cannot be read: {error}") from error
    if len(content) > _MOST_BYTES:
        raise CalibrationError(f"{path} is too long to be a guarantee.", help=_AGAIN)
    return guarantee_in(content, str(path))


def guarantee_in(content: str | bytes, place: str) -> FittedGuarantee:
    """Parse a guarantee; `place` is where it came from, for the error message."""
    try:
        return FittedGuarantee.model_validate_json(content)
    except ValidationError as error:
        told = f"{place} is not a guarantee: {faults(error)}"
        raise CalibrationError(told, help=_AGAIN) from error

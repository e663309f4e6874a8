"""Prices that a user gives, in a dated file of JSON, and what a plan costs by them."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from pydantic import BaseModel, ConfigDict, NonNegativeFloat, PositiveInt, ValidationError

from upheld.errors import UsageError

EXAMPLE = """{
  "date": "2026-11-01",
  "currency": "USD",
  "machine_hour": 0.40,
  "machine_cores": 8,
  "machine_memory_gb": 32,
  "storage_gb_month": 0.023,
  "thousand_reads": 0.0004,
  "million_prompt_tokens": 0.15,
  "million_written_tokens": 0.60
}"""


class Prices(BaseModel):
    """One machine, object storage, and a language model."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)

    date: date
    currency: str
    machine_hour: NonNegativeFloat
    machine_cores: PositiveInt
    machine_memory_gb: PositiveInt
    storage_gb_month: NonNegativeFloat
    thousand_reads: NonNegativeFloat
    million_prompt_tokens: NonNegativeFloat
    million_written_tokens: NonNegativeFloat


def read_prices(path: Path) -> Prices:
    """Read the file of prices; the error says which field is wrong, and shows a whole example."""
    try:
        return Prices.model_validate_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValidationError, UnicodeDecodeError) as error:
        reason = str(error)
        if isinstance(error, ValidationError):
            first = error.errors()[0]
            reason = f"{'.'.join(map(str, first['loc'])) or 'the file'}: {first['msg']}"
        raise UsageError(
            f"{path} is no file of prices: {reason}.", help=f"Such a file is\n{EXAMPLE}"
        ) from error

"""Labelled claims in JSONL: a person's verdict on a claim of one of our answers per line."""

from __future__ import annotations

import hashlib
import math
import os
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from upheld.errors import CalibrationError
from upheld.types import Answer, Claim, Support

Row = TypeVar("Row", bound=BaseModel)
MOST_FAULTS = 10  # reported for one line
_WRITTEN_BY = "`upheld label` writes such lines."


class LabelledClaim(BaseModel):
    """A claim, its score, and whether a person finds it supported."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    question: str = Field(min_length=1)
    answer: str = Field(min_length=1)  # its id
    claim: str = Field(min_length=1)
    evidence: tuple[str, ...]  # the quotes that the person was shown
    score: float = Field(ge=0, le=1)  # Verdict.probability
    verdict: Support  # what the pipeline decided; not shown to the person
    supported: bool  # the person's label
    pipeline: str = Field(min_length=1)  # Answer.pipeline
    who: str
    when: datetime

    @property
    def cluster(self) -> str:
        """The key of claims that depend on each other: those of one question, however often asked.

        >>> same_question("Who? "), same_question("WHO?")
        ('who?', 'who?')
        """
        return same_question(self.question)

    @property
    def shown_score(self) -> float:
        """The score that a threshold sees; -inf if the verdict is not `supported`."""
        return self.score if self.verdict is Support.SUPPORTED else -math.inf


def same_question(text: str) -> str:
    """Normalise case and spacing of a question."""
    return " ".join(text.split()).casefold()


def draw(answer: Answer, seed: int = 0) -> Claim | None:
    """Draw one checked claim, determined by question and seed; None if there is none."""
    checked = [claim for claim in answer.claims if claim.verdict.probability is not None]
    if not checked:
        return None
    digest = hashlib.sha256(f"{seed} {same_question(answer.question)}".encode()).digest()
    return checked[int.from_bytes(digest[:8], "big") % len(checked)]


def read_labels(path: Path) -> tuple[LabelledClaim, ...]:
    """Read all labels of a file; an invalid line raises an error that names it."""
    return read_rows(path, LabelledClaim, _WRITTEN_BY)


def labels_in(text: str, place: str) -> tuple[LabelledClaim, ...]:
    """Parse all labels of a text; `place` is where it came from, for error messages."""
    return rows_in(text, LabelledClaim, place, _WRITTEN_BY)


def read_rows(path: Path, kind: type[Row], help: str) -> tuple[Row, ...]:
    """Read all rows of a JSONL file; `help` describes a line, for error messages."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CalibrationError(f"{path} cannot be read: {error}") from error
    return rows_in(text, kind, str(path), help)


def rows_in(text: str, kind: type[Row], place: str, help: str) -> tuple[Row, ...]:
    """Parse all rows of a text, one JSON object per line."""
    return tuple(
        _row(line, kind, f"{place}, line {number}", help)
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    )


def _row(line: str, kind: type[Row], place: str, help: str) -> Row:
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        raise CalibrationError(
            f"{place}, does not fit: {faults(error)}",
            help=f"{help} Correct the line or take it out.",
        ) from error


def faults(error: ValidationError) -> str:
    """Describe validation errors field by field, without the values."""
    return "; ".join(
        ": ".join(part for part in (".".join(map(str, each["loc"])), each["msg"]) if part)
        for each in error.errors(include_input=False, include_url=False)[:MOST_FAULTS]
    )


def the_pipeline(labels: Sequence[LabelledClaim]) -> str:
    """Return the one pipeline that made all these scores; raises `CalibrationError` otherwise.

    Scores of two pipelines do not compare.
    """
    if not labels:
        raise CalibrationError("There are no labels.", help="Make some with `upheld label`.")
    counted = Counter(label.pipeline for label in labels)
    if len(counted) > 1:
        told = "\n".join(f"  {n} of {name}" for name, n in counted.most_common())
        raise CalibrationError(
            f"These labels are of {len(counted)} pipelines, whose scores do not compare:\n{told}",
            help="Keep the labels of each pipeline in a file of its own.",
        )
    return next(iter(counted))


def append_label(path: Path, label: LabelledClaim) -> None:
    """Append a line and sync it to disk before the next claim is shown."""
    line = label.model_dump_json().encode() + b"\n"
    with path.open("ab+") as file:
        if file.tell():
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":  # an editor has saved it without a final newline
                line = b"\n" + line
        file.write(line)
        file.flush()
        os.fsync(file.fileno())

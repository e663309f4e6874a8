"""Where a grader's scores call for an action: thresholds from questions whose outcome is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from upheld._internal.probability import to_score
from upheld.calibration.labelled import read_rows, same_question
from upheld.errors import CalibrationError
from upheld.ports import Grader, QueryPassagePair

DECIDED = 0.65  # the share of cases that must get an action which is not "ambiguous"
_STEPS = 120  # thresholds that are tried on each side
_FEW = 20  # cases of a kind below which thresholds are chance


class GradedRow(BaseModel):
    """A passage for a question, and whether a person finds that it helps to answer it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    question: str = Field(min_length=1)
    passage: str = Field(min_length=1)  # with title and headings, as `Passage.searchable` has it
    relevant: bool


@dataclass(frozen=True, slots=True)
class Case:
    """What a search found for a question: its best score in [-1, 1], and whether any of it helps.

    CRAG's rule looks at nothing but the best: any above the upper, or all below the lower.
    """

    best: float
    helps: bool


@dataclass(frozen=True, slots=True)
class Decisions:
    """How well two thresholds do on cases."""

    cases: int
    decided: float  # the share above the upper or below the lower
    accuracy: float  # balanced over the two kinds, of what was decided


@dataclass(frozen=True, slots=True)
class Thresholds:
    """CRAG's two, and what they do on the cases that they were fitted on."""

    upper: float
    lower: float
    on: Decisions


def read_graded(path: Path) -> tuple[GradedRow, ...]:
    """All rows of a JSONL file; a line that cannot be read is named, never left out."""
    shape = 'A line is {"question": "…", "passage": "…", "relevant": true}.'
    return read_rows(path, GradedRow, shape)


def cases_of(rows: Sequence[GradedRow], scores: Sequence[float]) -> list[Case]:
    """Two cases a question: all of its passages, and what is left without those that help."""
    scored = sorted(
        ((same_question(row.question), row.relevant, score))
        for row, score in zip(rows, scores, strict=True)
    )
    found = list[Case]()
    for _, of_question in groupby(scored, key=lambda each: each[0]):
        found += _cases([(relevant, score) for _, relevant, score in of_question])
    return found


def fit_thresholds(cases: Sequence[Case], decide: float = DECIDED) -> Thresholds:
    """The most accurate pair that decides so many of the cases, and half as many of each kind."""
    for helps in (True, False):
        count = sum(case.helps is helps for case in cases)
        if count < _FEW:
            kind = "a passage that helps" if helps else "none that helps"
            raise CalibrationError(
                f"There are {count} questions with {kind}; thresholds need {_FEW} of each kind."
            )
    steps = np.unique(np.quantile([case.best for case in cases], np.linspace(0, 1, _STEPS)))
    best: Thresholds | None = None
    for upper in steps:
        for lower in steps[steps <= upper]:
            on = decisions(cases, float(upper), float(lower), least=decide / 2)
            if on.decided >= decide and (best is None or on.accuracy > best.on.accuracy):
                best = Thresholds(float(upper), float(lower), on)
    if best is None:
        raise CalibrationError(f"No thresholds decide {decide:.0%} of these cases.")
    return best


def decisions(
    cases: Sequence[Case], upper: float, lower: float, *, least: float = 0.0
) -> Decisions:
    """Shares at two thresholds; a kind of which less than `least` is decided counts as missed."""
    best = np.array([case.best for case in cases])
    helps = np.array([case.helps for case in cases])
    correct, incorrect = best > upper, best < lower
    decided = correct | incorrect
    right = [
        float((said & kind).sum() / (decided & kind).sum())
        if (decided & kind).sum() > least * kind.sum()
        else 0.0
        for said, kind in ((correct, helps), (incorrect & ~correct, ~helps))
    ]
    return Decisions(len(cases), float(decided.mean()), sum(right) / 2)


def _cases(of_question: Iterable[tuple[bool, float]]) -> Iterator[Case]:
    every = list(of_question)
    without = [score for relevant, score in every if not relevant]
    if len(without) < len(every):
        yield Case(max(score for _, score in every), helps=True)
    if without:
        yield Case(max(without), helps=False)


async def cases_of_file(rows: Path, grader: Grader) -> list[Case]:
    """Two cases a question of a JSONL file of graded passages."""
    graded = read_graded(rows)
    grades = await grader.grade([QueryPassagePair(row.question, row.passage) for row in graded])
    return cases_of(graded, [to_score(each) for each in grades])

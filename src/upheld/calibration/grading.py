"""Fit CRAG's two thresholds on grader scores, from questions with labelled passages."""

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
_STEPS = 120  # candidate thresholds for each side
_FEW = 20  # fewest cases of a kind from which thresholds can be fitted


class GradedRow(BaseModel):
    """A passage for a question, and a person's label whether it helps to answer it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    question: str = Field(min_length=1)
    passage: str = Field(min_length=1)  # with title and headings, as `Passage.searchable` has it
    relevant: bool


@dataclass(frozen=True, slots=True)
class Case:
    """The result of one search: its best score in [-1, 1], and whether any passage helps.

    CRAG's rule reads only the best score: any above the upper threshold, or all below the lower.
    """

    best: float
    helps: bool


@dataclass(frozen=True, slots=True)
class Decisions:
    """How well two thresholds do on a set of cases."""

    cases: int
    decided: float  # the share above the upper or below the lower
    accuracy: float  # of decided cases, balanced over the two kinds


@dataclass(frozen=True, slots=True)
class Thresholds:
    """CRAG's two thresholds, and how they do on the cases that they were fitted on."""

    upper: float
    lower: float
    on: Decisions


def read_graded(path: Path) -> tuple[GradedRow, ...]:
    """Read all rows of a JSONL file; an invalid line raises an error that names it."""
    shape = 'A line is {"question": "…", "passage": "…", "relevant": true}.'
    return read_rows(path, GradedRow, shape)


def cases_of(rows: Sequence[GradedRow], scores: Sequence[float]) -> list[Case]:
    """Make two cases per question: all of its passages, and only those that do not help."""
    scored = sorted(
        ((same_question(row.question), row.relevant, score))
        for row, score in zip(rows, scores, strict=True)
    )
    found = list[Case]()
    for _, of_question in groupby(scored, key=lambda each: each[0]):
        found += _cases([(relevant, score) for _, relevant, score in of_question])
    return found


def fit_thresholds(cases: Sequence[Case], decide: float = DECIDED) -> Thresholds:
    """Return the most accurate pair that decides a share of the cases, and half of it of each kind.

    Raises `CalibrationError` if there are too few cases or no pair decides enough of them.
    """
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
    """Measure two thresholds; a kind of which less than `least` is decided counts as wrong."""
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
    """Grade the passages of a JSONL file and make two cases per question."""
    graded = read_graded(rows)
    grades = await grader.grade([QueryPassagePair(row.question, row.passage) for row in graded])
    return cases_of(graded, [to_score(each) for each in grades])

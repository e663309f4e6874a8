"""A run as its page sees it, cut to the questions that every variant has finished."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from upheld.errors import UsageError
from upheld_lab.bench.page.judged import Judging, judge_scores, judging
from upheld_lab.bench.runs.records import Judged, Outcome, Scored, Scores
from upheld_lab.bench.runs.store import RunFolder
from upheld_lab.bench.suites.suite import Asked

ALL = "all"  # every set together
Values = NDArray[np.float64]
Strata = Mapping[str, Values]  # by set: a row a question, a column a quantity


@dataclass(frozen=True, slots=True)
class Run:
    """What a run's folder holds."""

    manifest: Mapping[str, Any]
    questions: tuple[Asked, ...]
    outcomes: tuple[Outcome, ...]
    scores: tuple[Scored, ...]
    judgements: tuple[Judged, ...] = ()


@dataclass(frozen=True, slots=True)
class Cut:
    """The same questions for every variant, so that their figures compare."""

    manifest: Mapping[str, Any]
    variants: tuple[str, ...]
    asked: int  # how many questions the run set out to ask
    questions: tuple[Asked, ...]
    outcomes: Mapping[tuple[str, str], Outcome]  # by question and variant
    scores: Mapping[tuple[str, str], Scores]
    judging: Judging | None = None  # where a model has judged it

    @property
    def sets(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(question.set for question in self.questions))

    def of(self, name: str) -> tuple[Asked, ...]:
        """The questions of one set, or of all."""
        return tuple(each for each in self.questions if name in (ALL, each.set))

    def score(self, question: Asked, variant: str, name: str) -> float | None:
        """One score; None where it does not apply."""
        return self.scores[question.id, variant].get(name)

    def named(self, method: str) -> str | None:
        """The variant that stands for a method: as it is by default, or else its first."""
        if method in self.variants:
            return method
        return next((each for each in self.variants if each.startswith(f"{method}:")), None)


def read_run(folder: Path) -> Run:
    """A run from its folder, finished or under way."""
    store = RunFolder(folder)
    return Run(
        store.manifest(),
        tuple(store.questions()),
        tuple(store.outcomes()),
        tuple(store.scored()),
        tuple(store.judged()),
    )


def fair_cut(run: Run) -> Cut:
    """Keep the questions that all variants have finished; the last line of a pair counts."""
    outcomes = {(each.question, each.variant): each for each in run.outcomes}
    scores = {(each.question, each.variant): each.scores for each in run.scores}
    variants = _variants(run)
    both = outcomes.keys() & scores.keys()
    questions = tuple(
        asked for asked in run.questions if all((asked.id, each) in both for each in variants)
    )
    if not questions or not variants:
        raise UsageError(
            "No question of this run has been finished and scored by all of its variants.",
            help="Go on with `upheld bench run`, or score it with `upheld bench score RUN`.",
        )
    kept = {(asked.id, variant) for asked in questions for variant in variants}
    said = {each.question: each for each in run.judgements}
    judgements = [said[asked.id] for asked in questions if asked.id in said]
    judged = judge_scores(judgements)
    return Cut(
        run.manifest,
        variants,
        len(run.questions),
        questions,
        {pair: outcomes[pair] for pair in kept},
        {pair: {**scores[pair], **judged.get(pair, {})} for pair in kept},
        judging(judgements),
    )


def _variants(run: Run) -> tuple[str, ...]:
    """In the order of the manifest; without one, as they come."""
    told = run.manifest.get("variants")
    return tuple(told or dict.fromkeys(each.variant for each in run.outcomes))


def strata(
    questions: Iterable[Asked],
    quantities: Sequence[Callable[[Asked], float | None]],
) -> Strata:
    """Quantities by set, of the questions for which all of them are known."""
    rows: dict[str, list[list[float]]] = {}
    for asked in questions:
        values = [quantity(asked) for quantity in quantities]
        known = [value for value in values if value is not None]
        if len(known) == len(values):
            rows.setdefault(asked.set, []).append(known)
    return {name: np.array(values, float) for name, values in rows.items()}


def pairs(cut: Cut, questions: Iterable[Asked], score: str, ours: str, theirs: str) -> Strata:
    """Two variants' scores, of the questions for which both have one."""
    return strata(
        questions,
        [
            lambda asked: cut.score(asked, ours, score),
            lambda asked: cut.score(asked, theirs, score),
        ],
    )


def count(values: Strata) -> int:
    """How many questions there are."""
    return sum(len(each) for each in values.values())

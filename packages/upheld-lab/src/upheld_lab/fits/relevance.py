"""What grade and similarity of claims tell of whether an answer is right.

The numbers of `upheld.verification.relevance`, and how much `upheld` withholds, come from here. An
answer is as sure as its surest claim; which one that is depends on the numbers: they are fitted in
rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from upheld._internal.probability import grade_logit
from upheld.answer.verdicts import is_checkworthy
from upheld.errors import UsageError
from upheld.ports import Embedder, Grader, QueryPassagePair
from upheld.resources.open import open_embedder, open_grade
from upheld.run.trace import start_run
from upheld.settings import load_settings
from upheld.types import Answer, Evidence, Hit
from upheld.verification.relevance import cosine_similarities, titled
from upheld_lab.bench.logistic import logistic
from upheld_lab.bench.manifest import manifest
from upheld_lab.bench.report import Report, Row, Watch
from upheld_lab.bench.runs.store import RunFolder
from upheld_lab.bench.scores.precision_recall import precision_recall
from upheld_lab.bench.scores.shown import method_of
from upheld_lab.bench.verify.figures import auc

ROUNDS, PARTS = 5, 5
LEAST = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)
Signals = tuple[float, float]  # the grade's log odds, and the cosine
Weights = tuple[float, float, float]  # of both, and the shift


@dataclass(frozen=True, slots=True)
class Told:
    """What is known of each claim of an answer, and whether it was right to show it."""

    claims: tuple[Signals, ...]
    right: bool
    answerable: bool

    def best(self, weights: Weights) -> Signals:
        return max(self.claims, key=lambda claim: odds(claim, weights))

    def sureness(self, weights: Weights) -> float:
        return odds(self.best(weights), weights)


def odds(claim: Signals, weights: Weights) -> float:
    """The log odds of a claim."""
    return weights[0] * claim[0] + weights[1] * claim[1] + weights[2]


async def fit_relevance(folders: Sequence[Path], watch: Watch) -> Report:
    """Fit on the answers of `upheld` in these runs, which should withhold nothing."""
    settings = load_settings()
    grader, embedder = open_grade(settings).grader, open_embedder(settings)
    if grader is None or embedder is None:
        raise UsageError("Bearing is fitted with the local models.", help="Install extra 'local'.")
    try:
        told = [each for path in folders for each in await _told(path, grader, embedder, watch)]
    finally:
        await grader.close()
        await embedder.close()
    if len({each.right for each in told}) < 2:
        raise UsageError("There must be right and wrong answers of upheld in these runs.")
    weights = fitted(told)
    rows: list[Row] = [
        {"by": "grade alone", "auc": _auc(told, (1.0, 0.0, 0.0))},
        {"by": "similarity alone", "auc": _auc(told, (0.0, 1.0, 0.0))},
        {"by": "both, fitted elsewhere", "auc": auc(*cross_validated(told))},
    ]
    rows += [withheld(told, weights, least) for least in LEAST]
    named = dict(zip(("grade", "nearness", "shift"), weights, strict=True))
    facts = manifest(grader=grader.identity, embedder=embedder.identity, answers=len(told))
    return Report("relevance", named, tuple(rows), facts)


def fitted(told: Sequence[Told]) -> Weights:
    """In rounds: the numbers choose the surest claim of each answer, which makes the numbers."""
    weights: Weights = (1.0, 0.0, 0.0)
    right = np.array([each.right for each in told], float)
    for _ in range(ROUNDS):
        (grade, similarity), shift = logistic(
            np.array([each.best(weights) for each in told]), right
        )
        weights = (grade, similarity, shift)
    return weights


def cross_validated(told: Sequence[Told]) -> tuple[list[float], list[bool]]:
    """Each answer's sureness by numbers that were fitted without it."""
    sure, right = [], []
    for part in range(PARTS):
        rest = [each for place, each in enumerate(told) if place % PARTS != part]
        weights = fitted(rest)
        sure += [each.sureness(weights) for each in told[part::PARTS]]
        right += [each.right for each in told[part::PARTS]]
    return sure, right


def withheld(told: Sequence[Told], weights: Weights, least: float) -> Row:
    """What it costs and brings to withhold answers below so much."""
    floor = float(np.log(least / (1 - least)))
    silent = [each for each in told if each.sureness(weights) < floor]
    right = sum(each.right for each in told)
    return {
        "least": least,
        "right_withheld": sum(each.right for each in silent) / right,
        "wrong_withheld": sum(not each.right for each in silent) / (len(told) - right),
        "abstention_f1": precision_recall(
            right=sum(not each.answerable for each in silent),
            given=len(silent),
            wanted=sum(not each.answerable for each in told),
        ).f1,
    }


def _auc(told: Sequence[Told], weights: Weights) -> float:
    return auc([each.sureness(weights) for each in told], [each.right for each in told])


async def _told(path: Path, grader: Grader, embedder: Embedder, watch: Watch) -> list[Told]:
    run = RunFolder(path)
    run.manifest()  # a folder without a run is refused
    answerable = {each.id: each.answerable for each in run.questions()}
    wrong = {
        (each.question, each.variant): each.scores.get("wrong_if_shown") for each in run.scored()
    }
    outcomes = [each for each in run.outcomes() if method_of(each.variant) == "upheld"]
    told = []
    for done, outcome in enumerate(outcomes, start=1):
        is_wrong = wrong.get((outcome.question, outcome.variant))
        if outcome.answer is not None and is_wrong is not None:
            claims = await signals(outcome.answer, grader, embedder)
            if claims:
                told.append(Told(claims, is_wrong == 0, answerable[outcome.question] is not False))
        watch("reading answers", done, len(outcomes))
    return told


async def signals(answer: Answer, grader: Grader, embedder: Embedder) -> tuple[Signals, ...]:
    """As the stage sees them."""
    evidence = Evidence(tuple(Hit(each, 0.0, answer.question) for each in answer.sources))
    texts = titled([claim for claim in answer.claims if is_checkworthy(claim)], evidence)
    with start_run():
        near = await cosine_similarities(answer.question, texts, embedder)
    grades = await grader.grade([QueryPassagePair(answer.question, text) for text in texts])
    return tuple(
        (grade_logit(grade), similarity)
        for grade, similarity in zip(grades, near, strict=True)
        if similarity is not None
    )

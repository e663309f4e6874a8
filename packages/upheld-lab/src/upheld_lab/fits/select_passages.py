"""What tells that a passage answers, and how many are worth quoting.

The numbers of `upheld.generation.extractive_answerer` come from here: fitted on dev
questions and their gold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from upheld.generation.extractive_answerer import (
    MOST,
    Signals,
    best_sentences,
    probability,
    signals,
    worth_quoting,
)
from upheld.methods.build import StageFactory
from upheld.settings import Settings
from upheld.types import Question
from upheld_lab.bench.logistic import logistic
from upheld_lab.bench.report import Report, Row, Watch
from upheld_lab.bench.runs.reading import read_each
from upheld_lab.bench.suites.suite import Asked, Suite

PARTS = 5
Weights = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Found:
    """The passages that one question found, and which of them are gold."""

    set: str
    signals: tuple[Signals, ...]
    right: tuple[bool, ...]
    gold: int


async def fit_select_passages(
    suite: Suite, settings: Settings, cache: Path, watch: Watch
) -> Report:
    """Fit on all questions; the figures are of numbers fitted without the question."""
    found, facts = await read_each(suite, settings, cache, watch, _found)
    weights = fitted(found)
    rows = [_row(f"{n} passages at most", found, n) for n in range(1, MOST + 1)]
    named = dict(zip(("grade", "sentence", "search", "shift"), weights, strict=True))
    return Report("select passages", named, tuple(rows), facts)


async def _found(stages: StageFactory, asked: Asked) -> Found:
    question = Question(asked.text)
    read = await stages.search()(question)
    best = best_sentences(await stages.quote.scored(question, read))
    known = signals(read, best)
    right = tuple(passage.id in asked.gold for passage in known)
    return Found(asked.set, tuple(known.values()), right, len(asked.gold))


def fitted(found: Sequence[Found]) -> Weights:
    """Every passage counts once, whatever it was found for."""
    x = [each for question in found for each in question.signals]
    y = [right for question in found for right in question.right]
    (grade, sentence, search), shift = logistic(np.array(x), np.array(y, float))
    return grade, sentence, search, shift


def _row(what: str, found: Sequence[Found], most: int) -> Row:
    """Gold citation F1, each question by numbers that were fitted without it."""
    cited = 0
    by_set: dict[str, list[float]] = {}
    for part in range(PARTS):
        weights = fitted([each for at, each in enumerate(found) if at % PARTS != part])
        for each in found[part::PARTS]:
            hits = chosen(each, weights, most)
            cited += len(hits)
            by_set.setdefault(each.set, []).append(2 * sum(hits) / (len(hits) + each.gold))
    means = {name: float(np.mean(of_set)) for name, of_set in sorted(by_set.items())}
    every = float(np.mean([f1 for of_set in by_set.values() for f1 in of_set]))
    return {"what": what, "cited": cited / len(found), "gold_f1": every, **means}


def chosen(found: Found, weights: Weights, most: int) -> list[bool]:
    """Of the passages that would be quoted, which are right."""
    probabilities = [probability(each, weights) for each in found.signals]
    first = sorted(zip(probabilities, found.right, strict=True), key=lambda pair: -pair[0])
    return [right for _, right in first[: worth_quoting([each for each, _ in first], most)]]

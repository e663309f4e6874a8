"""When what a quoted passage names is worth quoting, too.

The numbers of `upheld.retrieval.bridge` come from here: fitted on dev questions and their gold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from upheld.errors import UsageError
from upheld.generation.extractive_answerer import best_words
from upheld.methods.build import StageFactory
from upheld.methods.builders import extractive_answerer
from upheld.retrieval.bridge import odds, probability
from upheld.settings import Settings
from upheld.types import Question
from upheld_lab.bench.logistic import logistic
from upheld_lab.bench.report import Report, Row, Watch
from upheld_lab.bench.runs.reading import read_each
from upheld_lab.bench.suites.suite import Asked, Suite

PARTS = 5
FLOORS = (1.0, 0.7, 0.6, 0.5, 0.4, 0.35, 0.3, 0.2)
Weights = tuple[float, float]  # of the grade's log odds, and the shift


@dataclass(frozen=True, slots=True)
class Crossed:
    """What one question would cite without bridges, and where bridges lead: graded, and right?"""

    set: str
    cited: tuple[bool, ...]
    named: tuple[tuple[float, bool], ...]
    gold: int


async def bench_bridges(suite: Suite, settings: Settings, cache: Path, watch: Watch) -> Report:
    """Fit on all questions; the figures are of numbers fitted without the question."""
    crossed, facts = await read_each(suite, settings, cache, watch, _crossed)
    grade, shift = fitted(crossed)
    rows = [crossing_row(crossed, floor) for floor in FLOORS]
    return Report("bridges", {"grade": grade, "shift": shift}, tuple(rows), facts)


async def _crossed(stages: StageFactory, asked: Asked) -> Crossed:
    question, writer = Question(asked.text), extractive_answerer(stages, bridges=True)
    if writer.bridge is None:
        raise UsageError("Bridges are fitted with a grader.", help="Install extra 'local'.")
    found = await stages.search()(question)
    always = replace(writer.quote, abstain_below=0.0)  # a bridge may mend what it would withhold
    words = best_words((await always.quotes(question, found)).sentences)
    named = await writer.bridge.named(question, words)
    return Crossed(
        asked.set,
        tuple(passage.id in asked.gold for passage in words),
        tuple((odds(hit), hit.passage.id in asked.gold) for hit in named),
        len(asked.gold),
    )


def fitted(crossed: Sequence[Crossed]) -> Weights:
    """Every passage that was named counts once."""
    pairs = [pair for each in crossed for pair in each.named]
    if len({right for _, right in pairs}) < 2:
        raise UsageError("Bridges must lead to right and to wrong passages.", help="Ask more.")
    x = np.array([[told] for told, _ in pairs])
    (grade,), shift = logistic(x, np.array([right for _, right in pairs], float))
    return grade, shift


def crossing_row(crossed: Sequence[Crossed], floor: float) -> Row:
    """Gold citation F1, each question by numbers that were fitted without it."""
    by_set: dict[str, list[float]] = {}
    crossings = 0
    for part in range(PARTS):
        weights = fitted([each for at, each in enumerate(crossed) if at % PARTS != part])
        for each in crossed[part::PARTS]:
            more = worth_it(each, weights, floor)
            crossings += len(more)
            hits = (*each.cited, *more)
            f1 = 2 * sum(hits) / (len(hits) + each.gold)
            by_set.setdefault(each.set, []).append(f1)
    means = {name: float(np.mean(of_set)) for name, of_set in sorted(by_set.items())}
    every = float(np.mean([f1 for of_set in by_set.values() for f1 in of_set]))
    return {"floor": floor, "bridges": crossings / len(crossed), "gold_f1": every, **means}


def worth_it(crossed: Crossed, weights: Weights, floor: float) -> list[bool]:
    """Of what would be quoted beside, which is right."""
    return [right for told, right in crossed.named if probability(told, weights) >= floor]

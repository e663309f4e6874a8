"""What tells that a sentence answers a question, and that an answer of quotes is right.

The numbers of `upheld.generation.choose` come from here: two fits on dev questions. The
first is over the sentences of questions that something answers, the second over the answers to all
questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from upheld.generation.candidates import Candidate
from upheld.generation.choose import (
    RIGHT,
    SENTENCE,
    Weights,
    p_right,
    pick_sentences,
    rank_sentences,
    right_features,
)
from upheld.generation.extract import ExtractiveWriter
from upheld.generation.sentence_features import SentenceFeatures
from upheld.methods.build import StageFactory
from upheld.settings import Settings
from upheld.types import Question
from upheld_lab.bench.logistic import logistic
from upheld_lab.bench.metrics import answer_in
from upheld_lab.bench.report import Report, Row, Watch
from upheld_lab.bench.runs.reading import read_each
from upheld_lab.bench.scores.by_gold import is_wrong
from upheld_lab.bench.scores.gold_text import is_gold_sentence
from upheld_lab.bench.suites.suite import Asked, Suite
from upheld_lab.bench.verify.figures import auc, calibration_error

PARTS, RIDGE = 5, 5.0
NAMES = tuple(SENTENCE)
FLOORS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6)


@dataclass(frozen=True, slots=True)
class Read:
    """A question, the sentences that it found, and what is known of them."""

    asked: Asked
    candidates: tuple[Candidate, ...]
    features: tuple[SentenceFeatures, ...]

    @property
    def right(self) -> list[bool]:
        """Which of the sentences answer."""
        return [answers(self.asked, each) for each in self.candidates]

    @property
    def rows(self) -> Any:
        """The features as a matrix, one row a sentence."""
        return np.array([[each.named()[name] for name in NAMES] for each in self.features])


@dataclass(frozen=True, slots=True)
class Told:
    """An answer of quotes: what is known of it, and whether it is right."""

    features: dict[str, float]
    right: bool
    first: bool  # whether the best sentence comes first
    answerable: bool


async def fit_sentences(
    suites: Sequence[Suite], settings: Settings, cache: Path, watch: Watch
) -> Report:
    """Fit on the questions of all suites; the figures are of numbers fitted without the question.

    Each suite is searched by itself, since its passages are other ones.
    """
    of_suites: dict[str, list[Read]] = {}
    facts: dict[str, Any] = {}
    for suite in suites:
        read, facts[suite.name] = await read_each(
            suite, settings, cache, watch, _read, unanswerable=True
        )
        of_suites[suite.name] = [each for each in read if each.candidates]
    every = [each for some in of_suites.values() for each in some]
    sentence = fit_sentence(every)
    right = fit_right([answer(each, sentence) for each in every])
    told = _without_their_part(of_suites)
    rows = [{"suite": name, **_row(*told[name], floor)} for name in of_suites for floor in FLOORS]
    figures = {
        **{f"sentence {name}": value for name, value in sentence.items()},
        **{f"right {name}": value for name, value in right.items()},
    }
    for name, (own, probabilities) in told.items():
        truth = [each.right for each in own]
        shown = [each for each in own if each.right]
        figures |= {
            f"{name}: questions": len(own),
            f"{name}: auc": auc(probabilities, truth),
            f"{name}: ece": calibration_error(probabilities, truth),
            f"{name}: right first": sum(each.first for each in shown) / max(1, len(shown)),
        }
    return Report("sentences", figures, tuple(rows), {**facts[suites[0].name], "suites": facts})


def _without_their_part(
    of_suites: Mapping[str, Sequence[Read]],
) -> dict[str, tuple[list[Told], list[float]]]:
    """Answers and P(right) of each suite, by numbers that were fitted on the other parts."""
    told: dict[str, tuple[list[Told], list[float]]] = {name: ([], []) for name in of_suites}
    for part in range(PARTS):
        rest = [
            each
            for read in of_suites.values()
            for at, each in enumerate(read)
            if at % PARTS != part
        ]
        weights = fit_sentence(rest)
        by = fit_right([answer(each, weights) for each in rest])
        for name, read in of_suites.items():
            own = [answer(each, weights) for each in read[part::PARTS]]
            told[name][0].extend(own)
            told[name][1].extend(p_right(each.features, by) for each in own)
    return told


async def _read(stages: StageFactory, asked: Asked) -> Read:
    question = Question(asked.text)
    writer: ExtractiveWriter = stages.quote
    hits = (await stages.search()(question)).top(writer.max_passages)
    known = await writer.known(question.text, hits)
    candidates, features = known if known is not None else ((), ())
    return Read(asked, tuple(candidates), tuple(features))


def answers(asked: Asked, candidate: Candidate) -> bool:
    """Whether a sentence answers a question by what people noted."""
    if asked.answerable is False or (asked.gold and candidate.passage.id not in asked.gold):
        return False
    if asked.gold_text is not None:
        return is_gold_sentence(candidate.text, asked.gold_text)
    return answer_in(candidate.text, asked.answers)


def fit_sentence(read: Iterable[Read]) -> dict[str, float]:
    """Fit the weights by which right sentences come before the others of their question.

    A conditional logit: the likelihood that a right one is chosen among all of its question.
    """
    from scipy.optimize import minimize

    used = [(each.rows, np.array(each.right)) for each in read]
    used = [(rows, right) for rows, right in used if right.any() and not right.all()]
    size = np.maximum(np.vstack([rows for rows, _ in used]).std(0), 1e-3)

    def loss(weights: Any) -> tuple[float, Any]:
        value, slope = RIDGE * weights @ weights / 2, RIDGE * weights
        for rows, right in used:
            scaled = rows / size
            odds = np.exp(scaled @ weights - (scaled @ weights).max())
            chosen, among = odds / odds.sum(), odds * right / (odds * right).sum()
            value -= np.log((odds * right).sum() / odds.sum())
            slope = slope - scaled.T @ (among - chosen)
        return float(value), slope

    found = minimize(loss, np.zeros(len(NAMES)), jac=True, method="L-BFGS-B").x / size
    return dict(zip(NAMES, found.round(4).tolist(), strict=True))


def answer(read: Read, weights: Weights) -> Told:
    """Answer with quotes chosen by these weights."""
    ranked = rank_sentences(read.candidates, read.features, weights)
    picked = pick_sentences(ranked, ExtractiveWriter.max_sentences)
    wrong = is_wrong(read.asked, " ".join(each.text for each in picked))
    return Told(
        right_features(ranked),
        wrong is False,
        answers(read.asked, picked[0]),
        read.asked.answerable is not False,
    )


def fit_right(told: Sequence[Told]) -> dict[str, float]:
    """Fit P(right) of answers."""
    names = [name for name in RIGHT if name != "shift"]
    rows = [[each.features[name] for name in names] for each in told]
    weights, shift = logistic(np.array(rows), np.array([each.right for each in told], float))
    return {**dict(zip(names, weights, strict=True)), "shift": shift}


def _row(told: Sequence[Told], probabilities: Sequence[float], floor: float) -> Row:
    """What happens if answers below this P(right) are withheld, or shown as doubtful."""
    shown = [
        each for each, probability in zip(told, probabilities, strict=True) if probability >= floor
    ]
    answerable = sum(each.answerable for each in told)
    other = len(told) - answerable
    return {
        "p_right": floor,
        "right": sum(each.right for each in shown) / answerable,
        "wrong": sum(not each.right for each in shown) / len(told),
        "answerable refused": 1 - sum(each.answerable for each in shown) / answerable,
        "unanswerable refused": (
            1 - sum(not each.answerable for each in shown) / other if other else None
        ),
    }

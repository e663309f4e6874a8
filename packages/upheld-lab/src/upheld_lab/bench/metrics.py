"""Scores of a ranking, and how sure a difference between two of them is."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from upheld.text.sentences import sentences
from upheld.types import Passage
from upheld_lab.bench.corpus import BenchQuestion

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans(string.punctuation, " " * len(string.punctuation))


@dataclass(frozen=True, slots=True)
class Score:
    """How one question went."""

    hit1: bool
    hit5: bool
    hit20: bool
    answer_in5: bool


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float


def score(question: BenchQuestion, found: Sequence[Passage]) -> Score:
    """Any gold passage among the first 1, 5, 20; any answer in the text of the first 5."""
    place = next((i for i, passage in enumerate(found) if passage.id in question.gold), len(found))
    there = place < len(found)
    return Score(
        there and place < 1,
        there and place < 5,
        there and place < 20,
        any(answer_in(passage.text, question.answers) for passage in found[:5]),
    )


def answer_in(text: str, answers: Iterable[str]) -> bool:
    """Whether an answer stands in a text as whole words, by SQuAD's normalisation."""
    padded = f" {normalise(text)} "
    return any(f" {normal} " in padded for normal in map(normalise, answers) if normal)


def contains_quote(text: str, quote: str) -> bool:
    """Whether every sentence of a quote is in a text, word by word, in any order."""
    padded = f" {normalise(text)} "
    wanted = _normal_sentences(quote)
    return bool(wanted) and all(f" {words} " in padded for words in wanted)


@lru_cache(maxsize=1_024)  # a quote is looked for in all passages of a page
def _normal_sentences(quote: str) -> tuple[str, ...]:
    return tuple(words for each in sentences(quote) if (words := normalise(each)))


def normalise(text: str) -> str:
    """Lower case, no punctuation, no articles, single spaces."""
    return " ".join(_ARTICLES.sub(" ", text.casefold().translate(_NO_PUNCTUATION)).split())


def share(values: Iterable[bool]) -> float:
    """The share of true values."""
    return float(np.mean(list(values)))


def paired_interval(
    ours: Mapping[str, Sequence[bool]],
    theirs: Mapping[str, Sequence[bool]],
    *,
    seed: int = 0,
    rounds: int = 10_000,
) -> Interval:
    """Mean over sets of the difference on the same questions; bootstrap inside each set."""
    from scipy.stats import bootstrap

    def mean_over_sets(*sets: Any, axis: int = -1) -> Any:
        return np.mean([each.mean(axis=axis) for each in sets], axis=0)

    differences = [np.array(ours[name], float) - np.array(theirs[name], float) for name in ours]
    # scipy refuses sets of one question, which have no spread: twice the same is no more.
    samples = [np.resize(each, max(len(each), 2)) for each in differences]
    found = bootstrap(
        samples, mean_over_sets, n_resamples=rounds, method="percentile", rng=seed
    ).confidence_interval
    return Interval(float(mean_over_sets(*differences)), float(found.low), float(found.high))

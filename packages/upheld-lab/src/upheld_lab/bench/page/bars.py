"""The numbers that are promised of `upheld`, with intervals, as far as a run gives them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from upheld_lab.bench.page.head_to_head import (
    Compared,
    compared_abstention,
    compared_means,
    compared_wrong,
)
from upheld_lab.bench.page.intervals import between
from upheld_lab.bench.page.run_data import Cut, Values
from upheld_lab.bench.scores.shown import method_of


@dataclass(frozen=True, slots=True)
class Bar:
    """A figure of ours against another variant's, with its paired 95 % and 90 % intervals.

    An end of an interval is None where it is infinite, or where nothing can be said.
    """

    name: str
    value: float
    low: float | None
    high: float | None
    low_90: float | None
    high_90: float | None
    n: int
    ours: str
    theirs: str
    our_figure: float
    their_figure: float


def bars(cut: Cut) -> tuple[Bar, ...]:
    """Those for which the run has the methods and the questions."""
    ours = cut.named("upheld")
    return () if ours is None else tuple(_bars(cut, ours))


def _bars(cut: Cut, ours: str) -> Iterator[Bar]:
    rag, crag, fave = (cut.named(method) for method in ("rag", "crag", "fave"))
    simple = [each for each in (rag, crag) if each is not None]
    others = [each for each in cut.variants if method_of(each) != "upheld"]
    yield from _gain("gold_citation_f1_gain", _to_best(cut, "gold_f1", ours, simple))
    yield from _gain("gold_citation_f1_over_best", _to_best(cut, "gold_f1", ours, others))
    for gain in _gain("correctness_gain", _to_best(cut, "correct", ours, simple)):
        yield gain
        assert gain.low is not None  # a mean of known scores is known in every round
        yield replace(gain, name="correctness_lower_bound", value=gain.low)
    if rag is not None:
        wrong = compared_wrong(cut, ours, rag)
        yield from _ratio("confidently_wrong_ratio", wrong)
        yield from _gain("confidently_wrong_difference", wrong)
        yield from _gain("abstention_f1_gain", compared_abstention(cut, ours, rag))
        poisoned = [each for each in cut.questions if _truth_was_found(cut, each.id, ours)]
        yield from _ratio("poison_ratio", compared_means(cut, poisoned, "falsehood", ours, rag))
        planted = [each for each in poisoned if each.false_answers]
        yield from _gain(
            "poison_reported_gain", compared_means(cut, planted, "conflict", ours, rag)
        )
    if fave is not None:
        yield from _ratio(
            "completions_over_fave", compared_means(cut, cut.questions, "completions", ours, fave)
        )


def _to_best(cut: Cut, score: str, ours: str, others: Sequence[str]) -> Compared | None:
    """Against the other with the best mean."""
    found = [compared_means(cut, cut.questions, score, ours, other) for other in others]
    known = [each for each in found if each is not None]
    return max(known, key=lambda each: each.their, default=None)


def _truth_was_found(cut: Cut, question: str, variant: str) -> bool:
    """Whether a search found what is true beside what was planted."""
    return cut.scores[question, variant].get("gold_in_top20") == 1


def _gain(name: str, found: Compared | None) -> Iterator[Bar]:
    if found is not None:
        rounds = found.our_rounds - found.their_rounds
        yield _bar(name, found.our - found.their, rounds, found)


def _ratio(name: str, found: Compared | None) -> Iterator[Bar]:
    """There is none to a figure of 0; a round in which it is 0 makes the upper end infinite."""
    if found is not None and found.their:
        with np.errstate(divide="ignore", invalid="ignore"):
            rounds = found.our_rounds / found.their_rounds
        yield _bar(name, found.our / found.their, rounds, found)


def _bar(name: str, value: float, rounds: Values, found: Compared) -> Bar:
    low, high = map(_finite, between(rounds))
    low_90, high_90 = map(_finite, between(rounds, 90))
    return Bar(
        name, value, low, high, low_90, high_90,
        found.n, found.ours, found.theirs, found.our, found.their,
    )  # fmt: skip


def _finite(end: float) -> float | None:
    return end if math.isfinite(end) else None

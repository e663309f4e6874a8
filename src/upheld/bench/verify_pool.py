"""From the scores of many windows to one score a claim: the features, and a fit that weighs them.

The maximum over many windows picks up noise: the more windows, the higher it is. So the number
of windows, the second best and the sentences gathered for the claim have a say too; how much is
fitted on the calibration halves of dev files, never on test sets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from upheld.bench.verify_sets import Case
from upheld.sentences import sentences
from upheld.training.verifier.pairs import premise
from upheld.training.verifier.windows import WINDOW_WORDS, cut, gathered, windows
from upheld.words import content_stems

if TYPE_CHECKING:
    import numpy.typing as npt

# Premises and claims in, probabilities of the three outputs out, a row a pair.
Score = Callable[[Sequence[tuple[str, str]]], "npt.NDArray[np.float32]"]
Features = tuple[float, ...]
NAMES = ("gathered", "best", "best two", "against", "windows", "overlap", "sentences")
_SHORT = WINDOW_WORDS + 10  # a text that is one window needs no choice


@dataclass(frozen=True, slots=True)
class Reading:
    """What of a case is shown to the model, for one sentence of its claim."""

    claim: str
    gathered: str
    windows: tuple[str, ...]  # empty where the gathered sentences are all there is
    overlap: float


def overlap(claim: str, text: str) -> float:
    """The share of the claim's words that the text has: the baseline to beat."""
    wanted = content_stems(claim)
    return len(wanted & content_stems(text)) / len(wanted) if wanted else 0.0


def readings(case: Case, most: int | None = None) -> list[Reading]:
    """One for each sentence of the claim; `most` keeps the windows nearest to it only."""
    title = case.passages[0][0]
    texts = [_parts(text) for _, text in case.passages]
    everything = [part for parts in texts for part in parts]
    long = sum(len(part.split()) for part in everything) > _SHORT
    spread = [
        premise(case.passages[i][0], " ".join(parts[a:b]))
        for i, parts in enumerate(texts)
        for a, b in windows(parts)
    ]
    found = []
    for claim in sentences(case.claim) or [case.claim]:
        chosen = gathered(everything, claim) if long else range(len(everything))
        text = " ".join(everything[i] for i in chosen)
        near = sorted(spread, key=lambda window: -overlap(claim, window))[:most] if long else []
        share = overlap(claim, " ".join([title, *everything]))
        found.append(Reading(claim, premise(title, text), tuple(near), share))
    return found


def featured(cases: Sequence[Case], score: Score, most: int | None = None) -> list[Features]:
    """The features of every case; all windows of all cases are scored in one call."""
    read = [readings(case, most) for case in cases]
    asked: dict[tuple[str, str], int] = {}
    for one in (one for many in read for one in many):
        for text in (one.gathered, *one.windows):
            asked.setdefault((text, one.claim), len(asked))
    scored = score(list(asked))
    return [_weakest([_features(one, asked, scored) for one in many]) for many in read]


def _features(
    one: Reading, asked: dict[tuple[str, str], int], scored: npt.NDArray[np.float32]
) -> Features:
    near = scored[asked[one.gathered, one.claim]]
    shown = one.windows or (one.gathered,)
    rows = scored[[asked[text, one.claim] for text in shown]]
    supports = sorted((_logit(row[0]) for row in rows), reverse=True)
    against = max(_logit(near[1]), *(_logit(row[1]) for row in rows))
    two = sum(supports[:2]) / len(supports[:2])
    count = float(np.log1p(len(one.windows)))
    return (_logit(near[0]), supports[0], two, against, count, one.overlap, 0.0)


def _weakest(features: Sequence[Features]) -> Features:
    """A claim of several sentences is as strong as the weakest of them."""
    worst = min(features, key=lambda one: one[0] + one[1])
    return (*worst[:6], float(np.log(len(features))))


def _parts(text: str) -> list[str]:
    return [piece for sentence in sentences(text) for piece in cut(sentence)]


def _logit(probability: float) -> float:
    kept = min(max(float(probability), 1e-4), 1 - 1e-4)
    return float(np.log(kept / (1 - kept)))


@dataclass(frozen=True, slots=True)
class Pooling:
    """A logistic fit over the features."""

    weights: tuple[float, ...]
    bias: float

    def __call__(self, features: Sequence[Features]) -> npt.NDArray[np.float64]:
        found = np.asarray(features) @ np.asarray(self.weights) + self.bias
        return np.asarray(1 / (1 + np.exp(-found)))


def fit(
    features: Sequence[Features], supported: Sequence[bool], weight: Sequence[float]
) -> Pooling:
    """Newton's method with a little ridge; `weight` lets every set count alike."""
    x = np.column_stack([np.asarray(features, float), np.ones(len(features))])
    y, w = np.asarray(supported, float), np.asarray(weight, float)
    at = np.zeros(x.shape[1])
    ridge = np.diag([1e-2 * w.sum()] * (x.shape[1] - 1) + [0.0])
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ at))
        slope = x.T @ (w * (p - y)) + ridge @ at
        curve = (x * (w * p * (1 - p))[:, None]).T @ x + ridge
        at = at - np.linalg.solve(curve, slope)
    return Pooling(tuple(at[:-1].tolist()), float(at[-1]))

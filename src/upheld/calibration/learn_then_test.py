"""Learn then test: a threshold on scores above which at most alpha of the claims are wrong.

After Angelopoulos et al. 2021 (arXiv:2110.01052), with fixed-sequence testing. A *tuning part* of
the labelled claims fixes which thresholds are tested and where the test starts. On the *testing
part*, from strict to lax, "more than alpha of the kept claims are not supported" is tested with an
exact binomial tail; the last threshold before the first failure is certified. Tests in an order
that was fixed beforehand need no correction for their number.

The binomial tail is valid for independent claims only, so one claim of each cluster is drawn.

The module also has the binomial tails, and explains in words why nothing could be certified.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, islice
from typing import TYPE_CHECKING

import numpy as np

from upheld.errors import CalibrationError

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Bools = npt.NDArray[np.bool_]
    Ints = npt.NDArray[np.int64]


def _tails(trials: int, rate: float) -> Iterator[float]:
    """Yield P(Bin(trials, rate) <= 0), <= 1, <= 2 and so on; in logarithms to avoid underflow."""
    one, other = math.log(rate), math.log1p(-rate)
    every = math.lgamma(trials + 1)
    return accumulate(
        math.exp(
            every
            - math.lgamma(errors + 1)
            - math.lgamma(trials - errors + 1)
            + errors * one
            + (trials - errors) * other
        )
        for errors in range(trials + 1)
    )


def tail(errors: int, trials: int, rate: float) -> float:
    """Return P(Bin(trials, rate) <= errors): the p-value of "the rate is larger than `rate`"."""
    return min(1.0, next(islice(_tails(trials, rate), errors, None)))


@lru_cache(maxsize=65_536)
def most_errors(trials: int, alpha: float, delta: float) -> int:
    """Return the most errors with which the rate is at most alpha, with confidence 1 - delta.

    -1 means that there are too few trials even without errors.

    >>> most_errors(22, 0.1, 0.1), most_errors(21, 0.1, 0.1)
    (0, -1)
    """
    too_many = (errors for errors, p in enumerate(_tails(trials, alpha)) if p > delta)
    return next(too_many, trials + 1) - 1


def fewest_trials(errors: int, alpha: float, delta: float) -> int:
    """Return how many trials with so many errors show that the rate is at most alpha."""
    low, high = errors, max(1, errors)
    while most_errors(high, alpha, delta) < errors:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if most_errors(middle, alpha, delta) >= errors else (middle, high)
    return high


def upper_bound(errors: int, trials: int, delta: float) -> float:
    """Return the upper bound of the rate with confidence 1 - delta (Clopper-Pearson, one-sided)."""
    if errors >= trials:
        return 1.0
    low, high = errors / trials, 1.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if tail(errors, trials, middle) > delta else (low, middle)
    return high


# The tuning part needs few claims: it fixes steps of a twentieth, and no errors are counted on it.
# In simulations with 200 to 3,000 labels, a tuning share of a fifth keeps more claims than a third,
# and twenty steps keep more than fifty: every step is one more chance to stop.
TUNING_SHARE = 0.2
STEPS = 20
# The test starts where at least 50 claims, and at least a tenth of all, are likely to be kept. With
# 50 alone, more labels would only make the start stricter and never more certain.
START_KEPT = 50
START_SHARE = 0.1
_MOST_KEPT = 5_000  # nobody labels more than this
# For advice only: the probability that a new set of the suggested size passes, if errors are as
# frequent as observed. The observed rate is smoothed with ten claims that have half the errors
# allowed.
_POWER = 0.8
_PRIOR_CLAIMS = 10


@dataclass(frozen=True, slots=True)
class Step:
    """What a threshold keeps of the testing part, and how much of that is not supported."""

    threshold: float
    kept: int
    errors: int
    kept_share: float
    error_share: float  # 0 if nothing is kept; the bound is then 1
    upper_bound: float  # of the error share, with confidence 1 - delta, for this step alone


_NOTHING_SEEN = Step(math.inf, 0, 0, 1.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Calibration:
    """A certified threshold, or None, and the whole curve from strict to lax."""

    alpha: float
    delta: float
    threshold: float | None
    kept_share: float  # of the testing part; 0 if nothing is certified
    kept: int
    errors: int
    claims: int  # one per cluster
    tested: int  # those in the testing part
    start: float | None  # the first threshold that was tested
    curve: tuple[Step, ...]


def calibrate(
    scores: Sequence[float],
    supported: Sequence[bool],
    *,
    alpha: float,
    delta: float,
    clusters: Sequence[str] | None = None,
    seed: int = 0,
) -> Calibration:
    """Certify a threshold on labelled claims; without clusters, every claim is its own cluster.

    A claim that is never shown as supported, whatever the threshold, has the score -inf.
    """
    names = [str(i) for i in range(len(scores))] if clusters is None else list(clusters)
    score, wrong = np.asarray(scores, float), ~np.asarray(supported, bool)
    _check(score, wrong, names, alpha, delta)
    drawn = one_of_each(names, seed)
    tuning = np.array([_place(f"split {seed} {names[i]}") < TUNING_SHARE for i in drawn], bool)
    score, wrong = score[drawn], wrong[drawn]
    thresholds, start = plan(score[tuning], int((~tuning).sum()), alpha, delta)
    kept, errors = count(score[~tuning], wrong[~tuning], thresholds)
    last = last_passed(kept, errors, start, alpha, delta)
    tested = int((~tuning).sum())
    curve = tuple(
        _step(t, k, e, tested, delta)
        for t, k, e in zip(thresholds.tolist(), kept.tolist(), errors.tolist(), strict=True)
    )
    best = None if last is None else curve[last]
    return Calibration(
        alpha=alpha,
        delta=delta,
        threshold=best.threshold if best else None,
        kept_share=best.kept_share if best else 0.0,
        kept=best.kept if best else 0,
        errors=best.errors if best else 0,
        claims=len(drawn),
        tested=tested,
        start=curve[start].threshold if start < len(curve) else None,
        curve=curve,
    )


def plan(tuning: Floats, tested: int, alpha: float, delta: float) -> tuple[Floats, int]:
    """Return thresholds from strict to lax, and the index of the first to test, from scores alone.

    The tuning part, scaled to the size of the testing part, predicts how many claims a threshold
    keeps; the testing part itself is not read. If alpha is so small that 50 claims with one error
    could not pass, the start needs as many claims as could. Where no threshold keeps so many, only
    the laxest is tested, if its claims could pass without an error.
    """
    shown = tuning[np.isfinite(tuning)]
    if not len(shown):
        return np.empty(0), 0
    at = np.quantile(shown, np.arange(STEPS) / STEPS, method="inverted_cdf")
    thresholds = np.unique(at)[::-1]
    kept, _ = count(tuning, np.zeros(len(tuning), bool), thresholds)
    wanted = _first_kept(alpha, delta)
    expected = kept * (tested / len(tuning))
    enough = (expected >= wanted) & (kept >= START_SHARE * len(shown))
    if enough.any():
        return thresholds, int(np.argmax(enough))
    could_pass = bool(expected[-1] >= fewest_trials(0, alpha, delta))
    return thresholds, len(thresholds) - could_pass


def _first_kept(alpha: float, delta: float) -> int:
    return max(START_KEPT, fewest_trials(1, alpha, delta))


def count(scores: Floats, wrong: Bools, thresholds: Floats) -> tuple[Ints, Ints]:
    """Return how many claims each threshold keeps, and how many of those are wrong."""
    order = np.argsort(-scores)
    kept = np.searchsorted(-scores[order], -thresholds, side="right")
    errors = np.concatenate([[0], np.cumsum(wrong[order])])
    return kept, errors[kept]


def last_passed(kept: Ints, errors: Ints, start: int, alpha: float, delta: float) -> int | None:
    """Return the last step before the first that fails; None if the first one fails."""
    last = None
    for step in range(start, len(kept)):
        if errors[step] > most_errors(int(kept[step]), alpha, delta):
            break
        last = step
    return last


def labels_needed(found: Calibration) -> int | None:
    """Return the size of a new set that would probably certify something; None if no step could.

    Never fewer than there were, since those were not enough. It must be a new set: to add labels to
    these after looking at the result voids the guarantee.
    """
    wanted = []
    for step in found.curve or (_NOTHING_SEEN,):
        seen = (step.errors + _PRIOR_CLAIMS * found.alpha / 2) / (step.kept + _PRIOR_CLAIMS)
        kept = _first_kept(found.alpha, found.delta)
        while kept < _MOST_KEPT and _passes(kept, seen, found.alpha, found.delta) < _POWER:
            kept = kept * 9 // 8
        if kept < _MOST_KEPT and step.kept_share:
            wanted.append(kept / step.kept_share / (1 - TUNING_SHARE))
    return max(math.ceil(min(wanted)), found.claims) if wanted else None


def _passes(kept: int, rate: float, alpha: float, delta: float) -> float:
    """Return the probability that so many claims with this error rate pass the test."""
    most = most_errors(kept, alpha, delta)
    return 0.0 if most < 0 or rate >= alpha else tail(most, kept, rate)


def one_of_each(clusters: Sequence[str], seed: int) -> list[int]:
    """Return the index of one claim of each cluster, drawn by the seed."""
    members: dict[str, list[int]] = {}
    for place, name in enumerate(clusters):
        members.setdefault(name, []).append(place)
    return [
        places[int(_place(f"draw {seed} {name}") * len(places))] for name, places in members.items()
    ]


def _place(key: str) -> float:
    """Hash a key to a number in [0, 1) that is the same on every machine."""
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def _step(threshold: float, kept: int, errors: int, tested: int, delta: float) -> Step:
    return Step(
        threshold,
        kept,
        errors,
        kept / tested if tested else 0.0,
        errors / kept if kept else 0.0,
        upper_bound(errors, kept, delta),
    )


def _check(
    score: Floats, wrong: Bools, clusters: Sequence[str], alpha: float, delta: float
) -> None:
    check_levels(alpha, delta)
    if not len(score) == len(wrong) == len(clusters):
        raise CalibrationError("Scores, labels and clusters must be as many.")
    if np.isnan(score).any() or np.isposinf(score).any():
        raise CalibrationError("A score is not a number.")


def check_levels(alpha: float, delta: float) -> None:
    """Raise `CalibrationError` unless both are strictly between 0 and 1."""
    for name, level in (("alpha", alpha), ("delta", delta)):
        if not 0 < level < 1:
            raise CalibrationError(f"{name} must be between 0 and 1, not {level}.")


def why_nothing(found: Calibration) -> str:
    """Explain why no threshold could be certified."""
    if found.start is None:
        return f"There are too few claims: {found.claims}, of which {found.tested} test."
    first = next(step for step in found.curve if step.threshold == found.start)
    return (
        f"At the first threshold tested, {found.start:.3f}, {first.errors} of {first.kept} "
        f"claims were not supported: it may be {first.upper_bound:.1%}, more than "
        f"{found.alpha * 100:g}%."
    )


def help_for(found: Calibration) -> str:
    """Advise how many labels would be enough, or that more would not help."""
    needed = labels_needed(found)
    if needed is None:
        return "More labels would hardly help; a larger alpha may."
    return (
        f"A fresh set of about {needed} labels would probably do: new questions, all drawn "
        "anew. With labels added to these after looking, the guarantee would not hold."
    )

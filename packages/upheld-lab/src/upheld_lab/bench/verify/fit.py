"""The pooling and the thresholds that belong to a verifier's weights, fitted on dev files."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from upheld.verification.aggregate import NAMES, Aggregate, Features
from upheld.verification.decide import Decide
from upheld_lab.bench.logistic import logistic
from upheld_lab.bench.verify.read import Seen

if TYPE_CHECKING:
    import numpy.typing as npt

EVEN_ODDS = 0.5  # what people take `supported` to mean at the least


def fit(sets: Mapping[str, Sequence[Seen]], half: Collection[str] = ()) -> Decide:
    """Fit the weights: sets of twins in `half` count for half of all, and within both halves every
    claim counts alike.

    With every set counting alike, probabilities of sets that were left out were further from the
    truth.
    """
    read = [
        (features, one.supported, name in half)
        for name, seen in sets.items()
        for one in seen
        if (features := one.features())
    ]
    return Decide(
        aggregate=_aggregate(read),
        supported_above=EVEN_ODDS,
    )


def _aggregate(read: Sequence[tuple[Features, bool, bool]]) -> Aggregate:
    """Fit weights; a feature whose weight has the wrong sign is left out, and the rest fitted anew.

    Such a weight is an accident of the data: an absent figure supports no claim.
    """
    x = np.array([_row(features) for features, _, _ in read])
    y = np.array([supported for _, supported, _ in read], float)
    used = list(range(len(NAMES)))
    while True:
        weights, bias = logistic(x[:, used], y, _even([twin for _, _, twin in read]))
        right = [at for at, weight in zip(used, weights, strict=True) if _is_sound(at, weight)]
        if right == used:
            break
        used = right
    found = dict.fromkeys(NAMES, 0.0)
    found |= {NAMES[at]: weight for at, weight in zip(used, weights, strict=True)}
    return Aggregate(**found, bias=bias)


def _even(twins: Sequence[bool]) -> npt.NDArray[np.float64]:
    """Weights of rows such that twins count for half of all."""
    share = sum(twins) / len(twins)
    if share in (0, 1):
        return np.ones(len(twins))
    return np.where(twins, 0.5 / share, 0.5 / (1 - share))


def _is_sound(at: int, weight: float) -> bool:
    return NAMES[at] in _EITHER or weight == 0 or (weight > 0) == (NAMES[at] in _FOR)


_FOR = frozenset(("best", "second", "gathered", "focus", "overlap", "quantity_match"))
_EITHER = frozenset(("premises",))  # all others speak against a claim


def _row(features: Features) -> list[float]:
    return [getattr(features, name) for name in NAMES]

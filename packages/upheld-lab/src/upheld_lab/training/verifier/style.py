"""Whether the wording of claims tells their labels: a classifier that sees no premise."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING
from zlib import crc32

from upheld_lab.bench.verify.figures import auc
from upheld_lab.training.verifier.minimal_pairs import Twin

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_WORD = re.compile(r"\w+|[^\w\s]")
_SLOTS = 2**18
_PASSES, _RATE = 4, 0.15


def aucs(trained: Sequence[Twin], tested: Sequence[Twin]) -> dict[str, tuple[float, int]]:
    """By kind: how often a true claim is taken for likelier than a false one; and how many."""
    weights = _fitted(trained)
    scores, labels = defaultdict[str, list[float]](list), defaultdict[str, list[bool]](list)
    for twin in tested:
        for claim, label in ((twin.true_claim, True), (twin.false_claim, False)):
            score = float(weights[_features(claim, twin.kind)].sum())
            for kind in (twin.kind, "all"):
                scores[kind].append(score)
                labels[kind].append(label)
    return {
        kind: (auc(scores[kind], labels[kind]), len(scores[kind]) // 2) for kind in sorted(scores)
    }


def _fitted(trained: Sequence[Twin]) -> npt.NDArray[np.float64]:
    """Logistic regression on hashed words and pairs of words, by stochastic gradients."""
    import numpy as np

    rows = [
        (_features(claim, twin.kind), label)
        for twin in trained
        for claim, label in ((twin.true_claim, 1.0), (twin.false_claim, 0.0))
    ]
    weights, squares = np.zeros(_SLOTS), np.full(_SLOTS, 1e-2)
    dice = np.random.default_rng(3)
    for _ in range(_PASSES):
        for at in dice.permutation(len(rows)):
            slots, label = rows[at]
            error = label - 1.0 / (1.0 + np.exp(-weights[slots].sum()))
            squares[slots] += error * error
            weights[slots] += _RATE * error / np.sqrt(squares[slots])
    return weights


def _features(claim: str, kind: str) -> npt.NDArray[np.int64]:
    import numpy as np

    return np.array(sorted({crc32(text.encode()) % _SLOTS for text in _seen(claim, kind)}))


def _seen(claim: str, kind: str) -> Iterator[str]:
    words = ["^", *_WORD.findall(claim.lower()), "$"]
    for seen in (*words, *(" ".join(two) for two in pairwise(words))):
        yield seen
        yield f"{kind}: {seen}"

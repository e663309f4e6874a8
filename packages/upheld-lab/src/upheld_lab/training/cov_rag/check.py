"""How many labels are right, by somebody who read them: the paper reports 93 %."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from upheld.errors import NotFoundError, UsageError


@dataclass(frozen=True, slots=True)
class LabelAccuracy:
    """Of the labels that were read, how many are right; 95 % by Wilson's interval."""

    read: int
    right: int
    accuracy: float
    low: float
    high: float


def label_accuracy(path: Path) -> LabelAccuracy:
    """Count the lines of `to_check.jsonl` whose `right` was set to true or false."""
    if not path.is_file():
        raise NotFoundError(f"There is no {path}.", help="`upheld train data cov-rag` writes it.")
    with path.open(encoding="utf-8") as lines:
        said = [json.loads(line)["right"] for line in lines]
    read = [each for each in said if each is not None]
    if not read:
        raise UsageError(
            f"In {path} nothing is read yet.", help='Set "right" of its lines to true or false.'
        )
    from scipy.stats import binomtest

    right = sum(map(bool, read))
    interval = binomtest(right, len(read)).proportion_ci(method="wilson")
    return LabelAccuracy(
        len(read), right, right / len(read), float(interval.low), float(interval.high)
    )

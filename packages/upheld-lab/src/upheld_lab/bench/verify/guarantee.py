"""Does the guarantee hold on labelled claims, and what becomes of it on claims of another kind?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from upheld.calibration.learn_then_test import calibrate
from upheld.calibration.splits import try_splits
from upheld_lab.bench.report import Row
from upheld_lab.bench.verify.run import Measured, joined

ALPHAS = (0.10, 0.20)
DELTA = 0.10
SPLITS = 1_000


def guarantee(
    measured: Mapping[str, Measured], answers: Measured, above: float
) -> tuple[dict[str, float], list[Row]]:
    """Random halves of RAG answers, which the bars are of, and of all seven sets.

    Then calibrated on six sets and shown on the seventh.
    """
    sets = {name: _shown(found, above) for name, found in measured.items()}
    bars, rows = _halves("answers", _shown(answers, above))
    rows += _halves("seven sets", joined(list(sets.values())))[1]
    rows += [_moved(name, sets, alpha) for alpha in ALPHAS for name in sets]
    return bars, rows


def _halves(what: str, pooled: Measured) -> tuple[dict[str, float], list[Row]]:
    bars: dict[str, float] = {}
    rows: list[Row] = []
    for alpha in ALPHAS:
        found = try_splits(
            pooled.scores,
            pooled.supported,
            pooled.documents,
            alpha=alpha,
            delta=DELTA,
            splits=SPLITS,
        )
        name = f"{round(100 * alpha):03d}"
        bars[f"broken_share_{name}"] = found.broken
        bars[f"kept_share_{name}"] = found.kept
        rows.append(
            {
                "guarantee on": what,
                "alpha": alpha,
                "splits": found.splits,
                "documents": found.documents,
                "broken": found.broken,
                "standard error": found.broken_error,
                "broken among all": found.broken_in_all,
                "kept": found.kept,
                "certified": found.certified,
            }
        )
    return bars, rows


def _moved(name: str, sets: Mapping[str, Measured], alpha: float) -> Row:
    """What a threshold that six sets certify does to the seventh: no promise covers this."""
    six = joined([each for other, each in sets.items() if other != name])
    found = calibrate(six.scores, six.supported, alpha=alpha, delta=DELTA, clusters=six.documents)
    there = sets[name]
    shown = [
        supported
        for score, supported in zip(there.scores, there.supported, strict=True)
        if found.threshold is not None and score >= found.threshold
    ]
    return {
        "moved to": name,
        "alpha": alpha,
        "threshold": found.threshold,
        "kept": len(shown) / len(there.scores),
        "wrong among kept": 1 - sum(shown) / len(shown) if shown else None,
    }


def _shown(found: Measured, above: float) -> Measured:
    """What is not called supported is not shown as such, whatever the threshold of a promise."""
    return replace(found, scores=[s if s >= above else -math.inf for s in found.scores])

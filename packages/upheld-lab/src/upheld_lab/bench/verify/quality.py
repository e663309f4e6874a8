"""Are the verdicts right and the probabilities true? Tables by set, and what goes wrong where."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from upheld.verification.decide import Decide
from upheld_lab.bench.report import Row
from upheld_lab.bench.vectors import VectorCache
from upheld_lab.bench.verify.baselines import cosines
from upheld_lab.bench.verify.figures import auc, balanced_accuracy, calibration_error
from upheld_lab.bench.verify.fit import fit
from upheld_lab.bench.verify.labels import Label
from upheld_lab.bench.verify.read import Seen
from upheld_lab.bench.verify.run import Measured, joined
from upheld_lab.bench.verify.sets import SEVEN

THREE_WAY = ("scifact", "factcheckgpt")  # where people told contradicted from neutral


async def quality(
    sets: Mapping[str, Measured], decide: Decide, vectors: VectorCache
) -> tuple[dict[str, float], list[Row]]:
    """Every set beside what a verifier has to be better than; bars over the seven."""
    above = decide.supported_above
    rows: list[Row] = []
    for name, found in sets.items():
        near = await cosines([one.case for one in found.seen], vectors)
        rows.append(_row(name, found, near, above))
    seven = {name: sets[name] for name in SEVEN}
    pooled = joined(list(seven.values()))
    told = {name: _told(sets[name].seen, decide) for name in THREE_WAY}
    bars = {
        "macro_auc": statistics.mean(row["auc"] for row in rows if row["set"] in SEVEN),
        "min_margin_over_overlap": min(
            row["margin over overlap"] for row in rows if row["set"] in SEVEN
        ),
        "ece": calibration_error(pooled.scores, pooled.supported),
        "mean_bacc": statistics.mean(
            row["balanced accuracy"] for row in rows if row["set"] in SEVEN
        ),
        "contradiction_bacc": min(
            balanced_accuracy(verdicts, truth, 0.5) for verdicts, _, truth in told.values()
        ),
    }
    rows += [
        {
            "contradicted against neutral": name,
            "claims": len(truth),
            "contradicted": sum(truth),
            "called contradicted": sum(verdicts),
            "of them rightly": sum(v and t for v, t in zip(verdicts, truth, strict=True)),
            "balanced accuracy": balanced_accuracy(verdicts, truth, 0.5),
            "auc of the model": auc(scores, truth),
        }
        for name, (verdicts, scores, truth) in told.items()
    ]
    rows += [
        row
        for name, found in seven.items()
        for label in Label
        if (row := _errors_row(name, label, found, above))
    ]
    return bars, rows + _left_out(seven)


def _row(name: str, found: Measured, near: Sequence[float], above: float) -> Row:
    truth = found.supported
    overlap = auc([one.overlap for one in found.seen], truth)
    score = auc(found.scores, truth)
    return {
        "set": name,
        "cases": len(found.seen),
        "supported": sum(truth) / len(truth),
        "auc": score,
        "balanced accuracy": balanced_accuracy(found.scores, truth, above),
        "overlap auc": overlap,
        "cosine auc": auc(near, truth),
        "margin over overlap": score - overlap,
        "calibration error": calibration_error(found.scores, truth),
        "pairs": found.pairs,
        "pairs/s": found.pairs / found.seconds if found.seconds else 0.0,
    }


def _errors_row(name: str, label: Label, found: Measured, above: float) -> Row:
    """What becomes of the claims that people gave one label; nothing where there are none."""
    told = [
        (one, score)
        for one, score in zip(found.seen, found.scores, strict=True)
        if one.case.label is label
    ]
    if not told:
        return {}
    return {
        "errors on": name,
        "people say": label.name.lower(),
        "claims": len(told),
        "called supported": sum(score >= above for _, score in told) / len(told),
        "vetoed by the rules": sum(one.vetoed for one, _ in told) / len(told),
        "not checked": sum(not one.checked for one, _ in told) / len(told),
        "median probability": statistics.median(score for _, score in told),
    }


def _left_out(sets: Mapping[str, Measured]) -> list[Row]:
    """Calibrated on six of the test sets, measured on the seventh: what moving costs."""
    rows: list[Row] = []
    for name, found in sets.items():
        decide = fit({other: each.seen for other, each in sets.items() if other != name})
        scores = [one.probability(decide) for one in found.seen]
        rows.append(
            {
                "left out": name,
                "auc": auc(scores, found.supported),
                "balanced accuracy": balanced_accuracy(
                    scores, found.supported, decide.supported_above
                ),
                "calibration error": calibration_error(scores, found.supported),
            }
        )
    return rows


def _told(seen: Sequence[Seen], decide: Decide) -> tuple[list[bool], list[float], list[bool]]:
    """Verdicts, scores of the model, and truth of the claims that are contradicted or neutral."""
    told = [one for one in seen if one.case.label in (Label.CONTRADICTS, Label.NEUTRAL)]
    return (
        [one.contradicted(decide) for one in told],
        [one.contradicts for one in told],
        [one.case.label is Label.CONTRADICTS for one in told],
    )

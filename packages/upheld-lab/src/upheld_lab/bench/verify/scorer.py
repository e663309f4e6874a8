"""The scorer that grades answers in the bench: how far it agrees with people and the verifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from upheld.edge.onnx.cross_encoder import LocalEntailment
from upheld.verification.decide import Decide
from upheld.verification.verify import Verify
from upheld_lab.bench.judgements import KeptJudgements
from upheld_lab.bench.report import Row, Watch
from upheld_lab.bench.verify.figures import auc
from upheld_lab.bench.verify.read import see
from upheld_lab.bench.verify.run import Choice, Measured


async def scorer_rows(
    folder: Path, verify: Verify, sets: Mapping[str, Measured], choice: Choice, watch: Watch
) -> list[Row]:
    """On the same cases, by the best window of each, since no pooling is fitted for the scorer."""
    model = LocalEntailment(
        folder / "model.onnx", folder / "tokenizer.json", name="upheld-scorer-int8"
    )
    kept = KeptJudgements(model, choice.cache / "judgements.sqlite")
    stage = replace(verify, model=kept, decide=Decide())
    rows: list[Row] = []
    try:
        for name, found in sets.items():
            seen = await see(stage, [one.case for one in found.seen], watch, f"{name}: scorer")
            scores = [one.probability(stage.decide) for one in seen]
            rows.append(
                {
                    "scorer on": name,
                    "cases": len(seen),
                    "auc": auc(scores, found.supported),
                    "rank correlation with the verifier": _rank_correlation(scores, found.scores),
                }
            )
    finally:
        await kept.close()
    return rows


def _rank_correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """Spearman's; equal scores share the mean of their ranks."""
    from scipy.stats import spearmanr

    return float(spearmanr(one, other).statistic)

"""How well P(right) tells right answers from wrong ones, over runs of the bench.

python scripts/measure_p_right.py upheld runs/short runs/abstain

An answer counts if it has a probability and people noted what is right. Where nothing was shown
there is no answer, so that the most doubtful ones are not among them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from upheld_lab.bench.verify.figures import auc, calibration_error


def predictions(run: Path, variant: str) -> list[tuple[float, bool]]:
    """P(right) of the answers of a method, and whether they are right."""
    rows = map(json.loads, (run / "scores.jsonl").read_text(encoding="utf-8").splitlines())
    scores = [row["scores"] for row in rows if row["variant"] == variant]
    return [
        (each["confidence"], each["wrong_if_shown"] == 0)
        for each in scores
        if each["confidence"] is not None and each["wrong_if_shown"] is not None
    ]


def main() -> None:
    """Print a line for each run, and one for all."""
    variant, *runs = sys.argv[1:]
    by_run = {run: predictions(Path(run), variant) for run in runs}
    by_run["all"] = [each for some in by_run.values() for each in some]
    for run, some in by_run.items():
        probabilities, right = [each for each, _ in some], [each for _, each in some]
        print(
            f"{run}: {len(some)} answers, {sum(right)} right, "
            f"AUC {auc(probabilities, right):.3f}, "
            f"ECE {calibration_error(probabilities, right):.3f}"
        )


if __name__ == "__main__":
    main()

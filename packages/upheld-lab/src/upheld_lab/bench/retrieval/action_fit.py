"""The cases that a grader's thresholds are fitted on: dev questions of the data pack."""

from __future__ import annotations

import tempfile
from pathlib import Path

from upheld.calibration.grading import Case
from upheld.edge.onnx.embedder import LocalEmbedder
from upheld.ports import Grader
from upheld_lab.bench.judgements import KeptGrades
from upheld_lab.bench.prepared import Choice, prepare
from upheld_lab.bench.report import Watch
from upheld_lab.bench.retrieval.actions import outcomes
from upheld_lab.bench.split import Split


async def cases_of_dev(data: Path, cache: Path, grader: Grader, watch: Watch) -> list[Case]:
    """Two cases a dev question of the data pack, if its gold is found."""
    embedder = LocalEmbedder()
    kept = KeptGrades(grader, cache / "judgements.sqlite")
    choice = Choice(data, cache, split=Split.DEV)
    try:
        with tempfile.TemporaryDirectory() as folder:
            ready = await prepare(choice, embedder, folder, watch)
            try:
                found = await outcomes(ready, kept, watch)
            finally:
                await ready.index.close()
    finally:
        await kept.close()
        await embedder.close()
    return [case for of_set in found.values() for each in of_set for case in each.cases]

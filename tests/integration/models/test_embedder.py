"""The embedder that we ship, for real."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from upheld.edge.onnx.embedder import LocalEmbedder
from upheld.errors import MissingExtraError, ModelError
from upheld.ports import Embedder
from upheld.testing.embedder_conformance import EmbedderConformance


@pytest.fixture
async def embedder() -> AsyncIterator[LocalEmbedder]:
    embedder = LocalEmbedder()
    yield embedder
    await embedder.close()


class TestLocalEmbedder(EmbedderConformance):
    @pytest.fixture
    async def embedder(self) -> AsyncIterator[Embedder]:
        embedder = LocalEmbedder(threads=1)
        yield embedder
        await embedder.close()


async def test_meaning_beats_shared_words(embedder: LocalEmbedder) -> None:
    question, answer, decoy = await embedder.embed(
        [
            "How do plants turn sunlight into food?",
            "Photosynthesis converts light energy into chemical energy stored as sugar.",
            "How do people turn a house into a home?",
        ]
    )
    assert float(question @ answer) > float(question @ decoy)


@pytest.mark.parametrize(
    ("one", "other", "published"),  # similarities by the published model in full precision
    [
        ("This is an example sentence", "Each sentence is converted", 0.4046),
        (
            "How many people live in Berlin?",
            "Berlin had a population of 3,520,031 registered inhabitants in an area of 891.82 "
            "square kilometers.",
            0.7385,
        ),
        ("How many people live in Berlin?", "Berlin is well known for its museums.", 0.5391),
    ],
)
async def test_agrees_with_the_published_model(
    embedder: LocalEmbedder, one: str, other: str, published: float
) -> None:
    first, second = await embedder.embed([one, other])
    assert float(first @ second) == pytest.approx(published, abs=0.03)


async def test_the_event_loop_stays_free(embedder: LocalEmbedder) -> None:
    await embedder.embed(["warm"])
    bulk = asyncio.create_task(embedder.embed([f"{i} " + "long text " * 100 for i in range(64)]))
    waits = []
    while not bulk.done():
        started = time.perf_counter()
        await asyncio.sleep(0.001)
        waits.append(time.perf_counter() - started)
    assert sorted(waits)[len(waits) // 2] < 0.05


async def test_the_identity_changes_with_the_weights(
    embedder: LocalEmbedder, tmp_path: Path
) -> None:
    other = tmp_path / "model.onnx"
    other.write_bytes(b"other weights")
    assert embedder.identity.startswith("all-MiniLM-L6-v2-int8:")
    assert LocalEmbedder(other).identity != embedder.identity


async def test_weights_that_are_not_a_model_are_a_model_error(tmp_path: Path) -> None:
    broken = tmp_path / "model.onnx"
    broken.write_bytes(b"not a model")
    embedder = LocalEmbedder(broken)
    with pytest.raises(ModelError, match="the embedder failed"):
        await embedder.embed(["text"])
    await embedder.close()
    with pytest.raises(ModelError, match="cannot be read"):
        LocalEmbedder(tmp_path / "nothing.onnx")


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match=r"upheld\[local\]"):
        LocalEmbedder()

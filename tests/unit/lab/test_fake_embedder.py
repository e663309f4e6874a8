"""The fake keeps the same contract as the real thing."""

from __future__ import annotations

import pytest

from upheld.errors import ModelError
from upheld.ports import Embedder
from upheld.testing.embedder_conformance import EmbedderConformance
from upheld_lab.testing.fake_embedder import FakeEmbedder


class TestFakeEmbedder(EmbedderConformance):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return FakeEmbedder()


async def test_remembers_what_it_was_given() -> None:
    embedder = FakeEmbedder()
    await embedder.embed(["one", "two"])
    assert embedder.embedded == ["one", "two"]


async def test_fails_when_told_to() -> None:
    with pytest.raises(ModelError):
        await FakeEmbedder(fail=True).embed(["one"])

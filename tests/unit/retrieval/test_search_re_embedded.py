"""A search whose collection got the vectors of another embedder while it was open."""

from __future__ import annotations

from typing import Any

import pytest

from upheld.errors import EmbedderMismatchError
from upheld.ports import Filter
from upheld.retrieval.search import Search
from upheld.run.trace import start_run
from upheld.testing.index_samples import OWNER, made
from upheld.types import Hit, Question, Scope, SearchMode
from upheld_lab.testing.fake_embedder import FakeEmbedder
from upheld_lab.testing.fake_index import FakeIndex


class ReEmbeddedIndex(FakeIndex):
    """Still knows words."""

    async def nearest(self, *_: Any, **__: Any) -> list[Hit]:
        raise EmbedderMismatchError("made with another embedder")

    async def hybrid(self, *_: Any, **__: Any) -> list[Hit]:
        raise EmbedderMismatchError("made with another embedder")


class NeverMatched(ReEmbeddedIndex):
    """Was made with another embedder from the start."""

    async def bm25(
        self, query: str, scope: Scope, limit: int, where: Filter = Filter()
    ) -> list[Hit]:
        raise EmbedderMismatchError("made with another embedder")


@pytest.mark.parametrize("mode", [SearchMode.HYBRID, SearchMode.NEAREST])
async def test_it_is_searched_by_words_and_said_so(mode: SearchMode) -> None:
    index = ReEmbeddedIndex()
    await index.upsert(OWNER.collection, [made("a", "the ferry leaves")])
    search = Search(index=index, scope=OWNER, embedder=FakeEmbedder(), mode=mode)
    with start_run() as run:
        (hit,) = await search(Question("ferry"))
    assert hit.passage.document_id == "a"
    assert "re-embedded with another embedder: searched by words only" in run.degraded


async def test_a_collection_that_never_had_the_embedder_stays_refused() -> None:
    search = Search(index=NeverMatched(), scope=OWNER, embedder=FakeEmbedder())
    with start_run(), pytest.raises(EmbedderMismatchError):
        await search(Question("ferry"))

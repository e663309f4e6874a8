"""The contract of a searcher on the real engine, by words, by meaning and by both."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from upheld.client import AsyncUpheld
from upheld.methods.build import StageFactory
from upheld.methods.parameters import Parameters
from upheld.ports import Searcher
from upheld.testing.searcher_conformance import ANSWER, TracedSearcherConformance
from upheld.types import SearchMode

pytestmark = [pytest.mark.real, pytest.mark.asyncio(loop_scope="module")]


# Once for all tests of a mode: models take seconds to load.
@pytest_asyncio.fixture(params=list(SearchMode), scope="module", loop_scope="module")
async def searcher(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Searcher]:
    folder = tmp_path_factory.mktemp("search")
    (folder / "lamp.txt").write_text(ANSWER, encoding="utf-8")
    (folder / "bread.txt").write_text("Bread is baked before dawn.", encoding="utf-8")
    async with await AsyncUpheld.open(folder / "kb") as opened:
        await opened.add([folder / "lamp.txt", folder / "bread.txt"])
        chosen = Parameters(search=request.param, rerank=True, passages=5)
        yield StageFactory(opened._parts, opened.scope(), chosen).search()


class TestShippedSearch(TracedSearcherConformance):
    """Search with the shipped embedder, reranked by the shipped grader."""

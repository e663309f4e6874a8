"""The contract of a searcher on the real engine, by words, by meaning and by both."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from upheld.client import AsyncUpheld
from upheld.compose import Kit
from upheld.methods.parameters import Parameters
from upheld.ports import Searcher
from upheld.testing.searcher_conformance import ANSWER, SearcherConformance
from upheld.types import SearchMode

pytestmark = pytest.mark.real


@pytest.fixture(params=list(SearchMode))
async def searcher(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Searcher]:
    (tmp_path / "lamp.txt").write_text(ANSWER, encoding="utf-8")
    (tmp_path / "bread.txt").write_text("Bread is baked before dawn.", encoding="utf-8")
    async with await AsyncUpheld.open(tmp_path / "kb") as opened:
        await opened.add([tmp_path / "lamp.txt", tmp_path / "bread.txt"])
        chosen = Parameters(search=request.param, rerank=True, passages=5)
        yield Kit(opened._parts, opened.scope(), chosen).search()


class TestShippedSearch(SearcherConformance):
    """Search with the shipped embedder, reranked by the shipped grader."""

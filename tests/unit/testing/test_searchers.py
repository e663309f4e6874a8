"""The contract of a searcher, on the index, with a grader around it, and on a scripted web."""

from __future__ import annotations

import pytest

from upheld.edge.web.searcher import Pages, WebSearch
from upheld.edge.web.searx import Found, Results
from upheld.ingest.given import PageReader
from upheld.ingest.read import read
from upheld.ports import Page, Searcher
from upheld.retrieval.rerank import Rerank
from upheld.retrieval.search import Search
from upheld.testing.index_samples import OWNER, made
from upheld.testing.searcher_conformance import ANSWER, TracedSearcherConformance
from upheld.types import SearchMode
from upheld_lab.testing.fake_grader import FakeGrader
from upheld_lab.testing.fake_index import FakeIndex

TEXTS = {"gulls": "Gulls nest on the cliff.", "lamp": ANSWER, "bread": "Bread is baked at dawn."}


async def shelf() -> Search:
    index = FakeIndex()
    await index.upsert(OWNER.collection, [made(name, text) for name, text in TEXTS.items()])
    return Search(index=index, scope=OWNER, mode=SearchMode.BM25, limit=20)


class TestSearch(TracedSearcherConformance):
    @pytest.fixture
    async def searcher(self) -> Searcher:
        return await shelf()


class TestRerank(TracedSearcherConformance):
    @pytest.fixture
    async def searcher(self) -> Searcher:
        return Rerank(search=await shelf(), grader=FakeGrader(), limit=2)


class TestScriptedWeb(TracedSearcherConformance):
    @pytest.fixture
    async def searcher(self) -> Searcher:
        async def find(query: str) -> Results:
            return Results(tuple(Found(f"https://{name}.com/") for name in TEXTS))

        async def fetch(url: str) -> Page:
            name = url.removeprefix("https://").removesuffix(".com/")
            return Page(url, "page.txt", TEXTS[name].encode())

        return WebSearch(find=find, open_page=Pages(fetch, PageReader(read)))

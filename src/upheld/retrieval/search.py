"""Search: find evidence for a question in the index, within one scope.

`search_more` runs a further search, such as the fallback search, whose failure is not fatal.
"""

from __future__ import annotations

from dataclasses import dataclass

from upheld.errors import EmbedderMismatchError, EngineError, ModelError, WebError
from upheld.ports import Embedder, Filter, Index, Searcher
from upheld.run.calls import embed
from upheld.run.trace import current_run, span
from upheld.types import Evidence, Hit, Question, Scope, SearchMode, Usage


@dataclass(frozen=True, kw_only=True)
class Search:
    """Searches the index by words, by vectors, or by both; only by words without an embedder."""

    index: Index
    scope: Scope
    embedder: Embedder | None = None
    mode: SearchMode = SearchMode.HYBRID
    limit: int = 5
    where: Filter = Filter()

    async def __call__(self, question: Question) -> Evidence:
        """Search; results are cached for the run, by the text of the question."""
        query = question.text
        asked = (id(self.index), self.scope, self.mode, self.limit, self.where, query)
        return await current_run().once(asked, lambda: self._ask(query))

    async def _ask(self, query: str) -> Evidence:
        with span("search", note=query) as step:
            hits = await self._hits(query)
            step.usage = Usage(searches=1)
            step.found = {"query": query, "evidence": Evidence(tuple(hits))}
            current_run().meter.spend(step.usage)
        return Evidence(tuple(hits))

    async def _hits(self, query: str) -> list[Hit]:
        run = current_run()
        if self.mode is SearchMode.BM25:
            return await self.index.bm25(query, self.scope, self.limit, self.where)
        if self.embedder is None:
            run.degrade("no embedder: searched by words only")
            return await self.index.bm25(query, self.scope, self.limit, self.where)
        try:
            (vector,) = await embed(self.embedder, [query])
        except ModelError as error:
            run.degrade(f"the embedder failed, searched by words only: {error}")
            return await self.index.bm25(query, self.scope, self.limit, self.where)
        try:
            if self.mode is SearchMode.NEAREST:
                return await self.index.nearest(
                    vector, self.scope, self.limit, self.where, query=query
                )
            return await self.index.hybrid(query, vector, self.scope, self.limit, self.where)
        except EmbedderMismatchError:
            # It was re-embedded while it was open. If it never had this embedder, this fails, too.
            hits = await self.index.bm25(query, self.scope, self.limit, self.where)
            run.degrade("re-embedded with another embedder: searched by words only")
            return hits


@dataclass(frozen=True, kw_only=True)
class OwnSearch:
    """Wraps a searcher of the caller: traces it, and caches its results for the run.

    The searcher need not know about labels: passages that the scope does not admit are dropped.
    """

    search: Searcher
    scope: Scope
    limit: int = 5

    async def __call__(self, question: Question) -> Evidence:
        asked = (id(self.search), "own search", question.text)
        found = await current_run().once(asked, lambda: self._ask(question))
        seen = (hit for hit in found if self.scope.admits(hit.passage.labels))
        return Evidence(tuple(seen)).top(self.limit)

    async def _ask(self, question: Question) -> Evidence:
        with span("search", note=question.text) as step:
            found = await self.search(question)
            step.usage = Usage(searches=1)
            current_run().meter.spend(step.usage)
        return found


async def search_more(search: Searcher, query: Question, name: str) -> Evidence:
    """Run a further search; if it fails, return empty evidence.

    A search that fails or finds nothing marks the run degraded.
    """
    try:
        found = await search(query)
    except (EngineError, ModelError, WebError) as error:
        current_run().degrade(f"{name} failed", error)
        return Evidence()
    if not found:
        current_run().degrade(f"{name} found nothing: {query.text}")
    return found

"""The web as a `Searcher`, in CoV-RAG's two stages: pages by an engine, passages by relevance.

search = WebSearch(find=Searx(url), open_page=Pages(Fetcher(), PageReader(worker)))
evidence = await search(question)
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import httpx2

from upheld._internal.concurrency import all_of, in_reading_thread, within
from upheld.edge.web.bounded_cache import BoundedCache
from upheld.edge.web.searx import Found, Results
from upheld.errors import BudgetExceededError, ReadError, WebError
from upheld.ports import IndexedDocument, Page
from upheld.run.trace import current_run, span
from upheld.text.words import content_stems, rarities
from upheld.types import Evidence, Hit, Passage, Question, Usage, unique_passages

MOST_BYTES = 32_000_000  # of cached pages
# CRAG prefers encyclopaedic sources. Here they are opened first, and win ties.
ENCYCLOPAEDIAS = ("wikipedia.org", "britannica.com", "plato.stanford.edu", "scholarpedia.org")


class ReadPage(Protocol):
    """Reads and chunks a page; it is called in a thread, and may block."""

    def __call__(self, data: bytes, name: str, *, uri: str, title: str) -> IndexedDocument: ...


class Pages:
    """Opens pages; they are cached for a quarter of an hour."""

    def __init__(
        self,
        fetch: Callable[[str], Awaitable[Page]],
        read: ReadPage,
        *,
        most: int = 64,
        seconds: float = 900.0,
    ) -> None:
        self._fetch, self._read = fetch, read
        self._kept = BoundedCache[Found, IndexedDocument](
            most, seconds, size=_held_bytes, most_bytes=MOST_BYTES
        )

    async def __call__(self, found: Found) -> IndexedDocument:
        """Return a page's text and passages; concurrent callers of one page wait for the first."""
        return await self._kept.get_or_make(found, self._open)

    async def _open(self, found: Found) -> IndexedDocument:
        page = await self._fetch(found.url)
        return await in_reading_thread(
            self._read, page.data, page.name, uri=page.uri, title=found.title
        )


def _held_bytes(page: IndexedDocument) -> int:
    """Estimate the memory of a page: its text, once whole and once in its passages."""
    return 8 * len(page.document.text) + 1_000 * len(page.passages)


def by_shared_words(query: str, passages: Sequence[Passage]) -> list[float]:
    """Return the share of the query's words in each passage; rare words have more weight."""
    wanted = content_stems(query)
    shared = [wanted & content_stems(passage.searchable) for passage in passages]
    weight = rarities(wanted, shared)
    total = sum(weight.values()) or 1.0
    return [sum(weight[stem] for stem in sorted(stems)) / total for stems in shared]


@dataclass(frozen=True, kw_only=True)
class WebSearch:
    """Finds pages, opens the first few at once, and returns their best passages.

    Shared words decide which are best, as in a search engine; the stage `Rerank` around this one
    scores them with a model.
    """

    find: Callable[[str], Awaitable[Results]]
    open_page: Callable[[Found], Awaitable[IndexedDocument]]
    pages: int = 5  # opened; a page that fails is not replaced by another
    limit: int = 5

    async def __call__(self, question: Question) -> Evidence:
        run = current_run()
        with span("web_search", note=question.text) as step:
            step.usage = Usage(searches=1)
            run.meter.spend(step.usage)
            try:
                return await within(run.meter.seconds_left, self._evidence(question.text))
            except TimeoutError as late:
                raise BudgetExceededError("time ran out while the web was searched") from late

    async def _evidence(self, query: str) -> Evidence:
        run = current_run()
        results = await self.find(query)
        if results.silent:
            run.degrade(f"search engines did not answer: {', '.join(results.silent)}")
        chosen = encyclopaedias_first(results.found)[: self.pages]
        opened = await all_of(self._open(found) for found in chosen)
        documents = [document for document in opened if document is not None]
        if len(documents) < len(chosen):
            failed = len(chosen) - len(documents)
            run.degrade(f"{failed} of {len(chosen)} web pages could not be read")
        passages = unique_passages(each for document in documents for each in document.passages)
        scores = await asyncio.to_thread(by_shared_words, query, passages)
        ranked = sorted(zip(scores, passages, strict=True), key=lambda pair: -pair[0])
        return Evidence(
            tuple(Hit(passage, score, query) for score, passage in ranked[: self.limit])
        )

    async def _open(self, found: Found) -> IndexedDocument | None:
        """Open a page; None if that fails: the trace has the reason, and the rest are used."""
        try:
            with span("fetch", note=found.url):
                return await self.open_page(found)
        except (WebError, ReadError):
            return None


def encyclopaedias_first(found: Sequence[Found]) -> list[Found]:
    """Sort encyclopaedias first, otherwise in the order of the engines."""
    return sorted(found, key=lambda each: not _is_encyclopaedia(each.url))


def _is_encyclopaedia(url: str) -> bool:
    try:
        host = httpx2.URL(url).host
    except httpx2.InvalidURL:
        return False
    return any(host == name or host.endswith(f".{name}") for name in ENCYCLOPAEDIAS)

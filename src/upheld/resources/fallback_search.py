"""Open the fallback search that the settings name: another collection, or the web."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass

from upheld.errors import MissingExtraError
from upheld.ingest.chunk import Chunker
from upheld.ingest.given import PageReader
from upheld.ingest.worker import ReadWorker
from upheld.ports import Embedder, Index, Searcher
from upheld.retrieval.search import Search
from upheld.settings import Settings
from upheld.types import Scope


@dataclass(frozen=True, slots=True)
class FallbackSearch:
    """Makes the fallback search for the scope of a request, and closes its connections."""

    under: Callable[[Scope], Searcher]
    closing: tuple[Callable[[], Awaitable[None]], ...] = ()

    async def close(self) -> None:
        async with AsyncExitStack() as closing:  # closes all, even if one fails
            for close in self.closing:
                closing.push_async_callback(close)


def open_fallback_search(
    settings: Settings,
    index: Index,
    embedder: Embedder | None,
    reader: ReadWorker,
    chunker: Chunker,
) -> FallbackSearch | None:
    """Open the fallback search that the settings name; None if they name none.

    Raises `MissingExtraError` if the web is to be searched and the extra `web` is missing.
    """
    place = settings.fallback_search
    if place is None:
        return None
    if place.startswith(("http://", "https://")):
        return _web(place, reader, chunker, settings.passages)

    def search(scope: Scope) -> Search:
        return Search(
            index=index,
            scope=Scope(place, scope.labels),  # the caller's labels apply in that collection, too
            embedder=embedder,
            mode=settings.search,
            limit=settings.passages,
        )

    return FallbackSearch(search)


def _web(address: str, reader: ReadWorker, chunker: Chunker, limit: int) -> FallbackSearch:
    try:
        from upheld.edge.web.fetch import Fetcher
        from upheld.edge.web.searcher import Pages, WebSearch
        from upheld.edge.web.searx import Searx
    except ImportError as missing:
        raise MissingExtraError("Searching the web", "web") from missing
    find, fetch = Searx(address), Fetcher()
    pages = Pages(fetch, PageReader(reader, chunker))
    return FallbackSearch(
        lambda scope: WebSearch(find=find, open_page=pages, limit=limit), (find.close, fetch.close)
    )

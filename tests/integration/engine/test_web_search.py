"""The web as a searcher, for real: searx in its own process, pages on loopback, a reading child."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import ip_network

import pytest

from tests.messages import only_says
from tests.servers.searx import PROGRAM, running_searx
from tests.servers.site import Resource, Site, running_site
from upheld.edge.web.fetch import Fetcher, FetchLimits
from upheld.edge.web.searcher import Pages, WebSearch
from upheld.edge.web.searx import Found, Searx
from upheld.errors import WebUnavailableError
from upheld.ingest.given import PageReader
from upheld.ingest.worker import ReadWorker
from upheld.ports import IndexedDocument, Searcher
from upheld.run.trace import start_run
from upheld.testing.searcher_conformance import ANSWER, KNOWN, TracedSearcherConformance
from upheld.types import passage_id

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(
        PROGRAM is None,
        reason="no searx here; install it with: apt-get install --no-install-recommends searx",
    ),
]

LOOPBACK = frozenset({ip_network("127.0.0.1/32")})
LIMITS = FetchLimits(bytes=100_000)
QUESTION = KNOWN


def page(title: str, *paragraphs: str) -> Resource:
    text = "".join(f"<p>{each}</p>" for each in paragraphs)
    return Resource(
        f"<html><head><title>{title}</title></head><body><nav><a href='/'>Home</a></nav>"
        f"<article><h1>{title}</h1>{text}</article><script>alert(1)</script></body></html>"
    )


GARDEN = page("The garden", *(f"Bed {n} holds roses, and they are cut in May." for n in range(90)))
LIGHTHOUSE = page(
    "Skarvik lighthouse",
    "Skarvik lighthouse stands on the outermost rock of the bay, and can be reached by boat.",
    f"{ANSWER} That was after eleven years of building.",
    "The keeper’s café – now a small museum – opens in summer.",
)
RESOURCES = {
    "/robots.txt": Resource("User-agent: *\nDisallow: /private", kind="text/plain"),
    "/garden": GARDEN,
    "/moved": Resource(status=301, location="/lighthouse"),
    "/lighthouse": LIGHTHOUSE,
    "/private/lighthouse": LIGHTHOUSE,
    "/inside": Resource(status=302, location="http://169.254.169.254/latest/meta-data/"),
    "/large": Resource("x" * 200_000),
    "/picture": Resource("GIF89a", kind="image/gif"),
}
FOUND = ("/garden", "/missing", "/moved", "/private/lighthouse", "/inside", "/large", "/picture")


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with running_site(RESOURCES, FOUND) as site:
        yield site


@pytest.fixture(scope="module")
def searx_url(site: Site) -> Iterator[str]:
    with running_searx(site.search_url) as base_url:
        yield base_url


@dataclass
class Opened:
    """Pages, with a note of what they gave."""

    pages: Pages
    documents: dict[str, IndexedDocument] = field(default_factory=dict)

    async def __call__(self, found: Found) -> IndexedDocument:
        opened = await self.pages(found)
        self.documents[opened.document.id] = opened
        return opened


@asynccontextmanager
async def web(searx_url: str, fetch: Fetcher) -> AsyncIterator[tuple[WebSearch, Opened]]:
    searx = Searx(searx_url)
    with ReadWorker() as worker:
        opened = Opened(Pages(fetch, PageReader(worker)))
        yield WebSearch(find=searx, open_page=opened, pages=len(FOUND)), opened
    await searx.close()
    await fetch.close()


class TestRealWeb(TracedSearcherConformance):
    @pytest.fixture
    async def searcher(self, site: Site, searx_url: str) -> AsyncIterator[Searcher]:
        fetch = Fetcher(LIMITS, allow=LOOPBACK, ports=frozenset({80, site.port}))
        async with web(searx_url, fetch) as (search, _):
            yield search


async def test_evidence_comes_from_the_pages_that_can_be_had(site: Site, searx_url: str) -> None:
    site.asked.clear()
    fetch = Fetcher(LIMITS, allow=LOOPBACK, ports=frozenset({80, site.port}))
    async with web(searx_url, fetch) as (search, opened):
        with start_run() as run:
            evidence = await search(QUESTION)
            again = await search(QUESTION)

    best = evidence.hits[0].passage
    assert "lit for the first time on 3 October 1871" in best.text
    assert (best.title, best.uri) == ("Skarvik lighthouse", f"{site.url}/lighthouse")
    assert {each.uri for each in evidence.passages} == {best.uri, f"{site.url}/garden"}
    assert len(evidence) == search.limit
    for passage in evidence.passages:
        document = opened.documents[passage.document_id].document
        assert document.text[passage.start : passage.end] == passage.text
        assert document.version == passage.document_version
        assert "alert" not in document.text
        spot = (document.id, document.version, passage.start, passage.end)
        assert passage.id == passage_id(*spot)

    assert again == evidence
    assert only_says(run.degraded, "5 of 7")
    assert run.meter.used.searches == 2
    failed = {event.note.removeprefix(site.url): event.error for event in run.events if event.error}
    reasons = {
        "/missing": "answered 404",
        "/private/lighthouse": "robots.txt",
        "/inside": "link-local",
        "/large": "larger than",
        "/picture": "image/gif",
    }
    assert set(failed) == set(reasons)
    assert all(reason in (failed[path] or "") for path, reason in reasons.items())
    # What was read is remembered, what the site does not want is not asked for.
    assert site.asked.count("/robots.txt") == 1
    assert site.asked.count("/garden") == site.asked.count("/lighthouse") == 1
    assert "/private/lighthouse" not in site.asked


async def test_without_the_allowance_nothing_on_loopback_is_asked(
    site: Site, searx_url: str
) -> None:
    site.asked.clear()
    async with web(searx_url, Fetcher(LIMITS, ports=frozenset({80, site.port}))) as (search, _):
        with start_run() as run:
            evidence = await search(QUESTION)
    assert len(evidence) == 0
    assert only_says(run.degraded, "7 of 7")
    assert all(path.startswith("/search?") for path in site.asked)


async def test_operators_of_the_service_are_words_of_the_question(
    site: Site, searx_url: str
) -> None:
    """`!!g` would send the user to another engine, `!nosuch` choose one, `:de` a language."""
    site.asked.clear()
    searx = Searx(searx_url)
    assert len((await searx("!!g !site :de lighthouse <9")).found) == len(FOUND)
    await searx.close()
    assert site.asked == ["/search?q=g+site+de+lighthouse+9"]


async def test_an_engine_that_fails_is_not_an_empty_web() -> None:
    with (
        running_site({}, ()) as site,
        running_searx(f"{site.url}/nothing?q={{query}}") as searx_url,
    ):
        searx = Searx(searx_url)
        with pytest.raises(WebUnavailableError, match="no search engine answered"):
            await searx("lighthouse")
        await searx.close()

"""Looking wider on the web, with a scripted engine and scripted pages."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.messages import only_says
from tests.servers.unruly import HANG, RESET, Response, in_turn, unruly
from upheld.edge.web.searcher import Pages, WebSearch, by_shared_words, encyclopaedias_first
from upheld.edge.web.searx import Found, Results, Searx
from upheld.errors import (
    BudgetExceededError,
    MissingExtraError,
    ReadError,
    SettingsError,
    WebError,
    WebRefusedError,
    WebUnavailableError,
)
from upheld.ingest.given import PageReader
from upheld.ingest.read import read
from upheld.ports import IndexedDocument, Page
from upheld.run.budget import Budget
from upheld.run.trace import start_run
from upheld.types import Evidence, Question

TEXTS = {
    "https://a.com/": "Gulls nest on the cliff. They feed at dawn.",
    "https://b.com/": "The lighthouse was lit in 1871. Gulls circle it.",
    "https://c.com/": "Bread is baked before dawn.",
}
READ = PageReader(read)


class Web:
    """Pages by URL; anything else is down."""

    def __init__(self) -> None:
        self.fetched: list[str] = []

    async def fetch(self, url: str) -> Page:
        self.fetched.append(url)
        await asyncio.sleep(0)
        if url not in TEXTS:
            raise WebUnavailableError(f"{url} is down")
        return Page(url, "page.txt", TEXTS[url].encode())


def searching(*urls: str, silent: tuple[str, ...] = ()) -> WebSearch:
    async def find(query: str) -> Results:
        return Results(tuple(Found(url, f"Title of {url}") for url in urls), silent)

    return WebSearch(find=find, open_page=Pages(Web().fetch, READ))


async def test_the_best_passages_come_first_and_engine_order_breaks_ties() -> None:
    search = searching(*TEXTS)
    evidence = await search(Question("When was the lighthouse lit?"))
    assert [each.uri for each in evidence.passages] == [
        "https://b.com/",
        "https://a.com/",
        "https://c.com/",
    ]
    assert evidence.hits[0].passage.title == "Title of https://b.com/"
    assert evidence.hits[0].query == "When was the lighthouse lit?"
    for passage in evidence.passages:
        assert TEXTS[passage.uri][passage.start : passage.end] == passage.text


async def test_only_the_best_are_kept() -> None:
    search = replace(searching(*TEXTS), limit=1)
    evidence = await search(Question("Where is bread baked?"))
    assert [each.uri for each in evidence.passages] == ["https://c.com/"]


async def test_rare_words_count_more() -> None:
    passages = (await searching(*TEXTS)(Question("x"))).passages
    by_uri = {each.uri: each for each in passages}
    order = [by_uri[url] for url in TEXTS]
    gulls, lit, bread = by_shared_words("gulls bread", order)
    assert bread > gulls == lit > 0
    assert by_shared_words("the of", order) == [0, 0, 0]
    assert by_shared_words("gulls", []) == []


async def test_pages_that_fail_are_told_and_the_rest_go_on() -> None:
    with start_run() as run:
        evidence = await searching("https://down.com/", "https://a.com/")(Question("gulls"))
    assert [each.uri for each in evidence.passages] == ["https://a.com/"]
    assert only_says(run.degraded, "1 of 2")
    assert [event.note for event in run.events if event.error] == ["https://down.com/"]


async def test_nothing_found_and_nothing_readable_are_no_evidence() -> None:
    with start_run() as run:
        assert await searching()(Question("gulls")) == Evidence()
        assert run.degraded == []
        assert await searching("https://down.com/")(Question("gulls")) == Evidence()
    assert only_says(run.degraded, "1 of 1")


async def test_engines_that_did_not_answer_are_told() -> None:
    with start_run() as run:
        await searching("https://a.com/", silent=("one", "two"))(Question("gulls"))
    assert only_says(run.degraded, "search engine", "one, two")


async def test_the_deadline_of_the_run_holds() -> None:
    async def open_page(found: Found) -> IndexedDocument:
        await asyncio.Event().wait()
        raise AssertionError

    search = WebSearch(find=searching("https://a.com/").find, open_page=open_page)
    with start_run(Budget(seconds=0.05)), pytest.raises(BudgetExceededError):
        await search(Question("gulls"))


async def test_only_the_first_pages_are_opened() -> None:
    web = Web()
    urls = [f"https://{each}.com/" for each in "abcdefgh"]
    found = tuple(Found(url) for url in urls)

    async def find(query: str) -> Results:
        return Results(found)

    await WebSearch(find=find, open_page=Pages(web.fetch, READ), pages=3)(Question("gulls"))
    assert sorted(web.fetched) == urls[:3]


def test_encyclopaedias_are_opened_first() -> None:
    urls = [
        "https://blog.com/wikipedia.org",
        "https://notwikipedia.org/",
        "https://en.wikipedia.org/wiki/Gull",
        "https://[broken/",
        "https://wikipedia.org.evil.com/",
        "https://www.britannica.com/animal/gull",
    ]
    order = [each.url for each in encyclopaedias_first([Found(url) for url in urls])]
    assert order == [urls[2], urls[5], urls[0], urls[1], urls[3], urls[4]]


async def test_a_page_is_fetched_once_even_at_once() -> None:
    web = Web()
    pages = Pages(web.fetch, READ)
    found = Found("https://a.com/", "Gulls")
    first, second = await asyncio.gather(pages(found), pages(found))
    third = await pages(found)
    assert first is second is third
    assert web.fetched == ["https://a.com/"]


async def test_a_page_that_failed_is_tried_again() -> None:
    web = Web()
    pages = Pages(web.fetch, READ)
    for _ in range(2):
        with pytest.raises(WebUnavailableError):
            await pages(Found("https://down.com/"))
    assert len(web.fetched) == 2


@pytest.mark.parametrize("error", [ReadError("x"), WebRefusedError("x"), WebError("x")])
async def test_errors_of_a_page_do_not_end_the_search(error: Exception) -> None:
    async def open_page(found: Found) -> IndexedDocument:
        raise error

    search = WebSearch(find=searching("https://a.com/").find, open_page=open_page)
    assert await search(Question("gulls")) == Evidence()


async def test_a_missing_package_does() -> None:
    async def open_page(found: Found) -> IndexedDocument:
        raise MissingExtraError("Reading HTML", "readers")

    search = WebSearch(find=searching("https://a.com/").find, open_page=open_page)
    with pytest.raises(MissingExtraError):
        await search(Question("gulls"))


# --- the service ---------------------------------------------------------------------------------


def results(*urls: str, **more: object) -> Response:
    return Response(body={"results": [{"url": url, "title": None} for url in urls], **more})


async def test_what_the_service_is_asked_and_what_it_finds() -> None:
    answer = results("https://a.com/", "https://b.com/", "https://a.com/")
    async with unruly(in_turn(answer)) as server:
        searx = Searx(server.url)
        found = await searx("lighthouse & <b> ?q=1 it's")
        await searx.close()
    assert [each.url for each in found.found] == ["https://a.com/", "https://b.com/"]
    assert server.requests[0].path == ("/v1/search?q=lighthouse+%26+b%3E+q%3D1+it%27s&format=json")


@pytest.mark.parametrize(
    ("response", "error", "told"),
    [
        (Response(403, {}), WebError, "search.formats"),
        (Response(404, {}), WebError, "answered 404"),
        (Response(302, {}, {"location": "http://127.0.0.1:1/"}), WebError, "answered 302"),
        (Response(429, {}), WebUnavailableError, "answered 429"),
        (Response(500, {}), WebUnavailableError, "answered 500"),
        (Response(200, raw=b"<html>"), WebError, "not as SearXNG does"),
        (Response(200, {"results": [{"title": "no url"}]}), WebError, "not as SearXNG does"),
        (Response(200, []), WebError, "not as SearXNG does"),
        (results(unresponsive_engines=[["a", "timeout"]]), WebUnavailableError, "no search engine"),
        (RESET, WebUnavailableError, "cannot reach"),
        (HANG, WebUnavailableError, "cannot reach"),
    ],
)
async def test_a_service_that_fails(response: Response, error: type[WebError], told: str) -> None:
    async with unruly(in_turn(response)) as server:
        searx = Searx(server.url.replace("//", "//user:very-secret@"), seconds=0.3)
        with pytest.raises(error, match=told) as raised:
            await searx("lighthouse")
        await searx.close()
    assert raised.value.retryable == isinstance(raised.value, WebUnavailableError)
    assert "very-secret" not in str(raised.value)


@pytest.mark.parametrize("url", ["", "searx", "ftp://a.com/", "http://", "http://[::x]/"])
def test_a_service_needs_a_url(url: str) -> None:
    with pytest.raises(SettingsError):
        Searx(url)

"""What a fetch asks for, and what it does not take."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import Sequence

import pytest
from protego import Protego

from tests.servers.fake_network import ALL_ALLOWED, Asked, FakeNames, FakeNetwork, hello, reply
from upheld.edge.web.bounded_cache import BoundedCache
from upheld.edge.web.fetch import USER_AGENT, Fetcher, FetchLimits
from upheld.edge.web.robots import for_us
from upheld.errors import WebError, WebRefusedError, WebUnavailableError

PUBLIC = "93.184.216.34"
NAMES = FakeNames(otherwise=[PUBLIC])
SMALL = FetchLimits(bytes=10_000)
PAGE = "http://example.com/a/page"


def site(page: bytes, robots: bytes = ALL_ALLOWED) -> FakeNetwork:
    return FakeNetwork(lambda asked: robots if asked.path == "/robots.txt" else page)


def fetcher(network: FakeNetwork, limits: FetchLimits = SMALL) -> Fetcher:
    return Fetcher(limits, resolve=NAMES, backend=network)


async def test_a_page() -> None:
    network = FakeNetwork(hello)
    page = await fetcher(network)(f"{PAGE}?q=1#part")
    assert (page.uri, page.name, page.data) == (f"{PAGE}?q=1", "page.html", b"<p>Hello.</p>")
    assert [asked.path for asked in network.asked] == ["/robots.txt", "/a/page?q=1"]


async def test_nothing_is_told_but_who_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9/")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9/")
    network = site(reply(b"<p>Hello.</p>", set_cookie="id=1"))
    fetch = fetcher(network)
    await fetch(PAGE)
    await fetch(PAGE)
    assert network.addresses == [PUBLIC]
    for asked in network.asked:
        assert set(asked.headers) == {"host", "user-agent", "accept", "accept-encoding"}
        assert asked.headers["user-agent"] == USER_AGENT


# --- limits --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        reply(b"x" * 10_001),
        b"HTTP/1.1 200 X\r\nContent-Type: text/html\r\n\r\n" + b"x" * 10_001,
        reply(gzip.compress(b"x" * 10_001), content_encoding="gzip"),
        reply(gzip.compress(b"\0" * 50_000_000, 9), content_encoding="gzip"),
        # Empty blocks: megabytes are sent, and nothing comes out.
        reply(b"\x1f\x8b\x08\0\0\0\0\0\0\0" + b"\0\0\0\xff\xff" * 2_001, content_encoding="gzip"),
    ],
    ids=["said", "unsaid", "packed", "bomb", "empty"],
)
async def test_a_page_that_is_too_large_is_refused(answer: bytes) -> None:
    with pytest.raises(WebRefusedError, match="larger than 10,000 bytes"):
        await fetcher(site(answer))(PAGE)


async def test_a_packed_page() -> None:
    text = b"<p>" + b"Hello. " * 1000
    page = await fetcher(site(reply(gzip.compress(text), content_encoding="gzip")))(PAGE)
    assert page.data == text


@pytest.mark.parametrize(
    ("answer", "error", "reason"),
    [
        (reply(b"nonsense", content_encoding="gzip"), WebError, "not the gzip"),
        (reply(gzip.compress(b"text")[:-9], content_encoding="gzip"), WebError, "too soon"),
        (reply(zlib.compress(b"x"), content_encoding="deflate"), WebRefusedError, "'deflate'"),
        (reply(b"x", content_encoding="gzip, gzip"), WebRefusedError, "packed as"),
        (reply(b"x", content_encoding="br"), WebRefusedError, "packed as"),
        (reply(b"%PDF-", content_type="application/pdf"), WebRefusedError, "application/pdf"),
        (reply(b"\x89PNG", content_type="image/png"), WebRefusedError, "image/png"),
        (reply(b"{}", content_type="application/json"), WebRefusedError, "json"),
        (reply(b"x", content_type=""), WebRefusedError, "it is ''"),
        (reply(status=404), WebError, "answered 404"),
        (reply(status=304), WebError, "answered 304"),
        (reply(status=429), WebUnavailableError, "answered 429"),
        (reply(status=503), WebUnavailableError, "answered 503"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", WebUnavailableError, "cannot be fetched"),
        (b"", WebUnavailableError, "cannot be fetched"),
        (reply(b"x", content_length="100"), WebUnavailableError, "cannot be fetched"),
    ],
)
async def test_what_is_no_page(answer: bytes, error: type[WebError], reason: str) -> None:
    with pytest.raises(error, match=reason) as raised:
        await fetcher(site(answer))(PAGE)
    assert raised.value.retryable == (error is WebUnavailableError)


async def test_a_page_in_another_encoding_arrives_in_utf8() -> None:
    body = "<p>Zürich".encode("latin-1")
    named = reply(body, content_type="text/plain; charset=ISO-8859-1")
    odd = reply(body, content_type="text/plain; charset=punycode")
    unknown = reply(body, content_type="text/plain; charset=utf-8-nonsense")
    assert (await fetcher(site(named))(PAGE)).data.decode() == "<p>Zürich"
    assert (await fetcher(site(named))(PAGE)).name == "page.txt"
    assert (await fetcher(site(odd))(PAGE)).data == body
    assert (await fetcher(site(unknown))(PAGE)).data == body


async def test_time_is_for_everything_together() -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        await asyncio.Event().wait()
        return []

    fetch = Fetcher(FetchLimits(seconds=0.05), resolve=resolve, backend=FakeNetwork())
    with pytest.raises(WebUnavailableError, match=r"more than 0\.05 s"):
        await fetch(PAGE)


# --- redirects -----------------------------------------------------------------------------------


def stairs(asked: Asked) -> bytes:
    """/5 leads to /4, and so on to /0."""
    if asked.path == "/robots.txt":
        return ALL_ALLOWED
    step = int(asked.path[1:])
    return reply(b"<p>Down.</p>") if step == 0 else reply(status=302, location=f"/{step - 1}")


async def test_redirects_are_followed_as_far_as_the_limit() -> None:
    page = await fetcher(FakeNetwork(stairs))("http://example.com/5")
    assert (page.uri, page.data) == ("http://example.com/0", b"<p>Down.</p>")
    with pytest.raises(WebRefusedError, match="more than 5 redirects"):
        await fetcher(FakeNetwork(stairs))("http://example.com/6")


async def test_a_redirect_without_an_aim_is_no_page() -> None:
    with pytest.raises(WebError, match="answered 302"):
        await fetcher(site(reply(status=302)))(PAGE)


# --- robots.txt ----------------------------------------------------------------------------------


def rules(text: str) -> bytes:
    return reply(text.encode(), content_type="text/plain")


@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        ("User-agent: *\nDisallow: /", "/a", False),
        ("User-agent: *\nDisallow: /private", "/private/a", False),
        ("User-agent: *\nDisallow: /private", "/public", True),
        ("User-agent: *\nDisallow: /*?session=", "/a?session=1", False),
        ("User-agent: *\nDisallow: /*.cgi$", "/a.cgi", False),
        ("User-agent: *\nDisallow: /*.cgi$", "/a.cgi.html", True),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: upheld\nDisallow: /\n\nUser-agent: *\nAllow: /", "/a", False),
        ("User-agent: *\nDisallow: /\n\nUser-agent: Upheld\nAllow: /", "/a", True),
        ("User-agent: other\nDisallow: /", "/a", True),
        ("User-agent: a\nUser-agent: UPHELD/2 # us\nDisallow: /", "/a", False),
        ("User-agent: a\nUser-agent: b\nDisallow: /\n\nUser-agent: c\nAllow: /", "/a", True),
        ("User-agent: *\nAllow: /\n\nUser-agent: a\nDisallow: /", "/a", True),
        ("User-agent: upheldbot\nDisallow: /", "/a", True),
        ("", "/a", True),
        ("\x00\xff nonsense", "/a", True),
    ],
)
async def test_robots_are_obeyed(text: str, path: str, allowed: bool) -> None:
    network = site(reply(b"<p>Hello.</p>"), rules(text))
    if allowed:
        await fetcher(network)(f"http://example.com{path}")
    else:
        with pytest.raises(WebRefusedError, match=r"robots\.txt of example\.com"):
            await fetcher(network)(f"http://example.com{path}")
    assert [asked.path for asked in network.asked][1:] == ([path] if allowed else [])


@pytest.mark.parametrize("status", [401, 403, 404, 410])
async def test_a_site_without_robots_allows_all(status: int) -> None:
    await fetcher(site(reply(b"<p>Hello.</p>"), reply(status=status)))(PAGE)


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_site_that_cannot_say_allows_nothing(status: int) -> None:
    network = site(reply(b"<p>Hello.</p>"), reply(status=status))
    with pytest.raises(WebUnavailableError, match=rf"robots\.txt answered {status}"):
        await fetcher(network)(PAGE)


@pytest.mark.parametrize("end", ["\n", "\r", "\u2028"])
@pytest.mark.parametrize(
    "agent", ["User-agent: a{}", "user  agent a{}", " useragent : a{}", "User-agent: up*{}"]
)
def test_many_robots_with_many_rules_cost_little(agent: str, end: str) -> None:
    agents = [agent.format(each) for each in range(10_000)]
    text = for_us(end.join([*agents, *["Disallow: /a"] * 10_000]))
    assert len(set(text.splitlines())) == 2
    assert Protego.parse(text).can_fetch("http://example.com/a", "upheld")


async def test_robots_that_lead_inside() -> None:
    robots = reply(status=301, location="http://169.254.169.254/latest/")
    network = site(reply(b"<p>Hello.</p>"), robots)
    with pytest.raises(WebRefusedError):
        await fetcher(network)(PAGE)
    assert network.addresses == [PUBLIC]


async def test_robots_are_asked_for_once_a_host_even_at_once() -> None:
    network = FakeNetwork(hello)
    fetch = fetcher(network)
    await asyncio.gather(*(fetch(f"http://example.com/{each}") for each in range(5)))
    await fetch("http://example.org/")
    paths = [(asked.headers["host"], asked.path) for asked in network.asked]
    assert paths.count(("example.com", "/robots.txt")) == 1
    assert paths.count(("example.org", "/robots.txt")) == 1


async def test_the_aim_of_a_redirect_has_robots_too() -> None:
    def answer(asked: Asked) -> bytes:
        if asked.path != "/robots.txt":
            return reply(status=302, location="http://other.com/")
        return (
            rules("User-agent: *\nDisallow: /")
            if "other" in asked.headers["host"]
            else hello(asked)
        )

    network = FakeNetwork(answer)
    with pytest.raises(WebRefusedError, match=r"robots\.txt of other\.com"):
        await fetcher(network)(PAGE)


# --- memory --------------------------------------------------------------------------------------


def test_what_is_kept_is_bounded_in_number_and_time() -> None:
    now = 0.0
    kept = BoundedCache[str, int](2, 10.0, clock=lambda: now)
    for place, name in enumerate("abc"):
        kept.put(name, place)
    assert (kept.get("a"), kept.get("b"), kept.get("c")) == (None, 1, 2)
    now = 9.0
    kept.put("b", 3)
    now = 11.0
    assert (kept.get("b"), kept.get("c")) == (3, None)
    assert len(kept) == 1

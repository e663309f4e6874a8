"""Fetch untrusted pages: only from public addresses, within limits, as robots.txt allows.

What is refused and why: docs/decisions/010-fetching.md. No cookies, no credentials and no proxies:
httpcore uses none of them by default.
"""

from __future__ import annotations

import asyncio
import re
import ssl
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache

import httpcore2
import httpx2

from upheld.edge.web.addresses import Network
from upheld.edge.web.guarded import GuardedBackend, Resolve, resolve
from upheld.edge.web.page_url import PORTS, page_url
from upheld.edge.web.robots import PRODUCT, Robots
from upheld.errors import WebError, WebRefusedError, WebUnavailableError
from upheld.ports import Page

USER_AGENT = f"{PRODUCT} (answers questions with sources; obeys robots.txt)"
_KINDS = {"text/html": ".html", "application/xhtml+xml": ".xhtml", "text/plain": ".txt"}
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_ROBOTS_BYTES = 512_000  # RFC 9309 asks for at least 500 KiB
# Encodings that the web uses. Python has more, one of which takes quadratic time (punycode).
_CHARSET = re.compile(
    r"""charset\s*=\s*["']?((?:utf-?(?:8|16)|iso-8859-|windows-12|koi8-|gb|big5|euc-|shift_jis)
    [\w-]*)""",
    re.IGNORECASE | re.VERBOSE,
)
_FAILURES = (httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError)


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """What one page may cost; a page beyond a limit is refused, never cut."""

    bytes: int = 2_000_000  # as sent, and again after decompression
    seconds: float = 10.0  # in total: DNS, robots.txt, redirects and the page
    redirects: int = 5
    at_once: int = 8


@dataclass(frozen=True, slots=True)
class _Answer:
    url: httpx2.URL
    status: int
    headers: dict[str, str]
    body: bytes = b""


class Fetcher:
    """`await fetch(url)`; share one instance, since it holds connections and cached robots.txt.

    `allow` permits networks that are otherwise forbidden and `ports` further ports: both are for
    tests that serve pages on loopback, and no setting reaches them.
    """

    def __init__(
        self,
        limits: FetchLimits = FetchLimits(),
        *,
        resolve: Resolve = resolve,
        backend: httpcore2.AsyncNetworkBackend | None = None,
        allow: frozenset[Network] = frozenset(),
        ports: frozenset[int] = PORTS,
    ) -> None:
        self._limits, self._allow, self._ports = limits, allow, ports
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=_trusted(),
            max_connections=limits.at_once,
            keepalive_expiry=5.0,
            network_backend=GuardedBackend(resolve, allow=allow, backend=backend),
        )
        self._robots = Robots(self._read_robots)

    async def __call__(self, url: str) -> Page:
        """Fetch a page; raises WebError if it cannot be fetched or is refused."""
        try:
            async with asyncio.timeout(self._limits.seconds):
                answer = await self._follow(self._url(url), self._robots.permit)
        except TimeoutError as late:
            seconds = self._limits.seconds
            raise WebUnavailableError(f"{url[:200]} took more than {seconds:g} s") from late
        if answer.status != 200:
            raise _unusable(answer)
        content_type = answer.headers.get("content-type", "")
        kind = _KINDS.get(content_type.partition(";")[0].strip().lower())
        if kind is None:
            raise WebRefusedError(f"{answer.url} is not read: it is {content_type[:80]!r}")
        return Page(str(answer.url), f"page{kind}", _in_utf8(answer.body, content_type))

    async def close(self) -> None:
        await self._pool.aclose()

    async def _read_robots(self, url: httpx2.URL) -> str:
        """Read robots.txt; a missing one allows all, a server error allows nothing."""
        answer = await self._follow(url)
        if answer.status == 429 or answer.status >= 500:
            raise _unusable(answer)
        return answer.body[:_ROBOTS_BYTES].decode("utf-8", "replace")

    async def _follow(
        self, url: httpx2.URL, permit: Callable[[httpx2.URL], Awaitable[None]] | None = None
    ) -> _Answer:
        """Follow redirects; every hop is a new request, checked like the first."""
        for _ in range(self._limits.redirects + 1):
            if permit is not None:
                await permit(url)
            answer = await self._get(url)
            location = answer.headers.get("location")
            if answer.status not in _REDIRECTS or location is None:
                return answer
            url = self._url(location, url)
        raise WebRefusedError(f"{url} is not fetched: more than {self._limits.redirects} redirects")

    def _url(self, text: str, base: httpx2.URL | None = None) -> httpx2.URL:
        return page_url(text, base, ports=self._ports, allow=self._allow)

    async def _get(self, url: httpx2.URL) -> _Answer:
        where = httpcore2.URL(
            scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
        )
        asked = [
            (b"Host", url.netloc),
            (b"User-Agent", USER_AGENT.encode()),
            (b"Accept", ", ".join(_KINDS).encode()),
            (b"Accept-Encoding", b"gzip"),
        ]
        try:
            async with self._pool.stream("GET", where, headers=asked) as response:
                headers = {
                    name.decode("ascii").lower(): value.decode("utf-8", "replace")
                    for name, value in response.headers
                }
                answer = _Answer(url, response.status, headers)
                if response.status != 200:
                    return answer
                return _Answer(url, 200, headers, await self._body(answer, response))
        except _FAILURES as error:
            told = f"{url} cannot be fetched ({type(error).__name__})"
            raise WebUnavailableError(told, detail=str(error)) from error

    async def _body(self, answer: _Answer, response: httpcore2.Response) -> bytes:
        """Read the decoded body; both its compressed and its decompressed size are limited."""
        most, sent, body = self._limits.bytes, 0, bytearray()
        unpack = _unpacker(answer)
        too_large = WebRefusedError(f"{answer.url} is not read: larger than {most:,} bytes")
        async for chunk in response.aiter_stream():
            sent += len(chunk)
            try:
                body += unpack.decompress(chunk, most + 1 - len(body)) if unpack else chunk
            except zlib.error as broken:
                raise WebError(f"{answer.url} is not the gzip that it says it is") from broken
            if max(sent, len(body)) > most:
                raise too_large
        if unpack and not unpack.eof:
            raise WebError(f"{answer.url} ended too soon")
        return bytes(body)


@cache
def _trusted() -> ssl.SSLContext:
    """Return the system's certificates, cached: loading them takes longer than a connection."""
    return httpcore2.default_ssl_context()


def _unpacker(answer: _Answer) -> zlib._Decompress | None:
    encoding = answer.headers.get("content-encoding", "identity").strip().lower()
    if encoding in ("", "identity"):
        return None
    if encoding not in ("gzip", "x-gzip"):
        raise WebRefusedError(f"{answer.url} is not read: it is packed as {encoding[:80]!r}")
    return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)


def _unusable(answer: _Answer) -> WebError:
    passing = answer.status == 429 or answer.status >= 500
    return (WebUnavailableError if passing else WebError)(f"{answer.url} answered {answer.status}")


def _in_utf8(body: bytes, content_type: str) -> bytes:
    """Convert the body to UTF-8 if the header names another encoding: readers see only bytes."""
    named = _CHARSET.search(content_type)
    if named is None or body.startswith(b"\xef\xbb\xbf"):
        return body
    try:
        return body.decode(named[1], "replace").encode("utf-8", "replace")
    except LookupError:
        return body

"""SearXNG's JSON API (and that of searx, its origin): find the addresses of pages for a query."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import httpx2
from pydantic import BaseModel, ValidationError

from upheld.errors import SettingsError, WebError, WebUnavailableError

_LONGEST_QUERY = 400  # engines refuse longer ones
# At the start of a word these select engines, languages and redirects; a question must not.
_OPERATOR = re.compile(r"(?<!\S)[!:?<]+")


@dataclass(frozen=True, slots=True)
class Found:
    """A page that an engine names; nothing about it is checked yet."""

    url: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Results:
    """Pages in the order of the engines, and the engines that did not answer."""

    found: tuple[Found, ...]
    silent: tuple[str, ...] = ()


class _Result(BaseModel):
    url: str
    title: str | None = None


class _Reply(BaseModel):
    results: list[_Result]
    unresponsive_engines: list[list[Any]] = []


class Searx:
    """A search service that its operator trusts: its address may be private."""

    def __init__(self, base_url: str, *, seconds: float = 10.0) -> None:
        try:
            url = httpx2.URL(base_url if base_url.endswith("/") else f"{base_url}/")
        except httpx2.InvalidURL as error:
            raise SettingsError(f"{base_url!r} is not the URL of a search service") from error
        if url.scheme not in ("http", "https") or not url.host:
            raise SettingsError(f"{base_url!r} is not the URL of a search service")
        self._shown = str(url.copy_with(userinfo=b"", query=None))  # both may hold a key
        # trust_env would send queries through proxies, and keys of ~/.netrc to the service.
        self._client = httpx2.AsyncClient(base_url=url, timeout=seconds, trust_env=False)

    async def __call__(self, query: str) -> Results:
        """Search; raises WebError if the service is unreachable or does not answer as SearXNG."""
        words = _OPERATOR.sub("", query)[:_LONGEST_QUERY].strip()
        try:
            response = await self._client.get("search", params={"q": words, "format": "json"})
        except (httpx2.TransportError, httpx2.DecodingError) as error:
            raise WebUnavailableError(
                f"cannot reach the search service ({type(error).__name__})",
                help="Is SearXNG running? Check its URL and its port.",
                detail=self._shown,
                address=self._shown,
            ) from error
        return self._results(response)

    async def close(self) -> None:
        await self._client.aclose()

    def _results(self, response: httpx2.Response) -> Results:
        status = response.status_code
        if status == 429 or status >= 500:
            raise WebUnavailableError(
                f"the search service answered {status}", detail=self._shown, address=self._shown
            )
        if status != 200:
            help = "Check the URL."
            if status == 403:
                help = "Add `json` to `search.formats` in the settings.yml of SearXNG."
            raise WebError(
                f"the search service answered {status}",
                help=help,
                detail=self._shown,
                address=self._shown,
            )
        try:
            reply = _Reply.model_validate_json(response.content)
        except ValidationError as error:
            raise WebError(
                "the search service answered, but not as SearXNG does",
                help="Does the URL lead to SearXNG itself?",
                detail=self._shown,
                address=self._shown,
            ) from error
        silent = tuple(str(engine[0]) for engine in reply.unresponsive_engines if engine)
        if silent and not reply.results:
            raise WebUnavailableError(
                f"no search engine answered: {', '.join(silent)}",
                help="They may have blocked the service for a while.",
                address=self._shown,
            )
        found = (Found(each.url, each.title or "") for each in reply.results)
        return Results(tuple({each.url: each for each in found}.values()), silent)

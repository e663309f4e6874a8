"""Obey robots.txt (RFC 9309); it is cached for an hour per host."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import httpx2

from upheld.edge.web.bounded_cache import BoundedCache
from upheld.errors import MissingExtraError, WebRefusedError

if TYPE_CHECKING:
    from protego import Protego

PRODUCT = "upheld"  # the name by which a site can address us
_HOSTS = 256
_SECONDS = 3600.0

_AGENT = re.compile(r"\s*user[-\s]*agent\b[\s:]*([^#]*)", re.IGNORECASE)

ReadRobots = Callable[[httpx2.URL], Awaitable[str]]


class Robots:
    """Checks what each site allows; `read` returns the text of a robots.txt, "" for none."""

    def __init__(self, read: ReadRobots) -> None:
        self._read = read
        self._rules = BoundedCache[httpx2.URL, "Protego"](_HOSTS, _SECONDS)

    async def permit(self, url: httpx2.URL) -> None:
        """Raise WebRefusedError if the site forbids fetching this page."""
        where = url.copy_with(raw_path=b"/robots.txt")
        rules = await self._rules.get_or_make(where, self._ask)
        if not rules.can_fetch(str(url), PRODUCT):
            raise WebRefusedError(f"{url} is not fetched: robots.txt of {url.host} forbids it")

    async def _ask(self, where: httpx2.URL) -> Protego:
        try:
            from protego import Protego
        except ImportError as missing:
            raise MissingExtraError("Reading robots.txt", "web") from missing
        return await asyncio.to_thread(Protego.parse, for_us(await self._read(where)))


def for_us(text: str) -> str:
    """Return the same rules with all other robots under one name.

    The parser copies a group's rules to each robot it names: half a megabyte that names twenty
    thousand of them would fill the memory.
    """
    return "\n".join(_under_one_name(line) for line in text.splitlines())


def _under_one_name(line: str) -> str:
    agent = _AGENT.match(line)
    if agent is None:
        return line
    name = agent[1].partition("/")[0].strip().lower()
    return f"User-agent: {name if name in ('*', PRODUCT) else 'another'}"

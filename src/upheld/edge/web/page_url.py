"""Parse untrusted URLs once, with one parser, and refuse those that are ambiguous."""

from __future__ import annotations

import re
from collections.abc import Collection

import httpx2

from upheld.edge.web.addresses import Network, literal, why_bad_host
from upheld.errors import WebRefusedError

PORTS = frozenset({80, 443})
_DEFAULT_PORTS = {"http": 80, "https": 443}
_LONGEST = 4096
# Browsers read a backslash as a slash and drop white space: other parsers see another host.
_AMBIGUOUS = re.compile(r"[\s\\\x00-\x1f\x7f]")


def page_url(
    text: str,
    base: httpx2.URL | None = None,
    *,
    ports: Collection[int] = PORTS,
    allow: Collection[Network] = (),
) -> httpx2.URL:
    """Return a URL that may be fetched, without its fragment; raises WebRefusedError otherwise.

    Whether its name resolves to a forbidden address is checked on connection.
    """
    if len(text) > _LONGEST or _AMBIGUOUS.search(text):
        raise _refused(text, "too long, or written so that parsers differ")
    try:
        url = base.join(text) if base else httpx2.URL(text)
        url = url.copy_with(fragment=None)
        host = url.raw_host.decode("ascii")
        if host.endswith(".") and literal(host[:-1]) is None:
            host = host[:-1]  # a full name may end with a dot
            url = url.copy_with(host=host)
    except (httpx2.InvalidURL, ValueError, TypeError) as error:
        raise _refused(text, "not a URL") from error
    if url.scheme not in _DEFAULT_PORTS:
        raise _refused(text, "only http and https are")
    if url.userinfo:
        raise _refused(text, "it carries credentials")
    port = _DEFAULT_PORTS[url.scheme] if url.port is None else url.port
    if port not in ports:
        raise _refused(text, f"port {port} is not for pages")
    if (reason := why_bad_host(host, allow)) is not None:
        raise _refused(text, reason)
    return url


def _refused(text: str, reason: str) -> WebRefusedError:
    return WebRefusedError(f"{text[:200]!r} is not fetched: {reason}")

"""The web: search by SearXNG, pages fetched from public addresses only. No stage here."""

from typing import Any


def __getattr__(name: str) -> Any:
    """Until 0.2 this was the module of the web search, and the docs imported it from here."""
    if name in ("Pages", "WebSearch"):
        from upheld.edge.web import searcher

        return getattr(searcher, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

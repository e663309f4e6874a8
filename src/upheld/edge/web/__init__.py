"""The web: search by SearXNG, pages fetched from public addresses only. No stages."""

from typing import Any


def __getattr__(name: str) -> Any:
    """Return names that were in this module before 0.2, for older imports."""
    if name in ("Pages", "WebSearch"):
        from upheld.edge.web import searcher

        return getattr(searcher, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

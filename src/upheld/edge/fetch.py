"""Moved to `upheld.edge.web.fetch` in 0.2; this name stays for older imports."""

from upheld.edge.web.fetch import Fetcher

__all__ = ["Fetcher"]

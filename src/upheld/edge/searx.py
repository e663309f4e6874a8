"""Moved to `upheld.edge.web.searx` in 0.2; this name stays for older imports."""

from upheld.edge.web.searx import Searx

__all__ = ["Searx"]

"""Where SearXNG's client was until 0.2: it is in `upheld.edge.web.searx`."""

from upheld.edge.web.searx import Searx

__all__ = ["Searx"]

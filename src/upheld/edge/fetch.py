"""Where the fetcher was until 0.2: it is in `upheld.edge.web.fetch`."""

from upheld.edge.web.fetch import Fetcher

__all__ = ["Fetcher"]

"""How often a tenant may ask: a token bucket for each, kept as one number."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

FORGET_ABOVE = 1000  # tenants; beyond, buckets that are full again are forgotten


@dataclass(slots=True)
class Rates:
    """`per_second` on the long run, and `burst` at once after a rest.

    A bucket is the moment at which it will be full (the generic cell rate algorithm): there is
    nothing to refill, and a tenant of whom nothing is known has a full one.
    """

    per_second: float
    burst: int
    clock: Callable[[], float] = time.monotonic
    _full_at: dict[Hashable, float] = field(default_factory=dict, init=False)

    def wait(self, tenant: Hashable) -> float:
        """Seconds until this tenant may ask; not above zero means now."""
        until_full = self._full_at.get(tenant, 0.0) - self.clock()
        return until_full - (self.burst - 1) / self.per_second

    def take(self, tenant: Hashable) -> None:
        """Count one request."""
        now = self.clock()
        if len(self._full_at) > FORGET_ABOVE:
            self._full_at = {each: at for each, at in self._full_at.items() if at > now}
        self._full_at[tenant] = max(self._full_at.get(tenant, 0.0), now) + 1 / self.per_second

"""One knowledge base per tenant, each under its own prefix; models are shared, indexes are not.

Opening an index does not wait for other tenants, and has a timeout: a store that hangs for one
tenant blocks only that tenant.
"""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from uuid import UUID

from upheld.client import AsyncUpheld
from upheld.errors import StorageError
from upheld.resources.open import Resources, Shared, join, open_objects
from upheld.settings import Settings
from upheld_service.http.deadline import forget, in_time

OPEN_SECONDS = 10.0


def tenant_prefix(settings: Settings, tenant: UUID) -> str:
    """Return the prefix of everything that a tenant owns."""
    return f"{settings.kb.rstrip('/')}/tenants/{tenant}"


@dataclass(slots=True)
class _Open:
    parts: Resources
    users: int = 0


class TenantIndexes:
    """Opens indexes on demand; those that were idle longest are closed again."""

    def __init__(self, settings: Settings, shared: Shared) -> None:
        self._settings, self._shared = settings, shared
        self._open: OrderedDict[UUID, _Open] = OrderedDict()  # the longest idle first
        self._opening: dict[UUID, asyncio.Task[None]] = {}

    @asynccontextmanager
    async def of(
        self, tenant: UUID, collection: str, seconds: float = math.inf
    ) -> AsyncIterator[AsyncUpheld]:
        """Open a tenant's collection, as the library does; raises `StorageError` on timeout."""
        while (held := self._open.get(tenant)) is None:  # it may be closed again meanwhile
            await self._opened(tenant, seconds)
        self._open.move_to_end(tenant)
        held.users += 1
        try:
            named = held.parts.settings.model_copy(update={"collection": collection})
            yield AsyncUpheld(replace(held.parts, settings=named))
        finally:
            held.users -= 1
            await self._close_idle()

    async def reach(self) -> None:
        """Query the storage that all tenants share; raises if it does not answer."""
        await open_objects(self._settings).listed("_reach")

    async def close(self) -> None:
        for opening in self._opening.values():
            opening.cancel()
        if self._opening:
            await asyncio.wait(self._opening.values())
        async with AsyncExitStack() as closing:  # all of them, even if one fails
            for held in self._open.values():
                closing.push_async_callback(held.parts.leave)
            self._open.clear()

    async def _opened(self, tenant: UUID, seconds: float) -> None:
        """Wait until the index is open; concurrent callers share one task."""
        opening = self._opening.get(tenant)
        if opening is None:
            opening = self._opening[tenant] = asyncio.create_task(self._join(tenant))
            opening.add_done_callback(forget)
        await asyncio.wait((opening,), timeout=min(seconds, OPEN_SECONDS))
        if not opening.done():
            raise StorageError("The index could not be opened in time.")
        opening.result()

    async def _join(self, tenant: UUID) -> None:
        try:
            parts = await in_time(OPEN_SECONDS, join(self._shared, self._own(tenant)))
        except TimeoutError as late:
            raise StorageError("The index could not be opened in time.") from late
        finally:
            del self._opening[tenant]
        self._open[tenant] = _Open(parts)

    def _own(self, tenant: UUID) -> Settings:
        own = {"kb": tenant_prefix(self._settings, tenant), "call_cache": None}
        # Replies of a language model contain words of documents: a cache would outlive deletion.
        return self._settings.model_copy(update=own)

    async def _close_idle(self) -> None:
        """Close idle indexes above the limit; those in use stay, at most one per request."""
        idle = [tenant for tenant, held in self._open.items() if not held.users]
        for tenant in idle[: max(len(self._open) - self._settings.open_indexes, 0)]:
            await self._open.pop(tenant).parts.leave()

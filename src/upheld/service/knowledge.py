"""One knowledge base a tenant, each under its own prefix; models are shared, indexes are not."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from uuid import UUID

from upheld.assemble import Parts, Shared, join, open_objects
from upheld.client import AsyncUpheld
from upheld.settings import Settings


def tenant_prefix(settings: Settings, tenant: UUID) -> str:
    """Where all that a tenant owns is stored."""
    return f"{settings.kb.rstrip('/')}/tenants/{tenant}"


@dataclass(slots=True)
class _Open:
    parts: Parts
    users: int = 0


class Knowledge:
    """Opens indexes as they are asked for; the ones that were idle longest are closed again."""

    def __init__(self, settings: Settings, shared: Shared) -> None:
        self._settings, self._shared = settings, shared
        self._open: OrderedDict[UUID, _Open] = OrderedDict()  # the longest idle first
        self._opening = asyncio.Lock()

    @asynccontextmanager
    async def of(self, tenant: UUID, collection: str) -> AsyncIterator[AsyncUpheld]:
        """A tenant's collection, by the same code as in a program of one's own."""
        async with self._opening:
            held = self._open.get(tenant)
            if held is None:
                held = self._open[tenant] = _Open(await join(self._shared, self._own(tenant)))
            self._open.move_to_end(tenant)
            held.users += 1
        try:
            named = held.parts.settings.model_copy(update={"collection": collection})
            yield AsyncUpheld(replace(held.parts, settings=named))
        finally:
            held.users -= 1
            await self._close_idle()

    async def reach(self) -> None:
        """Touch the storage that all tenants share; raises if it does not answer."""
        await open_objects(self._settings).listed("_reach")

    async def close(self) -> None:
        for held in self._open.values():
            await held.parts.leave()
        self._open.clear()

    def _own(self, tenant: UUID) -> Settings:
        own = {"kb": tenant_prefix(self._settings, tenant), "call_cache": None}
        # Replies of a language model hold words of documents: a cache would outlive deletion.
        return self._settings.model_copy(update=own)

    async def _close_idle(self) -> None:
        """One in use stays: there are as many of those as requests that were let in."""
        idle = [tenant for tenant, held in self._open.items() if not held.users]
        for tenant in idle[: max(len(self._open) - self._settings.open_indexes, 0)]:
            await self._open.pop(tenant).parts.leave()

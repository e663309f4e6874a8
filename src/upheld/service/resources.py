"""Everything that a process of the service holds open, as one value."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

from upheld.ports import Fetch, Objects
from upheld.resources.open import Shared, load_engine, open_fetch, open_objects, open_shared
from upheld.service.db.database import Database
from upheld.service.telemetry.metrics import Metrics
from upheld.service.tenants.indexes import TenantIndexes, tenant_prefix
from upheld.settings import Settings


@dataclass(frozen=True, slots=True)
class Service:
    """What requests and jobs work with; no request needs what another process knows."""

    settings: Settings
    database: Database
    shared: Shared
    tenant_indexes: TenantIndexes
    metrics: Metrics
    fetch: Fetch | None  # None: the extra `web` is not installed
    dev: UUID | None = None  # whose requests from this machine need no key

    def objects(self, tenant: UUID) -> Objects:
        """A tenant's storage beside its index."""
        own = self.settings.model_copy(update={"kb": tenant_prefix(self.settings, tenant)})
        return open_objects(own)


@asynccontextmanager
async def opened(
    settings: Settings, metrics: Metrics, *, dev: UUID | None = None
) -> AsyncIterator[Service]:
    """Open the parts, and close them at the end; the database is reached when it is needed."""
    load_engine()  # later it would stop every request of this process for as long
    async with AsyncExitStack() as closing:
        database = Database.open(settings.database_url)
        closing.push_async_callback(database.close)
        # Models are shared by tenants, and a cache of their replies must not be.
        shared = open_shared(settings.model_copy(update={"call_cache": None}))
        closing.push_async_callback(shared.close)
        fetch = open_fetch()
        if fetch is not None:
            closing.push_async_callback(fetch.close)
        tenant_indexes = TenantIndexes(settings, shared)
        closing.push_async_callback(tenant_indexes.close)
        yield Service(settings, database, shared, tenant_indexes, metrics, fetch, dev)

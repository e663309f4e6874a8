"""Everything that a process of the service holds open, as one value."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

from upheld.ingest.worker import Limits, PageWorker
from upheld.ports import Fetch, Objects
from upheld.resources.open import Shared, load_engine, open_fetch, open_objects, open_shared
from upheld.settings import Settings
from upheld_service.db.database import Database
from upheld_service.telemetry.metrics import Metrics
from upheld_service.tenants.indexes import TenantIndexes, tenant_prefix

PAGES_AT_ONCE = 2
PAGE_SECONDS = 12.0  # to render a page of a file that may be made to take forever


@dataclass(frozen=True, slots=True)
class Service:
    """The resources of requests and jobs; no request depends on the state of another process."""

    settings: Settings
    database: Database
    shared: Shared
    tenant_indexes: TenantIndexes
    metrics: Metrics
    fetch: Fetch | None  # None: the extra `web` is not installed
    pages: PageWorker
    page_turns: asyncio.Semaphore  # for those who hold a file to show its pages
    dev: UUID | None = None  # the tenant of local requests without a key

    def objects(self, tenant: UUID) -> Objects:
        """Return a tenant's storage beside its index."""
        own = self.settings.model_copy(update={"kb": tenant_prefix(self.settings, tenant)})
        return open_objects(own)


@asynccontextmanager
async def opened(
    settings: Settings, metrics: Metrics, *, dev: UUID | None = None
) -> AsyncIterator[Service]:
    """Open the resources, and close them at the end; the database is connected on first use."""
    load_engine()  # now, because later it would block every request
    async with AsyncExitStack() as closing:
        database = Database.open(settings.database_url)
        closing.push_async_callback(database.close)
        # Models are shared by tenants; a cache of their replies must not be.
        shared = open_shared(settings.model_copy(update={"call_cache": None}))
        closing.push_async_callback(shared.close)
        fetch = open_fetch()
        if fetch is not None:
            closing.push_async_callback(fetch.close)
        pages = PageWorker(_page_limits(settings), at_once=PAGES_AT_ONCE)
        closing.push_async_callback(asyncio.to_thread, pages.close)
        turns = asyncio.Semaphore(PAGES_AT_ONCE)
        tenant_indexes = TenantIndexes(settings, shared)
        closing.push_async_callback(tenant_indexes.close)
        yield Service(settings, database, shared, tenant_indexes, metrics, fetch, pages, turns, dev)


def _page_limits(settings: Settings) -> Limits:
    return Limits(
        file_bytes=settings.max_file_mb * 1_000_000,
        memory_bytes=settings.read_memory_mb * 1_000_000,
        seconds=PAGE_SECONDS,
    )

"""Delete a tenant with everything it has: keys first, then rows, then storage.

Each step can be repeated. Rows are deleted in one transaction, which leaves the tenant's id behind,
so that a command that was killed before the storage was empty can be run again by name.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from uuid import UUID

from upheld.errors import ConflictError, NotFoundError
from upheld.resources.open import open_objects
from upheld.settings import Settings
from upheld_service.db import keys, tenants
from upheld_service.db.database import admin_session
from upheld_service.tenants.indexes import tenant_prefix

JOBS_SECONDS = 60.0  # for running jobs to stop: each finishes what it cannot interrupt
_LOOK_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Ended:
    """A deleted tenant, and how many objects were removed from its storage."""

    name: str
    ids: tuple[UUID, ...]  # several, if the name was used before
    objects: int


async def end_tenant(settings: Settings, name: str) -> Ended:
    """Delete a tenant; safe to run again after an interruption."""
    url = settings.database_url
    async with admin_session(url) as admin:
        living = [each for each in await tenants.listed(admin) if each.name == name]
        for each in living:
            await keys.revoke_all(admin, each)
    for each in living:
        await _end_rows(settings, each.id)
    async with admin_session(url) as admin:
        ids = await tenants.ended(admin, name)
    if not ids:
        raise NotFoundError(
            f"There is no tenant {name}.", help="`upheld admin tenant list` shows them."
        )
    count = 0
    for id in ids:
        count += await clear_storage(settings, id)
        async with admin_session(url) as admin:
            await tenants.cleared(admin, id)
    return Ended(name, tuple(ids), count)


async def clear_storage(settings: Settings, id: UUID) -> int:
    """Delete everything that a tenant has in storage; returns the number of objects."""
    own = settings.model_copy(update={"kb": tenant_prefix(settings, id)})
    return await open_objects(own).clear()


async def _end_rows(settings: Settings, id: UUID) -> None:
    try:
        async with asyncio.timeout(JOBS_SECONDS):
            while await _still_running(settings, id):  # noqa: ASYNC110 — other processes run them
                await asyncio.sleep(_LOOK_SECONDS)
    except TimeoutError as late:
        raise ConflictError(
            "A job of this tenant does not stop.",
            help="Its keys are revoked already. Run the command again, or stop the worker first.",
        ) from late


async def _still_running(settings: Settings, id: UUID) -> int:
    async with admin_session(settings.database_url) as admin:
        return await tenants.end(admin, id)

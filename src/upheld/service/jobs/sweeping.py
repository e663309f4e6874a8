"""Deletions are finished, whatever became of their jobs.

A deletion is marked in a row and done by a job. A job can be lost: it fails too often, or an admin
stops it while a tenant is deleted. So workers look for marked rows without a job, and for deleted
tenants whose storage was not cleared, and go on with them. Any number of processes may do this.
"""

from __future__ import annotations

import logging
from uuid import UUID

from procrastinate import App

from upheld.service.db.jobs import Jobs
from upheld.service.db.queue import Task
from upheld.service.resources import Service
from upheld.service.telemetry.logs import error_name, told
from upheld.service.tenants.deletion import clear_storage

log = logging.getLogger("upheld.service")
EVERY_SECONDS = 120.0
# `upheld admin tenant delete` clears the storage itself: it is given time for that.
_ENDED = """
SELECT id FROM ended_tenants
 WHERE cleared_at IS NULL AND ended_at < now() - make_interval(secs => %(seconds)s)
"""
_CLEARED = "UPDATE ended_tenants SET cleared_at = now() WHERE id = %(id)s"
COMMAND_SECONDS = 600.0


async def sweep_deletions(
    app: App, service: Service, *, command_seconds: float = COMMAND_SECONDS
) -> None:
    """Go on with every deletion that nobody works on; a tenant that fails stops no other."""
    query = app.connector.execute_query_all_async
    for row in await query("SELECT id FROM tenants"):
        try:
            await _defer_unfinished(service, row["id"])
        except Exception as error:
            _log_failure(error)
    for row in await query(_ENDED, seconds=command_seconds):
        try:
            await clear_storage(service.settings, row["id"])
            await app.connector.execute_query_async(_CLEARED, id=row["id"])
        except Exception as error:
            _log_failure(error)


async def _defer_unfinished(service: Service, tenant: UUID) -> None:
    async with service.database.session(tenant, labels=None) as session:
        jobs = Jobs(session)
        for collection in await jobs.unfinished_deletions():
            await jobs.defer(Task.DELETE, collection)


def _log_failure(error: Exception) -> None:
    log.warning("a deletion could not be resumed: %s", error_name(error), extra=told(error))

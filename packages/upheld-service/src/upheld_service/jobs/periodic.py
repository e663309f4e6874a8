"""Periodic work of the worker: rescue jobs, apply retention, finish deletions.

A deletion is marked in a row and done by a job. A job can be lost: it fails too often, or an admin
stops it while a tenant is deleted. So workers look for marked rows without a job, and for deleted
tenants whose storage was not cleared, and continue with them.

Any number of processes may do this at once: each deletes what exists, and nothing is counted.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from uuid import UUID

from procrastinate import App

from upheld_service.db import answers, audit, idempotency, sessions
from upheld_service.db.jobs import Jobs
from upheld_service.db.queue import MOST_ATTEMPTS, Task
from upheld_service.resources import Service
from upheld_service.telemetry.logs import error_name, told
from upheld_service.tenants.deletion import clear_storage

log = logging.getLogger("upheld.service")
# Three heartbeats of a procrastinate worker, which sends one every 10 s.
SILENT_SECONDS = 30.0

# Found and put back in one statement, so that two concurrent rescues, or a worker that returns,
# cannot run a job twice. A job that crashes its worker each time fails after the usual number of
# attempts.
_RESCUE = """
UPDATE procrastinate_jobs job
   SET status = CASE
           WHEN job.abort_requested THEN 'aborted'
           WHEN job.attempts + 1 >= %(most)s THEN 'failed'
           ELSE 'todo'
       END::procrastinate_job_status,
       attempts = job.attempts + 1,
       abort_requested = false,
       worker_id = NULL
 WHERE job.id = %(id)s AND {silent}
RETURNING job.id
"""
_SILENT = """
job.status = 'doing'
   AND NOT EXISTS (
       SELECT FROM procrastinate_workers worker
        WHERE worker.id = job.worker_id
          AND worker.last_heartbeat > now() - make_interval(secs => %(silent)s)
   )
"""
_FIND = f"SELECT job.id FROM procrastinate_jobs job WHERE {_SILENT} ORDER BY job.id"  # noqa: S608 - our own words


async def rescue(app: App, *, silent_seconds: float = SILENT_SECONDS) -> list[int]:
    """Put back the jobs of workers without a heartbeat; returns the ids of those jobs.

    Each job is handled by itself: a failure does not affect the others.
    """
    put_back: list[int] = []
    silent = await app.connector.execute_query_all_async(_FIND, silent=silent_seconds)
    for id in [row["id"] for row in silent]:
        try:
            rows = await app.connector.execute_query_all_async(
                _RESCUE.format(silent=_SILENT), id=id, most=MOST_ATTEMPTS, silent=silent_seconds
            )
        except Exception as error:  # the next job may belong to another tenant
            log.error("job %s cannot be requeued: %s", id, type(error).__name__, extra=told(error))
        else:
            put_back += [row["id"] for row in rows]
    return put_back


RETENTION_SECONDS = 3600.0
AT_ONCE = 500  # answers per transaction
ACTOR = "upheld"  # in the audit log


async def expire(app: App, service: Service) -> None:
    """Delete answers that have reached their age, and replies that are too old to be repeated."""
    for row in await app.connector.execute_query_all_async("SELECT id FROM tenants"):
        try:
            await _expire(service, row["id"])
        except Exception as error:  # any error: retention of the other tenants must continue
            extra = {"tenant": str(row["id"]), **told(error)}
            log.error("retention failed for a tenant: %s", type(error).__name__, extra=extra)


async def _expire(service: Service, tenant: UUID) -> None:
    days = service.settings.answer_days
    async with service.database.session(tenant, labels=None) as session:
        await idempotency.sweep(session)
        await sessions.sweep(session)
    while days is not None:
        async with service.database.session(tenant, labels=None) as session:
            gone = await answers.expire(session, age=timedelta(days=days), most=AT_ONCE)
            if not gone:
                break
            detail = {"answers": gone, "days": days}
            await audit.record(
                session, actor=ACTOR, action="answers.expire", subject="", detail=detail
            )


SWEEP_SECONDS = 120.0
# `upheld admin tenant delete` clears the storage itself; it gets this much time first.
_ENDED = """
SELECT id FROM ended_tenants
 WHERE cleared_at IS NULL AND ended_at < now() - make_interval(secs => %(seconds)s)
"""
_CLEARED = "UPDATE ended_tenants SET cleared_at = now() WHERE id = %(id)s"
COMMAND_SECONDS = 600.0


async def sweep_deletions(
    app: App, service: Service, *, command_seconds: float = COMMAND_SECONDS
) -> None:
    """Continue every abandoned deletion; a tenant that fails does not stop the others."""
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

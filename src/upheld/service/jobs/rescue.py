"""Jobs of workers that were killed go back to the queue."""

from __future__ import annotations

import logging

from procrastinate import App

from upheld.service.db.queue import MOST_ATTEMPTS
from upheld.service.telemetry.logs import told

log = logging.getLogger("upheld.service")
# Three heartbeats of a procrastinate worker, which beats every 10 s.
SILENT_SECONDS = 30.0

# Found and put back in one statement, so that two who rescue at once, or a worker that comes back,
# cannot double a job.
# A job that takes its worker with it each time is given up like any other that fails.
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
    """Put back what silent workers held; the ids of those jobs.

    Each by itself: one that cannot be put back keeps no other from it.
    """
    put_back: list[int] = []
    silent = await app.connector.execute_query_all_async(_FIND, silent=silent_seconds)
    for id in [row["id"] for row in silent]:
        try:
            rows = await app.connector.execute_query_all_async(
                _RESCUE.format(silent=_SILENT), id=id, most=MOST_ATTEMPTS, silent=silent_seconds
            )
        except Exception as error:  # the next job may be another tenant's
            log.error("job %s cannot be put back: %s", id, type(error).__name__, extra=told(error))
        else:
            put_back += [row["id"] for row in rows]
    return put_back

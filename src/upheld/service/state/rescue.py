"""Jobs of workers that were killed go back to the queue."""

from __future__ import annotations

from procrastinate import App

from upheld.service.state.tasks import MOST_ATTEMPTS

# Three heartbeats of a procrastinate worker, which beats every 10 s.
SILENT_SECONDS = 30.0

# One statement, so that two who rescue at once, or a worker that comes back, cannot double a job.
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
 WHERE job.status = 'doing'
   AND NOT EXISTS (
       SELECT FROM procrastinate_workers worker
        WHERE worker.id = job.worker_id
          AND worker.last_heartbeat > now() - make_interval(secs => %(silent)s)
   )
RETURNING job.id
"""


async def rescue(app: App, *, silent_seconds: float = SILENT_SECONDS) -> list[int]:
    """Put back what silent workers held; the ids of those jobs."""
    rows = await app.connector.execute_query_all_async(
        _RESCUE, most=MOST_ATTEMPTS, silent=silent_seconds
    )
    return [row["id"] for row in rows]

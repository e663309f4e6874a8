"""Jobs take turns by tenant: which job a worker gets next, and how a job gives up its turn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from procrastinate.connector import BaseConnector
from procrastinate.jobs import Job, Notification
from procrastinate.manager import JobManager, NotificationCallback

_FETCH = """
SELECT id, status, task_name, priority, lock, queueing_lock, args, scheduled_at, queue_name,
       attempts, worker_id
  FROM upheld_fetch_job(%(queues)s::varchar[], %(worker_id)s)
"""
_REQUEUE = "SELECT upheld_requeue_job(%(id)s, %(seconds)s)"


@dataclass(frozen=True, slots=True)
class Again:
    """What a body returns if there is more to do: the same job runs again at its next turn."""

    seconds: float = 0.0  # not sooner


class TurnOverError(Exception):
    """Tells procrastinate that a job goes back to the queue; nothing has failed."""


class FairJobManager(JobManager):
    """Procrastinate's access to the queue, with tenants in turn instead of jobs by age."""

    def __init__(self, connector: BaseConnector) -> None:
        super().__init__(connector)
        self._again: dict[int, Again] = {}
        self._told = 0  # how often the database told of a job that can run

    def requeue(self, job: Job, again: Again) -> TurnOverError:
        """The error for a job to end with that has more to do."""
        assert job.id is not None
        self._again[job.id] = again
        return TurnOverError()

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:
        """The next job for a worker, which is marked as begun."""
        wanted = None if queues is None else list(queues)
        while True:
            told = self._told
            row = await self.connector.execute_query_one_async(
                _FETCH, queues=wanted, worker_id=worker_id
            )
            if row["id"] is not None:
                return Job.from_row(row)
            if told == self._told:
                return None
            # A worker forgets what it is told while it looks, and would look again in 5 s.

    async def listen_for_jobs(
        self, *, on_notification: NotificationCallback, queues: Iterable[str] | None = None
    ) -> None:
        """Until it is cancelled."""

        async def counted(*, channel: str, notification: Notification) -> None:
            self._told += 1
            await on_notification(channel=channel, notification=notification)

        await super().listen_for_jobs(on_notification=counted, queues=queues)

    async def retry_job(
        self,
        job: Job,
        retry_at: datetime | None = None,
        priority: int | None = None,
        queue: str | None = None,
        lock: str | None = None,
    ) -> None:
        """After a failure, or for the next turn of a job that has more to do."""
        again = None if job.id is None else self._again.pop(job.id, None)
        if again is None:
            await super().retry_job(job, retry_at, priority, queue, lock)
        else:
            await self.connector.execute_query_async(_REQUEUE, id=job.id, seconds=again.seconds)

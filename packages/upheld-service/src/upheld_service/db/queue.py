"""The kinds of background work, and the procrastinate app that runs them.

Each kind brings one collection in line with its rows: `ingest` reads all that is pending, `delete`
removes all that is marked. So one waiting job is enough, however much was requested, and to run it
twice does no harm. A body that returns `Again` has done a part; other tenants then get their turn.

Jobs take turns by tenant: `FairJobManager` decides which job a worker gets next.
"""

from __future__ import annotations

import json
from asyncio import CancelledError
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from procrastinate import App, BaseRetryStrategy, PsycopgConnector, RetryDecision
from procrastinate.connector import BaseConnector
from procrastinate.exceptions import JobAborted
from procrastinate.job_context import AbortReason, JobContext
from procrastinate.jobs import Job, Notification
from procrastinate.manager import JobManager, NotificationCallback
from pydantic import SecretStr

from upheld.errors import UpheldError
from upheld_service.db.connect import CONNECT_SECONDS, Role, conninfo, role_options

_FETCH = """
SELECT id, status, task_name, priority, lock, queueing_lock, args, scheduled_at, queue_name,
       attempts, worker_id
  FROM upheld_fetch_job(%(queues)s::varchar[], %(worker_id)s)
"""
_REQUEUE = "SELECT upheld_requeue_job(%(id)s, %(seconds)s)"


@dataclass(frozen=True, slots=True)
class Again:
    """Returned by a body if there is more to do: the same job runs again at its next turn."""

    seconds: float = 0.0  # the least delay


class TurnOverError(Exception):
    """Tells procrastinate that a job goes back to the queue; nothing has failed."""


class FairJobManager(JobManager):
    """Procrastinate's access to the queue, by tenant in turn instead of by age of jobs."""

    def __init__(self, connector: BaseConnector) -> None:
        super().__init__(connector)
        self._again: dict[int, Again] = {}
        self._told = 0  # how many notifications of runnable jobs came

    def requeue(self, job: Job, again: Again) -> TurnOverError:
        """Return the exception with which a job that has more to do must end."""
        assert job.id is not None
        self._again[job.id] = again
        return TurnOverError()

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:
        """Fetch the next job for a worker and mark it as started; None if there is none."""
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
            # A worker ignores notifications that come while it polls, and would poll again in 5 s.

    async def listen_for_jobs(
        self, *, on_notification: NotificationCallback, queues: Iterable[str] | None = None
    ) -> None:
        """Listen until cancelled, and count the notifications."""

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
        """Put a job back in the queue, after a failure or for its next turn."""
        again = None if job.id is None else self._again.pop(job.id, None)
        if again is None:
            await super().retry_job(job, retry_at, priority, queue, lock)
        else:
            await self.connector.execute_query_async(_REQUEUE, id=job.id, seconds=again.seconds)


MOST_ATTEMPTS = 10  # with the waits below: a quarter of an hour without the store
LONGEST_WAIT = 300


class Task(StrEnum):
    """A kind of work; also the name of its queue."""

    INGEST = "ingest"
    DELETE = "delete"
    COMPACT = "compact"
    CALIBRATE = "calibrate"


# They remove text that was deleted or replaced, so they cannot be cancelled.
NOT_CANCELLABLE = frozenset({Task.DELETE, Task.COMPACT})


@dataclass(frozen=True, slots=True)
class Work:
    """The subject of a job: one collection of one tenant."""

    tenant: UUID
    collection: str

    def lock(self, task: Task) -> str:
        """Return the lock by which jobs of one collection take turns, since their commits conflict.

        A deletion has a lock of its own, so that it never waits for a long ingestion.
        """
        name = f"{self.tenant}/{self.collection}"
        return f"{name}/{task}" if task is Task.DELETE else name

    def queueing_lock(self, task: Task, labels: frozenset[str] | None = None) -> str:
        """Return the lock that allows one waiting job of a kind per collection and view.

        Keys that see different documents share no job: its times would reveal one to the other.
        """
        view = "" if labels is None else f"/{json.dumps(sorted(labels))}"
        return f"{task}/{self.tenant}/{self.collection}{view}"


Body = Callable[[Work], Awaitable[Again | None]]


class BackOff(BaseRetryStrategy):
    """Doubles the wait each time; errors that cannot succeed are not retried."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        if isinstance(exception, CancelledError):  # the worker shuts down; not a failure of the job
            return RetryDecision(retry_in={"seconds": 0})
        if isinstance(exception, TurnOverError):
            return RetryDecision(retry_in={"seconds": 0})  # `FairJobManager` sets the delay
        hopeless = isinstance(exception, UpheldError) and not exception.retryable
        if hopeless or job.attempts + 1 >= MOST_ATTEMPTS:
            return None
        return RetryDecision(retry_in={"seconds": min(2 ** (job.attempts + 1), LONGEST_WAIT)})


def worker_app(url: SecretStr | None, bodies: Mapping[Task, Body]) -> App:
    """Create an app whose workers run `bodies`; open it, then `run_worker_async(queues=…)`."""
    connector = PsycopgConnector(
        conninfo=conninfo(url),
        kwargs={
            "options": role_options(url, Role.WORKER),
            "connect_timeout": CONNECT_SECONDS,
        },
    )
    app = App(connector=connector)
    app.job_manager = jobs = FairJobManager(connector)
    for task, body in bodies.items():
        run = app.task(name=task.value, queue=task.value, retry=BackOff(), pass_context=True)
        run(_typed(body, jobs))
    return app


def _typed(body: Body, jobs: FairJobManager) -> Callable[..., Awaitable[None]]:
    """Adapt a body to the JSON arguments of a job."""

    async def run(
        context: JobContext, tenant: str, collection: str, labels: Sequence[str] | None = None
    ) -> None:
        # `labels` says who may see the job; whoever requested it, it serves the whole collection.
        try:
            again = await body(Work(UUID(tenant), collection))
        except CancelledError:
            # The job was cancelled by a user: without this it would be retried and then "failed".
            if context.abort_reason() is AbortReason.USER_REQUEST:
                raise JobAborted from None
            raise
        if again is not None:
            raise jobs.requeue(context.job, again)

    return run

"""The kinds of background work, and the procrastinate app that runs them.

Each kind brings one collection to what its rows say: `ingest` reads whatever is pending, `delete`
removes whatever is marked. So one waiting job is enough, however much was asked for, and running it
twice does no harm. A body that returns `Again` has done a part; tenants in between get their turn.

Jobs take turns by tenant: which job a worker gets next, and how a job gives up its turn.
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
from upheld.service.db.connect import CONNECT_SECONDS, Role, conninfo, role_options

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


MOST_ATTEMPTS = 10  # with the waits below: a quarter of an hour of a store that is away
LONGEST_WAIT = 300


class Task(StrEnum):
    """A kind of work; also the name of its queue."""

    INGEST = "ingest"
    DELETE = "delete"
    COMPACT = "compact"
    CALIBRATE = "calibrate"


# They remove text that somebody has deleted or replaced, so nobody may stop them.
NOT_CANCELLABLE = frozenset({Task.DELETE, Task.COMPACT})


@dataclass(frozen=True, slots=True)
class Work:
    """What a job is about: one collection of one tenant."""

    tenant: UUID
    collection: str

    def lock(self, task: Task) -> str:
        """Jobs of one collection take turns: they would only contend for its commits.

        A deletion waits for none of them: it must not take as long as what is being read.
        """
        name = f"{self.tenant}/{self.collection}"
        return f"{name}/{task}" if task is Task.DELETE else name

    def queueing_lock(self, task: Task, labels: frozenset[str] | None = None) -> str:
        """One job of a kind waits for a collection and view; the next one asked for is that one.

        Keys that see different documents share no job: its times would tell one of the other.
        """
        view = "" if labels is None else f"/{json.dumps(sorted(labels))}"
        return f"{task}/{self.tenant}/{self.collection}{view}"


Body = Callable[[Work], Awaitable[Again | None]]


class BackOff(BaseRetryStrategy):
    """Wait twice as long each time; what cannot succeed is not tried again."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        if isinstance(exception, CancelledError):  # the worker shuts down: no fault of the job
            return RetryDecision(retry_in={"seconds": 0})
        if isinstance(exception, TurnOverError):
            return RetryDecision(retry_in={"seconds": 0})  # how soon, `FairJobManager` knows
        hopeless = isinstance(exception, UpheldError) and not exception.retryable
        if hopeless or job.attempts + 1 >= MOST_ATTEMPTS:
            return None
        return RetryDecision(retry_in={"seconds": min(2 ** (job.attempts + 1), LONGEST_WAIT)})


def worker_app(url: SecretStr | None, bodies: Mapping[Task, Body]) -> App:
    """An app whose workers run `bodies`; open it, then `run_worker_async(queues=…)`."""
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
    """From the JSON of a job to the value that the body takes."""

    async def run(
        context: JobContext, tenant: str, collection: str, labels: Sequence[str] | None = None
    ) -> None:
        # `labels` says who may see the job; whoever asked, it serves the whole collection.
        try:
            again = await body(Work(UUID(tenant), collection))
        except CancelledError:
            # Somebody cancelled the job: without this word it would be tried again, and "failed".
            if context.abort_reason() is AbortReason.USER_REQUEST:
                raise JobAborted from None
            raise
        if again is not None:
            raise jobs.requeue(context.job, again)

    return run

"""The kinds of background work, and the procrastinate app that runs them.

Each kind brings one collection to what its rows say: `ingest` reads whatever is pending, `delete`
removes whatever is marked. So one waiting job is enough, however much was asked for, and running it
twice does no harm. A body that returns `Again` has done a part; tenants in between get their turn.
"""

from __future__ import annotations

import json
from asyncio import CancelledError
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from procrastinate import App, BaseRetryStrategy, PsycopgConnector, RetryDecision
from procrastinate.exceptions import JobAborted
from procrastinate.job_context import AbortReason, JobContext
from procrastinate.jobs import Job
from pydantic import SecretStr

from upheld.errors import UpheldError
from upheld.service.db.connect import CONNECT_SECONDS, conninfo, role_options
from upheld.service.db.roles import Role
from upheld.service.db.turns import Again, FairJobManager, TurnOverError

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

"""Jobs of a tenant: created in the transaction that needs them, listed and cancelled."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Row, and_, column, exists, func, or_, select, table, text
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.sql.dml import ReturningInsert

from upheld.errors import ConflictError, NotFoundError
from upheld_service.db.database import Session
from upheld_service.db.queue import NOT_CANCELLABLE, Task, Work
from upheld_service.db.tables import collections, documents

_jobs = table(
    "procrastinate_jobs",
    column("id"),
    column("queue_name"),
    column("task_name"),
    column("lock"),
    column("queueing_lock"),
    column("args", JSONB),
    column("status"),
    column("attempts"),
)
_events = table("procrastinate_events", column("job_id"), column("at"))
_WAITS = text("status = 'todo'")
_CANCEL = text("SELECT procrastinate_cancel_job_v1(:id, true, false)")


class JobStatus(StrEnum):
    """The status of a job, as Procrastinate names it."""

    TODO = "todo"
    DOING = "doing"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"  # before it began
    ABORTED = "aborted"  # while it ran


@dataclass(frozen=True, slots=True)
class JobInfo:
    """A job as its tenant sees it."""

    id: int
    task: Task
    collection: str
    status: JobStatus
    attempts: int
    asked_at: datetime
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class Jobs:
    """The job queue of the tenant that a session names.

    A caller with labels sees the jobs of keys that have no more labels than its own.
    """

    session: Session

    async def defer(self, task: Task, collection: str) -> int:
        """Queue a job when this transaction commits; returns the job's id.

        If such a job already waits, it is reused. It is locked in the queue until this transaction
        ends, so that it cannot start without seeing what the transaction has written.
        """
        work, labels = Work(self.session.tenant, collection), self.session.labels
        while True:
            inserted = await self.session.sql.execute(_insert(task, work, labels))
            id: int | None = inserted.scalar_one_or_none()
            if id is None:
                id = await _hold_waiting(self.session, work.queueing_lock(task, labels))
            if id is not None:
                return id
            # The waiting job has started since: insert another.

    async def listed(self, *, limit: int) -> list[JobInfo]:
        """Return the tenant's jobs that the caller may see, newest first."""
        query = _shown(self.session).order_by(_jobs.c.id.desc()).limit(limit)
        return [_job(row) for row in await self.session.sql.execute(query)]

    async def get(self, id: int) -> JobInfo:
        """Return one job that the caller may see; raises `NotFoundError` otherwise."""
        wanted = _shown(self.session).where(_jobs.c.id == id)
        row = (await self.session.sql.execute(wanted)).one_or_none()
        if row is None:
            raise NotFoundError(f"There is no job {id}.")
        return _job(row)

    async def running(self, task: Task, collection: str) -> frozenset[int]:
        """Return the running jobs of a kind in a collection of the tenant."""
        in_progress = select(_jobs.c.id).where(
            _jobs.c.lock == Work(self.session.tenant, collection).lock(task),
            _jobs.c.task_name == task.value,
            _jobs.c.status == JobStatus.DOING,
        )
        return frozenset((await self.session.sql.execute(in_progress)).scalars())

    async def cancel(self, id: int) -> bool:
        """Remove a job from the queue, or ask its worker to stop; False if it had ended.

        Deletions raise `ConflictError`: a half deleted document would stay on disk.
        """
        if (await self.get(id)).task in NOT_CANCELLABLE:
            raise ConflictError(f"Job {id} removes deleted text: it cannot be cancelled.")
        cancelled = await self.session.sql.execute(_CANCEL, {"id": id})
        return cancelled.scalar_one() is not None

    async def unfinished_deletions(self) -> list[str]:
        """Return collections with pending deletions, or empty ones, without a deletion job.

        Only for the owner's session.
        """
        here = and_(
            documents.c.tenant_id == self.session.tenant,
            documents.c.collection == collections.c.name,
        )
        working = exists().where(
            _jobs.c.task_name == Task.DELETE.value,
            _jobs.c.args["tenant"].astext == str(self.session.tenant),
            _jobs.c.args["collection"].astext == collections.c.name,
            _jobs.c.status.in_((JobStatus.TODO, JobStatus.DOING)),
        )
        unfinished = select(collections.c.name).where(
            collections.c.tenant_id == self.session.tenant,
            or_(exists().where(here, documents.c.status == "deleting"), ~exists().where(here)),
            ~working,
        )
        return list((await self.session.sql.execute(unfinished)).scalars())


def _insert(task: Task, work: Work, labels: frozenset[str] | None) -> ReturningInsert[Any]:
    # Not procrastinate's own call: on a conflict it reads the error's details, which PostgreSQL
    # does not give under row security.
    new = insert(_jobs).values(
        queue_name=task.value,
        task_name=task.value,
        lock=work.lock(task),
        queueing_lock=work.queueing_lock(task, labels),
        args={"tenant": str(work.tenant), "collection": work.collection}
        | ({} if labels is None else {"labels": sorted(labels)}),
    )
    waiting = new.on_conflict_do_nothing(index_elements=[_jobs.c.queueing_lock], index_where=_WAITS)
    return waiting.returning(_jobs.c.id)


async def _hold_waiting(session: Session, queueing_lock: str) -> int | None:
    waiting = select(_jobs.c.id).where(_jobs.c.queueing_lock == queueing_lock, _WAITS)
    held = await session.sql.execute(waiting.with_for_update(read=True))
    return held.scalar_one_or_none()


def _shown(session: Session) -> Any:
    own = _jobs.c.args["tenant"].astext == str(session.tenant)
    times = select(func.min(_events.c.at).label("asked_at"), func.max(_events.c.at).label("last"))
    events = times.where(_events.c.job_id == _jobs.c.id).lateral()
    columns = (_jobs.c.id, _jobs.c.task_name, _jobs.c.args, _jobs.c.status, _jobs.c.attempts)
    shown = select(*columns, events.c.asked_at, events.c.last).where(own)
    if session.labels is not None:
        shown = shown.where(_jobs.c.args["labels"].contained_by(sorted(session.labels)))
    return shown


def _job(row: Row[Any]) -> JobInfo:
    return JobInfo(
        id=row.id,
        task=Task(row.task_name),
        collection=row.args["collection"],
        status=JobStatus(row.status),
        attempts=row.attempts,
        asked_at=row.asked_at,
        changed_at=row.last,
    )

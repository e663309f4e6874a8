"""Jobs of a tenant: asked for in the transaction that makes them needed, listed, cancelled."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Row, and_, column, exists, func, or_, select, table, text
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.sql.dml import ReturningInsert

from upheld.errors import ConflictError, NotFoundError
from upheld.service.db.database import Session
from upheld.service.db.queue import NOT_CANCELLABLE, Task, Work
from upheld.service.db.tables import collections, documents

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
    """Procrastinate's words for how far a job is."""

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
    """The queue, within the tenant that a session names.

    A caller with labels sees the jobs that keys with no more labels than its own have asked for.
    """

    session: Session

    async def defer(self, task: Task, collection: str) -> int:
        """Ask for work when this transaction is kept; the id of the job that will do it.

        If one waits already, it will do: it is held in the queue until this transaction ends, so
        that it cannot begin without seeing what the transaction has written.
        """
        work, labels = Work(self.session.tenant, collection), self.session.labels
        while True:
            inserted = await self.session.sql.execute(_insert(task, work, labels))
            id: int | None = inserted.scalar_one_or_none()
            if id is None:
                id = await _hold_waiting(self.session, work.queueing_lock(task, labels))
            if id is not None:
                return id
            # The one that waited has begun since: there is room for another.

    async def listed(self, *, limit: int) -> list[JobInfo]:
        """The tenant's jobs that the caller may see, newest first."""
        query = _shown(self.session).order_by(_jobs.c.id.desc()).limit(limit)
        return [_job(row) for row in await self.session.sql.execute(query)]

    async def get(self, id: int) -> JobInfo:
        """One job of the tenant that the caller may see."""
        wanted = _shown(self.session).where(_jobs.c.id == id)
        row = (await self.session.sql.execute(wanted)).one_or_none()
        if row is None:
            raise NotFoundError(f"There is no job {id}.")
        return _job(row)

    async def running(self, task: Task, collection: str) -> frozenset[int]:
        """Jobs of a kind that are under way in a collection of the tenant."""
        in_progress = select(_jobs.c.id).where(
            _jobs.c.lock == Work(self.session.tenant, collection).lock(task),
            _jobs.c.task_name == task.value,
            _jobs.c.status == JobStatus.DOING,
        )
        return frozenset((await self.session.sql.execute(in_progress)).scalars())

    async def cancel(self, id: int) -> bool:
        """Take it from the queue, or tell its worker to stop; False if it had ended.

        Deletions are a `ConflictError`: a document that is half deleted would stay on disk.
        """
        if (await self.get(id)).task in NOT_CANCELLABLE:
            raise ConflictError(f"Job {id} removes deleted text: it cannot be cancelled.")
        cancelled = await self.session.sql.execute(_CANCEL, {"id": id})
        return cancelled.scalar_one() is not None

    async def unfinished_deletions(self) -> list[str]:
        """Collections to delete from, or empty ones, for which no deletion waits or runs.

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
    # Not by procrastinate's own call: on a conflict that reads the error's details, which
    # PostgreSQL does not tell where row security is on.
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

"""Asking for jobs, looking at them, and working them off."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from uuid import UUID

import psycopg
from procrastinate import App

from tests.servers.postgres import State
from upheld_service.db.connect import conninfo
from upheld_service.db.database import Database
from upheld_service.db.jobs import JobInfo, Jobs, JobStatus
from upheld_service.db.queue import Body, Task, Work, worker_app


async def defer(
    database: Database, tenant: UUID, task: Task = Task.INGEST, collection: str = "staff"
) -> int:
    async with database.session(tenant, labels=None) as session:
        return await Jobs(session).defer(task, collection)


async def shown(database: Database, tenant: UUID) -> list[JobInfo]:
    async with database.session(tenant, labels=None) as session:
        return await Jobs(session).listed(limit=50)


async def statuses(database: Database, tenant: UUID) -> dict[int, JobStatus]:
    return {job.id: job.status for job in await shown(database, tenant)}


@asynccontextmanager
async def worker(state: State, body: Body) -> AsyncIterator[App]:
    """An open app that runs one body for every kind of work."""
    app = worker_app(state.service, dict.fromkeys(Task, body))
    async with app.open_async():
        yield app


async def work_off(app: App, *, concurrency: int = 1) -> None:
    """Run what can be run now, then stop."""
    await app.run_worker_async(
        wait=False, concurrency=concurrency, install_signal_handlers=False, listen_notify=False
    )


def now(state: State, change: str) -> None:
    """What time or a kill would do to the queue."""
    with psycopg.connect(conninfo(state.superuser)) as connection:
        connection.execute(change.encode())


class Recorder:
    """A body that notes its work, and fails as often as it is told to."""

    def __init__(self, *errors: Exception) -> None:
        self.errors, self.seen = list(errors), list[Work]()

    async def __call__(self, work: Work) -> None:
        self.seen.append(work)
        if self.errors:
            raise self.errors.pop(0)


async def until(seen: Callable[[], Awaitable[object]]) -> None:
    """What a worker brings about; tests put a timeout around it."""
    while not await seen():  # noqa: ASYNC110 - it happens in the database
        await asyncio.sleep(0.05)

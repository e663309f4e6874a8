"""Run jobs, inside a serving process or alone; the worker survives a loss of the database."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import NoReturn

from procrastinate import App

from upheld._internal.concurrency import all_of, meanwhile
from upheld.errors import StateUnavailableError
from upheld_service.db.queue import Task, worker_app
from upheld_service.jobs.periodic import (
    RETENTION_SECONDS,
    SILENT_SECONDS,
    SWEEP_SECONDS,
    expire,
    rescue,
    sweep_deletions,
)
from upheld_service.jobs.tasks import bodies
from upheld_service.resources import Service
from upheld_service.telemetry.logs import error_name, told

log = logging.getLogger("upheld.service")
DELETIONS_AT_ONCE = 2  # of different tenants, in places of their own
DRAIN_SECONDS = 20.0  # a job that takes longer goes back to the queue
RESTART_SECONDS = 5.0


@asynccontextmanager
async def working(service: Service) -> AsyncIterator[None]:
    """Run jobs during the block; at its end, running jobs get time to finish."""
    async with meanwhile(work(service)):
        yield


async def work(service: Service) -> NoReturn:
    """Run jobs until cancelled; restarts after any error."""
    while True:
        try:
            await _work(service)
        except Exception as error:  # any error: without a worker, no document would be read
            log.warning("the worker failed: %s", error_name(error), extra=told(error))
        await asyncio.sleep(RESTART_SECONDS)


async def _work(service: Service) -> None:
    jobs = bodies(service)
    app = worker_app(service.settings.database_url, jobs)
    places = {
        tuple(task for task in jobs if task is not Task.DELETE): service.settings.jobs_at_once,
        (Task.DELETE,): DELETIONS_AT_ONCE,
    }
    try:
        async with app.open_async():
            await all_of(
                (
                    *(_run(app, tasks, at_once) for tasks, at_once in places.items()),
                    _regularly(SILENT_SECONDS, partial(rescue, app), "requeueing jobs"),
                    _regularly(RETENTION_SECONDS, partial(expire, app, service), "retention"),
                    _regularly(
                        SWEEP_SECONDS, partial(sweep_deletions, app, service), "resuming deletions"
                    ),
                )
            )
    finally:
        await app.close_async()  # also closes a pool that is still connecting


async def _run(app: App, tasks: Sequence[Task], at_once: int) -> None:
    await app.run_worker_async(
        queues=[task.value for task in tasks],
        concurrency=at_once,
        install_signal_handlers=False,
        shutdown_graceful_timeout=DRAIN_SECONDS,
    )
    # It returns, without an error, when it has lost the database.
    raise StateUnavailableError("A worker has stopped.")


async def _regularly(seconds: float, work: Callable[[], Awaitable[object]], name: str) -> NoReturn:
    """Repeat the work every so many seconds; a failure is logged and stops nothing."""
    while True:
        try:
            await work()
        except Exception as error:  # any error: jobs continue
            log.warning("%s failed: %s", name, type(error).__name__, extra=told(error))
        await asyncio.sleep(seconds)

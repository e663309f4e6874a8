"""Runs jobs: inside a serving process, or alone; it outlives a database that goes away."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NoReturn

from procrastinate import App

from upheld.concurrency import meanwhile, together
from upheld.service.opened import Service
from upheld.service.retention import EVERY_SECONDS, expire
from upheld.service.state.rescue import SILENT_SECONDS, rescue
from upheld.service.state.tasks import worker_app
from upheld.service.sweeping import EVERY_SECONDS as SWEEP_SECONDS
from upheld.service.sweeping import sweep_deletions
from upheld.service.telemetry.logs import told
from upheld.service.work import bodies

log = logging.getLogger("upheld.service")
AT_ONCE = 2  # jobs; reading and embedding are one at a time in a process anyway
DRAIN_SECONDS = 20.0  # a job that takes longer goes back to the queue
RESTART_SECONDS = 5.0


@asynccontextmanager
async def working(service: Service) -> AsyncIterator[None]:
    """Jobs run while the block does; at its end those under way are given time to finish."""
    async with meanwhile(work(service)):
        yield


async def work(service: Service) -> NoReturn:
    """Until it is cancelled."""
    while True:
        try:
            await _work(service)
        except Exception as error:  # whatever it was: without a worker, nothing would be read
            log.warning("the worker fell: %s", type(error).__name__, extra=told(error))
        await asyncio.sleep(RESTART_SECONDS)


async def _work(service: Service) -> None:
    jobs = bodies(service)
    app = worker_app(service.settings.database_url, jobs)
    try:
        async with app.open_async():
            await together(
                app.run_worker_async(
                    queues=[task.value for task in jobs],
                    concurrency=AT_ONCE,
                    install_signal_handlers=False,
                    shutdown_graceful_timeout=DRAIN_SECONDS,
                ),
                _rescue_regularly(app),
                together(_expire_regularly(app, service), _sweep_regularly(app, service)),
            )
    finally:
        await app.close_async()  # also a pool that was still connecting, whose tasks would stay


async def _rescue_regularly(app: App) -> NoReturn:
    """Jobs of workers that were killed go back to the queue, whoever notices first."""
    while True:
        await rescue(app)
        await asyncio.sleep(SILENT_SECONDS)


async def _sweep_regularly(app: App, service: Service) -> NoReturn:
    """Deletions whose job was lost are taken up again."""
    while True:
        await sweep_deletions(app, service)
        await asyncio.sleep(SWEEP_SECONDS)


async def _expire_regularly(app: App, service: Service) -> NoReturn:
    """What has reached its age goes within the hour."""
    while True:
        await expire(app, service)
        await asyncio.sleep(EVERY_SECONDS)

"""`upheld serve` and `upheld worker`: the service on this machine."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer
from rich.text import Text

from upheld.cli import options, show
from upheld.errors import StateError, UsageError
from upheld.settings import Settings, load_settings

if TYPE_CHECKING:
    from upheld_service.db.database import AdminSession

LOOPBACK = ("127.0.0.1", "::1", "localhost")
DEV_TENANT = "dev"
DATABASE_CHECK_SECONDS = 3.0  # the service starts all the same, and /readyz goes on checking


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 chooses a free one.")
    ] = 8000,
    dev: Annotated[
        bool,
        typer.Option(
            "--dev",
            help="To try it out: a private PostgreSQL beside the knowledge base, one tenant, and "
            "no key needed on this machine.",
        ),
    ] = False,
    works: Annotated[
        bool,
        typer.Option("--worker/--no-worker", help="Run jobs in the serving processes as well."),
    ] = True,
    processes: Annotated[
        int,
        typer.Option(min=1, help="Server processes on one address; one per core is a good start."),
    ] = 1,
) -> None:
    """Serve answers over HTTP, with keys, tenants and documents in a PostgreSQL database.

    Ctrl-C or SIGTERM stops it after running requests have ended.

    Examples:

        upheld serve --dev

        UPHELD_DATABASE_URL=postgresql://web@db/upheld upheld serve --host 0.0.0.0 --processes 4
    """
    options.need_service()
    given = load_settings()
    # Other machines may have more of them, which the setting then counts.
    settings = given.model_copy(update={"processes": max(given.processes, processes)})
    _end_by_signal()
    if not dev:
        _run(_Serving(settings, works), host, port, processes)
        return
    if host not in LOOPBACK:
        raise UsageError(
            f"--dev needs no key, so it does not listen on {host}.",
            help=f"Listen on {LOOPBACK[0]}, or give keys to callers: upheld admin --help",
        )
    with _private_database(settings) as (own, tenant):
        _run(_Serving(own, works, tenant), host, port, processes)


def worker() -> None:
    """Run jobs only: reading, deleting and tidying documents.

    Ctrl-C or SIGTERM stops it; a job that takes long goes back to the queue.

    Examples:

        UPHELD_DATABASE_URL=postgresql://web@db/upheld upheld worker
    """
    options.need_service()
    settings = load_settings()
    from upheld_service.jobs.worker import work
    from upheld_service.resources import opened
    from upheld_service.telemetry.logs import log_json
    from upheld_service.telemetry.metrics import Metrics

    log_json()
    _warn_if_database_is_not_ready(settings)

    async def run() -> None:
        here = asyncio.current_task()
        assert here is not None
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, here.cancel)
        async with opened(settings, Metrics()) as service:
            show.err.print(Text("The worker is running.", style="green"))
            with suppress(asyncio.CancelledError):
                await work(service)

    asyncio.run(run())


def _warn_if_database_is_not_ready(settings: Settings) -> None:
    """Warn, and start all the same: the database may be ready later."""
    from upheld_service.db.database import Database

    async def reach() -> None:
        database = Database.open(settings.database_url, connections=1)
        try:
            async with asyncio.timeout(DATABASE_CHECK_SECONDS):
                await database.reach()
        finally:
            await database.close()

    try:
        asyncio.run(reach())
    except StateError as error:
        show.err.print(Text(f"warning: {error}", style="yellow"))
    except TimeoutError:
        show.err.print(Text("warning: The database does not answer.", style="yellow"))


def _run(serving: _Serving, host: str, port: int, processes: int) -> None:
    from upheld_service.db.connect import address
    from upheld_service.http.connections import listening
    from upheld_service.http.processes import run_processes
    from upheld_service.telemetry.logs import log_json

    log_json()
    address(serving.settings.database_url)  # what is wrong with it is said before anything starts
    if serving.dev is None:
        _warn_if_database_is_not_ready(serving.settings)
    if processes == 1:
        with listening(host, port) as bound:
            serving.run(host, port, [bound])
    else:
        run_processes(processes, host, port, serving)


@dataclass(frozen=True, slots=True)
class _Serving:
    """What one process serves; a value that other processes can be given."""

    settings: Settings
    works: bool
    dev: UUID | None = None

    def __call__(self, listening: socket.socket, tell: bool) -> None:
        """In one of several processes, which finds nothing prepared but the socket."""
        from upheld_service.telemetry.logs import log_json

        log_json()
        _end_by_signal()
        self.run("", 0, [listening], tell=tell)

    def run(
        self,
        host: str,
        port: int,
        sockets: list[socket.socket] | None = None,
        *,
        tell: bool = True,
    ) -> None:
        from upheld_service.app import Server, create_app

        app = create_app(self.settings, dev=self.dev, works=self.works)
        with suppress(KeyboardInterrupt):
            Server(app, host, port, self._tell if tell else _keep_silent).run(sockets)

    def _tell(self, url: str) -> None:
        show.err.print(Text.assemble("Upheld answers at ", (url, "bold green")))
        if self.dev is not None:
            show.err.print(
                Text(f"No key is needed on this machine. Open {url}/ in a browser.", "dim")
            )


def _keep_silent(_url: str) -> None:
    """Another process tells it."""


def _end_by_signal() -> None:
    """Uvicorn drains, then sends itself the signal again: that must not skip what is to close."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))


@contextmanager
def _private_database(settings: Settings) -> Iterator[tuple[Settings, UUID]]:
    from upheld_service.db import tenants
    from upheld_service.db.database import admin_session
    from upheld_service.db.dev_postgres import private_postgres

    if "://" in settings.kb:
        raise UsageError(f"--dev keeps everything in a folder, not in {settings.kb}.")

    async def tenant_of(admin: AdminSession) -> UUID:
        for each in await tenants.listed(admin):
            if each.name == DEV_TENANT:
                return each.id
        return (await tenants.add(admin, DEV_TENANT)).id

    with private_postgres(Path(settings.kb).absolute() / "_postgres") as postgres:
        owner, service = postgres.database()

        async def made() -> UUID:
            async with admin_session(owner) as admin:
                return await tenant_of(admin)

        tenant = asyncio.run(made())
        yield settings.model_copy(update={"database_url": service}), tenant

"""A private PostgreSQL in a folder, from the system's programs, that stops with this process.

It listens on a Unix socket in a folder that only its own user may enter, so it needs no password
and no port.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql
from pydantic import SecretStr

from upheld.errors import StateError
from upheld_service.db.connect import Role
from upheld_service.db.migrate import migrate
from upheld_service.db.supervise import STOP_SECONDS

START_SECONDS = 30.0
OWNER, SERVICE = "upheld_owner", "upheld_service"
DEBIAN = Path("/usr/lib/postgresql")
_UNPRIVILEGED = ("postgres", "nobody")  # PostgreSQL refuses to run as root
# For data that is thrown away: no write waits for the disk.
_FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


@dataclass(frozen=True, slots=True)
class PrivatePostgres:
    """A running server, reached through its socket."""

    socket: Path

    def url(self, user: str, database: str) -> SecretStr:
        """Return an address for `database_url`."""
        return SecretStr(f"postgresql://{user}@/{database}?host={self.socket}")

    def database(self, name: str = "upheld") -> tuple[SecretStr, SecretStr]:
        """Create a migrated database if missing; returns the addresses of owner and service."""
        owner = self.empty_database(name)
        migrate(owner)
        with self._superuser("postgres") as connection:
            for role in (Role.APP, Role.WORKER):
                granted = sql.SQL("GRANT {} TO {}")
                connection.execute(granted.format(sql.Identifier(role), sql.Identifier(SERVICE)))
        return owner, self.url(SERVICE, name)

    def empty_database(self, name: str) -> SecretStr:
        """Create a database without tables if missing; returns its owner's address."""
        with self._superuser("postgres") as connection:
            for login, powers in ((OWNER, "CREATEROLE"), (SERVICE, "NOINHERIT")):
                if not _exists(connection, "pg_roles", "rolname", login):
                    made = sql.SQL("CREATE ROLE {} LOGIN {}")
                    connection.execute(made.format(sql.Identifier(login), sql.SQL(powers)))
            if not _exists(connection, "pg_database", "datname", name):
                made = sql.SQL("CREATE DATABASE {} OWNER {} ENCODING 'UTF8' TEMPLATE template0")
                connection.execute(made.format(sql.Identifier(name), sql.Identifier(OWNER)))
        with self._superuser(name) as connection:  # since PostgreSQL 15 it is not public
            made = sql.SQL("ALTER SCHEMA public OWNER TO {}")
            connection.execute(made.format(sql.Identifier(OWNER)))
        return self.url(OWNER, name)

    def _superuser(self, database: str) -> psycopg.Connection:
        url = self.url("postgres", database).get_secret_value()
        return psycopg.connect(url, autocommit=True)


@contextmanager
def private_postgres(folder: Path, *, durable: bool = True) -> Iterator[PrivatePostgres]:
    """Start a server on the data in `folder`, which may be empty, and stop it at the end."""
    programs, user = _programs(), _own_user()
    folder.mkdir(parents=True, exist_ok=True)
    # Socket paths must be short (107 bytes), folder paths need not be.
    with tempfile.TemporaryDirectory(prefix="upheld-pg-", ignore_cleanup_errors=True) as socket:
        for path in (folder, Path(socket)):
            path.chmod(0o700)
            if user:
                shutil.chown(path, user)
        data = folder / "data"
        if not (data / "PG_VERSION").exists():
            _initialise(programs, data, user)
        settings = ("listen_addresses=", f"unix_socket_directories={socket}", "timezone=UTC")
        given = [part for each in (*settings, *(() if durable else _FAST)) for part in ("-c", each)]
        server = PrivatePostgres(Path(socket))
        command = [str(programs / "postgres"), "-D", str(data), *given]
        log = folder / "postgres.log"
        with _supervised(command, user, log) as process:
            _wait_until_ready(server, process, log)
            yield server


@contextmanager
def _supervised(command: list[str], user: str, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    supervisor = [sys.executable, "-P", "-m", "upheld_service.db.supervise", user, *command]
    with log.open("ab") as output:
        process = subprocess.Popen(  # noqa: S603
            supervisor,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd="/",
            start_new_session=True,  # Ctrl-C is for us; we then close its input
        )
    try:
        yield process
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(STOP_SECONDS + 10)


def _initialise(programs: Path, data: Path, user: str) -> None:
    command = [
        str(programs / "initdb"),
        f"--pgdata={data}",
        "--username=postgres",
        "--auth=trust",  # protected by the permissions of the socket's folder
        "--encoding=UTF8",
        "--locale=C",
        "--no-instructions",
    ]
    made = subprocess.run(  # noqa: S603
        command, user=user or None, cwd="/", capture_output=True, text=True, check=False
    )
    if made.returncode:
        raise StateError(
            f"initdb failed: {made.stderr.strip()}",
            help=f"The user {user} must be able to enter {data.parent}." if user else "",
        )


def _wait_until_ready(server: PrivatePostgres, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            server._superuser("postgres").close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return
    told = log.read_text(encoding="utf-8", errors="replace")[-2000:]
    raise StateError(f"PostgreSQL did not start:\n{told}")


def _programs() -> Path:
    """Return the folder with `postgres` and `initdb`, which Debian does not put on the PATH."""
    on_path = shutil.which("postgres")
    debian = DEBIAN.glob("*/bin/postgres")
    newest = sorted(debian, key=lambda found: int(found.parts[-3]), reverse=True)
    for program in (*([Path(on_path)] if on_path else []), *newest):
        if program.with_name("initdb").exists():
            return program.parent
    raise StateError(
        "There is no PostgreSQL on this machine.",
        help="Install it (Debian: apt-get install postgresql), or set UPHELD_DATABASE_URL.",
    )


def _own_user() -> str:
    """Return the user to run the server as, if not the current one."""
    if os.geteuid() != 0:
        return ""
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in _UNPRIVILEGED if name in known)


def _exists(connection: psycopg.Connection, table: str, column: str, name: str) -> bool:
    query = sql.SQL("SELECT FROM {} WHERE {} = %s")
    wanted = query.format(sql.Identifier(table), sql.Identifier(column))
    return connection.execute(wanted, (name,)).fetchone() is not None

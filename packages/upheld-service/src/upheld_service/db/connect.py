"""Database engines on one address, each in one role, and the translation of their errors.

No role owns a table or may bypass row security, whatever the login:

- `upheld_app` sees the rows of the tenant that its transaction names, and none without a name;
- `upheld_worker` sees the queue of jobs and the ids of tenants, and nothing else;
- `upheld_admin` sees tenants, keys and the audit log, and no document or answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from typing import Any

import psycopg
from psycopg import errors as pg
from pydantic import SecretStr
from sqlalchemy import URL, CursorResult, Engine, Executable, create_engine, exc, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from upheld.errors import (
    NotFoundError,
    SettingsError,
    StateError,
    StateUnavailableError,
    UsageError,
)


class Role(StrEnum):
    """The role of a connection, which decides what it may see."""

    APP = "upheld_app"
    WORKER = "upheld_worker"
    ADMIN = "upheld_admin"


_MIGRATE = (
    "Run `upheld admin migrate` with the login that owns the database; then give the login of the"
    " service its roles: GRANT upheld_app, upheld_worker TO …"
)
# What PostgreSQL cannot store in a text: U+0000 and lone surrogates.
_BAD_TEXT = (pg.DataError, UnicodeEncodeError)
# The schema or the roles are missing, or the login may not take the role.
_NOT_READY = (pg.UndefinedTable, pg.UndefinedFunction, pg.InsufficientPrivilege)


@contextmanager
def translated() -> Iterator[None]:
    """Run statements and translate database errors into ours, without the values."""
    try:
        yield
    except (exc.SQLAlchemyError, psycopg.Error, UnicodeEncodeError) as error:
        raise _ours(error) from error


def _ours(error: Exception) -> Exception:
    cause = error.orig if isinstance(error, exc.DBAPIError) and error.orig else error
    if isinstance(cause, pg.ForeignKeyViolation):
        return NotFoundError("There is no such tenant, collection or document.")
    if isinstance(cause, _BAD_TEXT):
        return UsageError("A name or text has characters that cannot be stored.")
    if isinstance(cause, _NOT_READY) or _no_such_role(cause):
        return StateError("The database is not ready for this login.", help=_MIGRATE)
    if isinstance(cause, psycopg.OperationalError | exc.TimeoutError):
        return StateUnavailableError(f"The database does not answer ({type(cause).__name__}).")
    return StateError(f"The database refused a statement ({type(cause).__name__}).")


def _no_such_role(cause: BaseException) -> bool:
    """Return whether a role is missing; while connecting, psycopg gives a message but no code."""
    told = str(cause)
    return 'role "upheld_' in told or 'parameter "role"' in told


CONNECT_SECONDS = 5
WAIT_SECONDS = 5.0  # for a connection from the pool; then the caller gets a 503
_HELP = "It looks like postgresql://user:password@host/database; set UPHELD_DATABASE_URL."


def address(url: SecretStr | None) -> URL:
    """Return the address for SQLAlchemy; an invalid one is an error that does not show it."""
    if url is None:
        raise SettingsError("database_url is not set.", help=_HELP)
    try:
        given = make_url(url.get_secret_value())
    except ArgumentError:
        raise SettingsError("database_url is not a valid URL.", help=_HELP) from None
    if given.get_backend_name() not in ("postgresql", "postgres"):
        raise SettingsError("database_url is not the URL of a PostgreSQL database.", help=_HELP)
    return given.set(drivername="postgresql+psycopg")


def conninfo(url: SecretStr | None) -> str:
    """Return the same address for libpq."""
    return address(url).set(drivername="postgresql").render_as_string(hide_password=False)


def role_options(url: SecretStr | None, role: Role) -> str:
    """Return libpq's `options` that set the role before any statement runs."""
    own = address(url).query.get("options", "")
    given = own if isinstance(own, str) else " ".join(own)
    return f"{given} -c role={role}".strip()


def open_engine(url: SecretStr | None, role: Role, *, connections: int) -> AsyncEngine:
    """Create a pool of connections in a role; nothing is connected yet."""
    return create_async_engine(
        address(url),
        connect_args={
            "options": role_options(url, role),
            "connect_timeout": CONNECT_SECONDS,
        },
        pool_size=connections,
        max_overflow=0,
        pool_timeout=WAIT_SECONDS,
        hide_parameters=True,  # keeps questions and secrets out of errors and logs
    )


async def first(
    sql: AsyncConnection, statement: Executable, values: Mapping[str, object] | None = None
) -> CursorResult[Any]:
    """Run the first statement on a pooled connection, which a server restart may have closed.

    If it is closed, use a new one. To test each connection beforehand would cost every request a
    round trip.
    """
    try:
        return await sql.execute(statement, values)
    except DBAPIError as cut:
        if not cut.connection_invalidated:
            raise
        await sql.rollback()  # the next statement uses a new connection
        return await sql.execute(statement, values)


def owner_engine(url: SecretStr | None) -> Engine:
    """Create an engine for migrations: one plain connection with the login's own rights."""
    return create_engine(
        address(url), connect_args={"connect_timeout": CONNECT_SECONDS}, poolclass=NullPool
    )

"""Engines on one address, each in one role."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import SecretStr
from sqlalchemy import URL, CursorResult, Engine, Executable, create_engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from upheld.errors import SettingsError
from upheld.service.db.roles import Role

CONNECT_SECONDS = 5
WAIT_SECONDS = 5.0  # for a connection of the pool; then the caller is told to come back
_HELP = "It looks like postgresql://user:password@host/database; set UPHELD_DATABASE_URL."


def address(url: SecretStr | None) -> URL:
    """The database's address for SQLAlchemy; a wrong one is refused without being shown."""
    if url is None:
        raise SettingsError("There is no database_url.", help=_HELP)
    try:
        given = make_url(url.get_secret_value())
    except ArgumentError:
        raise SettingsError("database_url is no address.", help=_HELP) from None
    if given.get_backend_name() not in ("postgresql", "postgres"):
        raise SettingsError("database_url names another database than PostgreSQL.", help=_HELP)
    return given.set(drivername="postgresql+psycopg")


def conninfo(url: SecretStr | None) -> str:
    """The same address for libpq."""
    return address(url).set(drivername="postgresql").render_as_string(hide_password=False)


def role_options(url: SecretStr | None, role: Role) -> str:
    """libpq's `options` that begin a session in a role: no statement ever runs before."""
    own = address(url).query.get("options", "")
    given = own if isinstance(own, str) else " ".join(own)
    return f"{given} -c role={role}".strip()


def open_engine(url: SecretStr | None, role: Role, *, connections: int) -> AsyncEngine:
    """A pool of connections in a role; nothing is opened yet."""
    return create_async_engine(
        address(url),
        connect_args={
            "options": role_options(url, role),
            "connect_timeout": CONNECT_SECONDS,
        },
        pool_size=connections,
        max_overflow=0,
        pool_timeout=WAIT_SECONDS,
        hide_parameters=True,  # errors and logs name no question and no secret
    )


async def first(
    sql: AsyncConnection, statement: Executable, values: Mapping[str, object] | None = None
) -> CursorResult[Any]:
    """The first statement on a connection of the pool, which a restarted server may have closed.

    Then another takes its place: asking each connection beforehand whether it still stands would
    cost every request a way to the server and back.
    """
    try:
        return await sql.execute(statement, values)
    except DBAPIError as cut:
        if not cut.connection_invalidated:
            raise
        await sql.rollback()  # what comes next is sent on a new connection
        return await sql.execute(statement, values)


def owner_engine(url: SecretStr | None) -> Engine:
    """For migrations: one plain connection with the login's own powers."""
    return create_engine(
        address(url), connect_args={"connect_timeout": CONNECT_SECONDS}, poolclass=NullPool
    )

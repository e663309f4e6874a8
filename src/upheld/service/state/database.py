"""The door to the tables: there is no session without a tenant."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

from pydantic import SecretStr
from sqlalchemy import Row, select, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.sql import func

from upheld.service.state.connect import open_engine
from upheld.service.state.failures import translated
from upheld.service.state.roles import Role

CONNECTIONS = 10
_FIND_KEY = text("SELECT * FROM upheld_find_key(:prefix)")


@dataclass(frozen=True, slots=True)
class Session:
    """One transaction of one tenant, and the labels of documents that its caller may see.

    `labels=None` is the owner's view, as in `upheld.types.Scope`.
    """

    tenant: UUID
    labels: frozenset[str] | None
    sql: AsyncConnection


@dataclass(frozen=True, slots=True)
class AdminSession:
    """One transaction over tenants and keys; the role sees nothing that tenants own."""

    sql: AsyncConnection


@dataclass(frozen=True, slots=True)
class Database:
    """The application's connections, in a role that row security binds."""

    engine: AsyncEngine

    @classmethod
    def open(cls, url: SecretStr | None, *, connections: int = CONNECTIONS) -> Self:
        """Nothing is connected until it is used."""
        return cls(open_engine(url, Role.APP, connections=connections))

    async def close(self) -> None:
        await self.engine.dispose()

    @asynccontextmanager
    async def session(
        self, tenant: UUID, *, labels: frozenset[str] | None
    ) -> AsyncIterator[Session]:
        """A transaction that sees one tenant; kept if the block ends well, else undone."""
        with translated():
            async with self.engine.begin() as sql:
                # Local to the transaction: a connection goes back to the pool without a tenant.
                named = func.set_config("upheld.tenant", str(tenant), True)
                await sql.execute(select(named))
                yield Session(tenant, labels, sql)

    async def find_key(self, prefix: str) -> Row[Any] | None:
        """The one question that is asked before a tenant is known."""
        with translated():
            # One statement: a transaction around it would double its way to the server and back.
            async with self.engine.execution_options(isolation_level="AUTOCOMMIT").connect() as sql:
                return (await sql.execute(_FIND_KEY, {"prefix": prefix})).one_or_none()


@asynccontextmanager
async def admin_session(url: SecretStr | None) -> AsyncIterator[AdminSession]:
    """A transaction of whoever may take on the admin role."""
    engine = open_engine(url, Role.ADMIN, connections=1)
    try:
        with translated():
            async with engine.begin() as sql:
                yield AdminSession(sql)
    finally:
        await engine.dispose()

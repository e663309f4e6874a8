"""Access to the tables: there is no session without a tenant."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Self
from uuid import UUID

from pydantic import SecretStr
from sqlalchemy import Row, TextClause, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from upheld_service.db.connect import Role, first, open_engine, translated

CONNECTIONS = 10
# Local to the transaction: a connection returns to the pool without a tenant. Row security hides
# every labelled document from a transaction that does not say which labels it may see.
_NAME_VIEW = text(
    "SELECT set_config('upheld.tenant', :tenant, true),"
    " set_config('upheld.all_labels', :all_labels, true),"
    " set_config('upheld.labels', CAST(:labels AS text[])::text, true)"
)
_REACH = text("SELECT FROM documents LIMIT 0")
_FIND_KEY = text("SELECT * FROM upheld_find_key(:prefix)")
_FIND_SESSION = text("SELECT * FROM upheld_find_session(:hash)")


@dataclass(frozen=True, slots=True)
class Session:
    """One transaction of one tenant, and the document labels that its caller may see.

    `labels=None` is the owner's view, as in `upheld.types.Scope`.
    """

    tenant: UUID
    labels: frozenset[str] | None
    sql: AsyncConnection


@dataclass(frozen=True, slots=True)
class AdminSession:
    """One transaction over tenants and keys; its role sees nothing that tenants own."""

    sql: AsyncConnection


@dataclass(frozen=True, slots=True)
class Database:
    """The application's connections, in a role subject to row security."""

    engine: AsyncEngine
    single: AsyncEngine = field(init=False)  # without transactions, on the same connections

    def __post_init__(self) -> None:
        alone = self.engine.execution_options(isolation_level="AUTOCOMMIT")
        object.__setattr__(self, "single", alone)

    @classmethod
    def open(cls, url: SecretStr | None, *, connections: int = CONNECTIONS) -> Self:
        """Create the pool; it connects on first use."""
        return cls(open_engine(url, Role.APP, connections=connections))

    async def close(self) -> None:
        await self.engine.dispose()

    async def reach(self) -> None:
        """Query the tables; raises if the database does not answer, or is not migrated."""
        with translated():
            async with self.single.connect() as sql:
                await first(sql, _REACH)

    @asynccontextmanager
    async def session(
        self, tenant: UUID, *, labels: frozenset[str] | None
    ) -> AsyncIterator[Session]:
        """Open a transaction that sees one tenant; it is rolled back if the block fails."""
        with translated():
            async with self.engine.connect() as sql:
                view = {
                    "tenant": str(tenant),
                    "all_labels": "yes" if labels is None else "no",
                    "labels": sorted(labels or ()),
                }
                await first(sql, _NAME_VIEW, view)
                yield Session(tenant, labels, sql)
                await sql.commit()

    async def find_key(self, prefix: str) -> Row[Any] | None:
        """Look up an API key: before that, the tenant is not known."""
        return await self._find(_FIND_KEY, {"prefix": prefix})

    async def find_session(self, hash: bytes) -> Row[Any] | None:
        """Look up the key of a browser's session, if both are live."""
        return await self._find(_FIND_SESSION, {"hash": hash})

    async def _find(self, query: TextClause, values: Mapping[str, Any]) -> Row[Any] | None:
        with translated():
            # A transaction would need another round trip.
            async with self.single.connect() as sql:
                return (await first(sql, query, values)).one_or_none()


@asynccontextmanager
async def admin_session(url: SecretStr | None) -> AsyncIterator[AdminSession]:
    """Open a transaction in the admin role; the login must be allowed to take it."""
    engine = open_engine(url, Role.ADMIN, connections=1)
    try:
        with translated():
            async with engine.begin() as sql:
                yield AdminSession(sql)
    finally:
        await engine.dispose()

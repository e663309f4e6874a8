"""Connections that the server has cut, as by a restart."""

from __future__ import annotations

import asyncio
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import text

from tests.servers.postgres import State
from upheld.errors import StateUnavailableError
from upheld_service.db import keys
from upheld_service.db.database import Database

pytestmark = pytest.mark.real
CUT = """
    SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


def cut_all(state: State) -> int:
    with psycopg.connect(state.superuser.get_secret_value()) as superuser:
        row = superuser.execute(CUT).fetchone()
    assert row is not None
    return int(row[0])


async def count(database: Database, tenant: UUID, *, cut: State | None = None) -> int:
    async with database.session(tenant, labels=None) as session:
        if cut is not None:
            cut_all(cut)
        found = await session.sql.execute(text("SELECT count(*) FROM collections"))
        return int(found.scalar_one())


async def test_they_cost_no_request(
    own_state: State, own_database: Database, own_tenant: UUID
) -> None:
    async def ask() -> None:
        assert await keys.verify(own_database, "nobody") is None
        assert await count(own_database, own_tenant) == 1
        await own_database.reach()

    await asyncio.gather(*(ask() for _ in range(3)))
    for _ in range(2):
        assert cut_all(own_state) >= 2
        await asyncio.gather(*(ask() for _ in range(3)))


async def test_what_is_cut_within_a_transaction_is_told(
    own_state: State, own_database: Database, own_tenant: UUID
) -> None:
    """Its first statements are lost: going on without them would keep half of a change."""
    with pytest.raises(StateUnavailableError):
        await count(own_database, own_tenant, cut=own_state)
    assert await count(own_database, own_tenant) == 1

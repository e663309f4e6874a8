"""A real PostgreSQL, started once; most tests share one database, each with tenants of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from uuid import UUID

import pytest

from tests.integration.service.people import new_tenant, with_collection
from tests.servers.postgres import State, new_state, running_postgres
from upheld_service.db.database import Database
from upheld_service.db.dev_postgres import PrivatePostgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[PrivatePostgres]:
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def state(postgres: PrivatePostgres) -> State:
    """The shared database."""
    return new_state(postgres)


@pytest.fixture
def own_state(postgres: PrivatePostgres) -> State:
    """A database that no other test uses: workers take any job they see."""
    return new_state(postgres)


@pytest.fixture
async def database(state: State) -> AsyncIterator[Database]:
    opened = Database.open(state.service)
    yield opened
    await opened.close()


@pytest.fixture
async def own_database(own_state: State) -> AsyncIterator[Database]:
    opened = Database.open(own_state.service)
    yield opened
    await opened.close()


@pytest.fixture
async def own_tenant(own_state: State, own_database: Database) -> UUID:
    """With an empty collection `staff`."""
    made = await new_tenant(own_state.owner)
    await with_collection(own_database, made)
    return made

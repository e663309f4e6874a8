"""A collection ends with its last document; who may see little can end little of it."""

from __future__ import annotations

from uuid import UUID

import pytest

from tests.integration.service.people import keep, new_tenant, put, with_collection
from tests.servers.postgres import State
from upheld.errors import NotFoundError
from upheld_service.db import answers, collections, documents
from upheld_service.db.database import Database
from upheld_service.db.documents import DocumentStatus

pytestmark = pytest.mark.real


@pytest.fixture
async def tenant(state: State, database: Database) -> UUID:
    made = await new_tenant(state.owner)
    await with_collection(database, made)
    return made


async def test_all_that_the_caller_may_see_is_condemned(database: Database, tenant: UUID) -> None:
    async with database.session(tenant, labels=None) as session:
        await put(session, "open")
        await put(session, "vault", "vault")
        await keep(session, "both", "open", "vault")
        await keep(session, "safe", "vault")
    async with database.session(tenant, labels=frozenset({"guide"})) as session:
        assert await documents.condemn_all(session, "staff") == 1
        assert await documents.condemn_all(session, "staff") == 0
    async with database.session(tenant, labels=None) as session:
        found = {each.id: each.status for each in await documents.listed(session, "staff", limit=9)}
        assert found == {"open": DocumentStatus.DELETING, "vault": DocumentStatus.PENDING}
        assert (await answers.get(session, "safe")).id == "safe"
        with pytest.raises(NotFoundError):
            await answers.get(session, "both")


async def test_a_collection_ends_when_it_is_empty(database: Database, tenant: UUID) -> None:
    async with database.session(tenant, labels=None) as session:
        document = await put(session, "rota")
        await keep(session, "nothing")
        assert not await collections.end_if_empty(session, "staff")
        await documents.condemn(session, "staff", "rota")
        assert await documents.forget(session, document)
        assert await collections.end_if_empty(session, "staff")
        assert not await collections.end_if_empty(session, "staff")
        assert await collections.listed(session) == []
        with pytest.raises(NotFoundError):
            await answers.get(session, "nothing")


async def test_an_answer_from_what_the_asker_may_not_see_is_refused(
    database: Database, tenant: UUID
) -> None:
    async with database.session(tenant, labels=None) as session:
        await put(session, "vault", "vault")
    with pytest.raises(NotFoundError):
        await _ask_as_guide(database, tenant)


async def _ask_as_guide(database: Database, tenant: UUID) -> None:
    async with database.session(tenant, labels=frozenset({"guide"})) as session:
        await keep(session, "leak", "vault")

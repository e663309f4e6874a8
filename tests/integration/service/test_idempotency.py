"""Idempotency keys: a repeat is replayed, a misuse refused, a dead claim taken over."""

from __future__ import annotations

from uuid import UUID

import psycopg
import pytest

from tests.integration.service.people import new_tenant
from tests.servers.postgres import State
from upheld.errors import ConflictError
from upheld_service.db import idempotency
from upheld_service.db.connect import conninfo
from upheld_service.db.database import Database
from upheld_service.db.idempotency import Claim, Replay

pytestmark = pytest.mark.real

ROUTE = "PUT /v1/collections/{c}/documents"


@pytest.fixture
async def tenant(state: State) -> UUID:
    return await new_tenant(state.owner)


async def begin(
    database: Database, tenant: UUID, *, request: bytes = b"1", route: str = ROUTE
) -> Claim | Replay:
    async with database.session(tenant, labels=None) as session:
        return await idempotency.begin(session, route=route, key="k", request=request)


async def claimed(database: Database, tenant: UUID) -> Claim:
    claim = await begin(database, tenant)
    assert isinstance(claim, Claim)
    return claim


async def finish(database: Database, tenant: UUID, claim: Claim, body: object) -> None:
    async with database.session(tenant, labels=None) as session:
        await idempotency.finish(session, claim, status=201, body=body)


def age(state: State, tenant: UUID, interval: str) -> None:
    with psycopg.connect(conninfo(state.superuser)) as connection:
        connection.execute(
            "UPDATE idempotency_keys SET started_at = started_at - %s::interval"
            " WHERE tenant_id = %s",
            (interval, tenant),
        )


async def test_a_repeat_gets_the_first_reply(database: Database, tenant: UUID) -> None:
    body = {"b": 1, "a": "\0"}
    await finish(database, tenant, await claimed(database, tenant), body)
    assert await begin(database, tenant) == Replay(201, body)


async def test_the_same_key_for_another_request_is_refused(
    database: Database, tenant: UUID
) -> None:
    claim = await claimed(database, tenant)
    with pytest.raises(ConflictError, match="another request"):
        await begin(database, tenant, request=b"2")
    await finish(database, tenant, claim, {})
    with pytest.raises(ConflictError, match="another request"):
        await begin(database, tenant, request=b"2")


async def test_a_repeat_while_the_first_is_under_way_is_refused(
    database: Database, tenant: UUID
) -> None:
    await claimed(database, tenant)
    with pytest.raises(ConflictError, match="in progress"):
        await begin(database, tenant)


async def test_what_came_to_nothing_may_be_sent_again(database: Database, tenant: UUID) -> None:
    claim = await claimed(database, tenant)
    async with database.session(tenant, labels=None) as session:
        await idempotency.abandon(session, claim)
    assert (await claimed(database, tenant)).id != claim.id


async def test_a_claim_of_somebody_who_was_killed_is_taken_over(
    state: State, database: Database, tenant: UUID
) -> None:
    dead = await claimed(database, tenant)
    age(state, tenant, "9 minutes")
    with pytest.raises(ConflictError, match="in progress"):
        await begin(database, tenant)
    age(state, tenant, "2 minutes")
    alive = await claimed(database, tenant)
    await finish(database, tenant, dead, "from the dead")
    await finish(database, tenant, alive, "from the living")
    assert await begin(database, tenant) == Replay(201, "from the living")


async def test_keys_of_routes_and_tenants_do_not_meet(
    state: State, database: Database, tenant: UUID
) -> None:
    await finish(database, tenant, await claimed(database, tenant), "mine")
    assert isinstance(await begin(database, tenant, route="POST /v1/answers"), Claim)
    assert isinstance(await begin(database, await new_tenant(state.owner)), Claim)


async def test_old_replies_are_swept(state: State, database: Database, tenant: UUID) -> None:
    await finish(database, tenant, await claimed(database, tenant), "old")
    async with database.session(tenant, labels=None) as session:
        assert await idempotency.sweep(session) == 0
    age(state, tenant, "25 hours")
    async with database.session(tenant, labels=None) as session:
        assert await idempotency.sweep(session) == 1
    assert isinstance(await begin(database, tenant), Claim)

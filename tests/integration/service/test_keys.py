"""Keys: shown once, verified in one shape, refused for one of many reasons that nobody is told."""

from __future__ import annotations

import hmac
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from sqlalchemy import event

from tests.servers.postgres import State
from upheld.errors import ConflictError, NotFoundError
from upheld_service.db import audit, keys, tenants
from upheld_service.db.connect import conninfo
from upheld_service.db.database import Database, admin_session
from upheld_service.db.keys import Key, KeyScope
from upheld_service.db.tenants import Tenant

pytestmark = pytest.mark.real


@pytest.fixture
async def tenant(state: State, request: pytest.FixtureRequest) -> Tenant:
    async with admin_session(state.owner) as admin:
        return await tenants.add(admin, request.node.nodeid)


async def new_key(
    state: State,
    tenant: Tenant,
    *,
    labels: frozenset[str] | None = None,
    expires_at: datetime | None = None,
) -> tuple[Key, str]:
    async with admin_session(state.owner) as admin:
        key, secret = await keys.add(
            admin,
            tenant,
            scopes=[KeyScope.READ, KeyScope.ASK],
            labels=labels,
            expires_at=expires_at,
        )
    return key, secret.get_secret_value()


async def test_a_key_says_whose_it_is_and_what_it_may(
    state: State, database: Database, tenant: Tenant
) -> None:
    key, secret = await new_key(state, tenant, labels=frozenset({"hr", "it"}))
    verified = await keys.verify(database, secret)
    assert verified == key
    assert key.tenant == tenant.id
    assert key.scopes == {KeyScope.ASK, KeyScope.READ}
    assert key.labels == frozenset({"hr", "it"})


async def test_no_labels_at_all_is_not_every_label(
    state: State, database: Database, tenant: Tenant
) -> None:
    _, nothing = await new_key(state, tenant, labels=frozenset())
    _, everything = await new_key(state, tenant, labels=None)
    first, second = await keys.verify(database, nothing), await keys.verify(database, everything)
    assert first is not None
    assert second is not None
    assert (first.labels, second.labels) == (frozenset(), None)


async def test_the_secret_is_nowhere_in_the_database(state: State, tenant: Tenant) -> None:
    key, secret = await new_key(state, tenant)
    with psycopg.connect(conninfo(state.superuser)) as connection:
        row = connection.execute(
            "SELECT api_keys::text FROM api_keys WHERE prefix = %s", (key.prefix,)
        ).fetchone()
    assert row is not None
    assert key.prefix in row[0]
    assert secret.removeprefix(f"uph_{key.prefix}_") not in row[0]


async def test_a_revoked_key_is_refused_at_once_and_for_good(
    state: State, database: Database, tenant: Tenant
) -> None:
    key, secret = await new_key(state, tenant)
    async with admin_session(state.owner) as admin:
        first = await keys.revoke(admin, key.prefix)
        again = await keys.revoke(admin, key.prefix)
    assert first.revoked_at is not None
    assert first.revoked_at == again.revoked_at
    assert await keys.verify(database, secret) is None


async def test_an_expired_key_is_refused(state: State, database: Database, tenant: Tenant) -> None:
    now = datetime.now(UTC)
    _, late = await new_key(state, tenant, expires_at=now - timedelta(seconds=1))
    _, timely = await new_key(state, tenant, expires_at=now + timedelta(hours=1))
    assert await keys.verify(database, late) is None
    assert await keys.verify(database, timely) is not None


def _wrong(secret: str) -> dict[str, str]:
    other = "A" if secret[-5] != "A" else "B"
    return {
        "last letters": secret[:-5] + other + secret[-4:],
        "another prefix": secret.replace("uph_", "uph_0000", 1)[: len(secret)],
        "unknown": f"uph_{'0' * 16}_{'x' * 43}",
        "no key": "Bearer",
        "empty": "",
        "NUL": "\0",
        "half a surrogate": "\ud800",
        "a megabyte": "uph_" * 250_000,
        "SQL": "' OR true --",
    }


async def test_every_wrong_key_costs_one_look_up_and_one_whole_comparison(
    state: State, database: Database, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    revoked, gone = await new_key(state, tenant)
    async with admin_session(state.owner) as admin:
        await keys.revoke(admin, revoked.prefix)
    _, secret = await new_key(state, tenant)
    asked: list[str] = []
    compared: list[tuple[int, int]] = []

    def see_statement(_c: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        asked.append(statement)

    def see_comparison(one: bytes, other: bytes) -> bool:
        compared.append((len(one), len(other)))
        return bool(real(one, other))

    real = hmac.compare_digest
    monkeypatch.setattr(hmac, "compare_digest", see_comparison)
    event.listen(database.engine.sync_engine, "before_cursor_execute", see_statement)
    for name, text in {**_wrong(secret), "revoked": gone}.items():
        asked.clear()
        compared.clear()
        assert await keys.verify(database, text) is None, name
        assert len(asked) == 1, name
        assert compared == [(32, 32)], name
    assert await keys.verify(database, secret) is not None  # and none of it broke the right one


async def test_lists_show_all_keys_of_one_tenant(state: State, tenant: Tenant) -> None:
    first, _ = await new_key(state, tenant)
    second, _ = await new_key(state, tenant)
    async with admin_session(state.owner) as admin:
        other = await tenants.add(admin, f"{tenant.name} (other)")
        assert await keys.listed(admin, tenant) == [first, second]
        assert await keys.listed(admin, other) == []
        assert {tenant.name, other.name} <= {each.name for each in await tenants.listed(admin)}


async def test_what_an_admin_does_is_in_the_tenants_log(
    state: State, database: Database, tenant: Tenant
) -> None:
    key, _ = await new_key(state, tenant)
    async with admin_session(state.owner) as admin:
        await keys.revoke(admin, key.prefix)
    async with database.session(tenant.id, labels=None) as session:
        entries = await audit.listed(session, limit=10)
    told = [(entry.actor, entry.action, entry.subject) for entry in entries]
    assert told == [
        ("admin", "key.revoke", key.prefix),
        ("admin", "key.add", key.prefix),
        ("admin", "tenant.add", tenant.name),
    ]


async def test_names_are_taken_once(state: State, tenant: Tenant) -> None:
    with pytest.raises(ConflictError, match="already"):
        async with admin_session(state.owner) as admin:
            await tenants.add(admin, tenant.name)


async def test_what_is_not_there_is_told(state: State) -> None:
    async with admin_session(state.owner) as admin:
        with pytest.raises(NotFoundError, match="no key 0000"):
            await keys.revoke(admin, "0000")
        with pytest.raises(NotFoundError, match="no tenant nobody"):
            await tenants.named(admin, "nobody")

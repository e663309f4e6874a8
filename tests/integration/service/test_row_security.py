"""Row security really hides: raw SQL in each role, without the code that usually asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

import psycopg
import pytest
from psycopg import errors as pg

from tests.integration.service.people import keep, new_tenant, put, with_collection
from tests.servers.postgres import State
from upheld_service.db import (
    audit,
    documents,
    feedback,
    guarantees,
    idempotency,
    keys,
    reviews,
    sessions,
    tenants,
)
from upheld_service.db.connect import Role, conninfo, role_options
from upheld_service.db.database import Database, admin_session
from upheld_service.db.jobs import Jobs
from upheld_service.db.queue import Task
from upheld_service.db.tables import metadata

pytestmark = pytest.mark.real

TENANTS_OWN = (
    "collections",
    "documents",
    "answers",
    "answer_documents",
    "idempotency_keys",
    "guarantees",
    "sessions",
    "feedback",
    "reviews",
    "audit_log",
    "procrastinate_jobs",
    "procrastinate_events",
)
HIDDEN = (
    "tenants",
    "ended_tenants",
    "api_keys",
    "procrastinate_workers",
    "procrastinate_periodic_defers",
)


@contextmanager
def connected(
    state: State,
    role: Role,
    tenant: UUID | None = None,
    labels: Sequence[str] | None = None,
) -> Iterator[psycopg.Connection]:
    """A plain connection as the service makes it; without labels, of somebody who sees all."""
    options = role_options(state.service, role)
    with psycopg.connect(conninfo(state.service), options=options) as connection:
        if tenant is not None:
            connection.execute("SELECT set_config('upheld.tenant', %s, true)", (str(tenant),))
            name = "upheld.all_labels" if labels is None else "upheld.labels"
            value = "yes" if labels is None else f"{{{','.join(labels)}}}"
            connection.execute("SELECT set_config(%s, %s, true)", (name, value))
        yield connection


def count(connection: psycopg.Connection, table: str) -> int:
    row = connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()
    assert row is not None
    return int(row[0])


@pytest.fixture
async def two(state: State, database: Database) -> tuple[UUID, UUID]:
    """The first tenant has one row in every table; the second has nothing."""
    first, second = await new_tenant(state.owner), await new_tenant(state.owner)
    await with_collection(database, first)
    async with admin_session(state.owner) as admin:
        of = next(each for each in await tenants.listed(admin) if each.id == first)
        key, _ = await keys.add(admin, of, scopes=(), labels=None, expires_at=None)
    async with database.session(first, labels=None) as session:
        await sessions.begin(session, key.prefix)
        await put(session, "rota")
        await keep(session, "a1", "rota")
        await feedback.give(session, "a1", 1, author=key.prefix, agrees=True, note="")

        await reviews.draw(
            session,
            "staff",
            answer_id="a1",
            claim=1,
            question_hash="h",
            pipeline="p",
            score=1.0,
            author=key.prefix,
        )
        await idempotency.begin(session, route="/v1/answers", key="k", request=b"{}")
        await guarantees.ask(session, "staff", {"labels": []})
        await audit.record(session, actor="k1", action="document.put", subject="rota")
        await Jobs(session).defer(Task.INGEST, "staff")
    return first, second


def test_every_table_is_in_this_test() -> None:
    own = {table.name for table in metadata.sorted_tables} - {
        "tenants",
        "ended_tenants",
        "api_keys",
    }
    assert own == {name for name in TENANTS_OWN if not name.startswith("procrastinate")}


@pytest.mark.parametrize("table", TENANTS_OWN)
def test_a_tenant_sees_its_rows_and_nobody_elses(
    state: State, two: tuple[UUID, UUID], table: str
) -> None:
    first, second = two
    with connected(state, Role.APP, first) as connection:
        assert count(connection, table) >= 1
    with connected(state, Role.APP, second) as connection:
        # Making a tenant leaves one entry in its log.
        assert count(connection, table) == (1 if table == "audit_log" else 0)


@pytest.mark.parametrize("table", TENANTS_OWN)
@pytest.mark.usefixtures("two")
def test_without_a_tenant_nothing_is_visible(state: State, table: str) -> None:
    with connected(state, Role.APP) as connection:
        assert count(connection, table) == 0


def test_a_connection_forgets_its_tenant_with_the_transaction(
    state: State, two: tuple[UUID, UUID]
) -> None:
    with connected(state, Role.APP, two[0]) as connection:
        assert count(connection, "documents") == 1
        connection.commit()
        assert count(connection, "documents") == 0


@pytest.fixture
async def labelled(state: State, database: Database) -> UUID:
    """A tenant with documents and jobs of several labels."""
    tenant = await new_tenant(state.owner)
    await with_collection(database, tenant)
    await with_collection(database, tenant, "vault")
    async with database.session(tenant, labels=None) as session:
        await put(session, "open")
        await put(session, "guides", "guide")
        await put(session, "board", "board")
        secret = frozenset({"board"})
        await documents.put(session, "vault", "safe", origin="safe.txt", labels=secret)
        await Jobs(session).defer(Task.INGEST, "vault")
    async with database.session(tenant, labels=frozenset({"guide"})) as session:
        await Jobs(session).defer(Task.INGEST, "staff")
    return tenant


@pytest.mark.parametrize(
    ("labels", "ids", "names", "jobs"),
    [
        (None, {"open", "guides", "board", "safe"}, {"staff", "vault"}, 2),
        (["guide"], {"open", "guides"}, {"staff"}, 1),
        (["board", "guide"], {"open", "guides", "board", "safe"}, {"staff", "vault"}, 1),
        ([], {"open"}, {"staff"}, 0),
    ],
)
def test_row_security_knows_labels(
    state: State,
    labelled: UUID,
    labels: Sequence[str] | None,
    ids: set[str],
    names: set[str],
    jobs: int,
) -> None:
    with connected(state, Role.APP, labelled, labels) as connection:
        seen = connection.execute("SELECT id FROM documents").fetchall()
        assert {row[0] for row in seen} == ids
        assert {r[0] for r in connection.execute("SELECT name FROM collections")} == names
        assert count(connection, "procrastinate_jobs") == jobs


def test_who_says_nothing_of_labels_sees_what_has_none(state: State, labelled: UUID) -> None:
    with connected(state, Role.APP) as connection:
        connection.execute("SELECT set_config('upheld.tenant', %s, true)", (str(labelled),))
        assert connection.execute("SELECT id FROM documents").fetchall() == [("open",)]
        assert count(connection, "procrastinate_jobs") == 0


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE documents SET labels = '{guide}' WHERE id = 'board'",
        "DELETE FROM documents WHERE id = 'board'",
        "UPDATE procrastinate_jobs SET status = 'cancelled' WHERE args ->> 'collection' = 'vault'",
    ],
)
def test_what_a_label_hides_cannot_be_changed(state: State, labelled: UUID, change: str) -> None:
    with connected(state, Role.APP, labelled, ["guide"]) as connection:
        assert connection.execute(change.encode()).rowcount == 0


@pytest.mark.parametrize("table", HIDDEN)
def test_the_application_may_not_even_ask_for_the_rest(state: State, table: str) -> None:
    with connected(state, Role.APP) as connection, pytest.raises(pg.InsufficientPrivilege):
        count(connection, table)


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO collections (tenant_id, name) VALUES (%(other)s, 'x')",
        "UPDATE documents SET tenant_id = %(other)s",
        "INSERT INTO procrastinate_jobs (queue_name, task_name, args)"
        " VALUES ('ingest', 'ingest', jsonb_build_object('tenant', %(other)s::text))",
    ],
)
def test_nothing_can_be_written_for_another_tenant(
    state: State, two: tuple[UUID, UUID], statement: str
) -> None:
    first, second = two
    with (
        connected(state, Role.APP, first) as connection,
        pytest.raises(pg.InsufficientPrivilege, match="row-level security"),
    ):
        connection.execute(statement.encode(), {"other": second})


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE documents SET origin = 'mine' WHERE tenant_id = %(other)s",
        "DELETE FROM answers WHERE tenant_id = %(other)s",
        "UPDATE procrastinate_jobs SET status = 'cancelled'"
        " WHERE args ->> 'tenant' = %(other)s::text",
    ],
)
def test_nothing_of_another_tenant_can_be_changed(
    state: State, two: tuple[UUID, UUID], statement: str
) -> None:
    first, second = two
    with connected(state, Role.APP, second) as connection:
        assert connection.execute(statement.encode(), {"other": first}).rowcount == 0


@pytest.mark.parametrize("change", ["UPDATE audit_log SET actor = 'me'", "DELETE FROM audit_log"])
@pytest.mark.parametrize("role", [Role.APP, Role.ADMIN])
def test_the_audit_log_can_only_grow(state: State, role: Role, change: str) -> None:
    login = state.service if role is Role.APP else state.owner
    with (
        psycopg.connect(conninfo(login), options=role_options(login, role)) as connection,
        pytest.raises(pg.InsufficientPrivilege),
    ):
        connection.execute(change.encode())


@pytest.mark.parametrize("table", ["documents", "answers", "procrastinate_jobs"])
def test_the_admin_sees_nothing_that_tenants_own(state: State, table: str) -> None:
    options = role_options(state.owner, Role.ADMIN)
    with (
        psycopg.connect(conninfo(state.owner), options=options) as connection,
        pytest.raises(pg.InsufficientPrivilege),
    ):
        count(connection, table)


def test_the_worker_sees_the_queue_and_nothing_else(state: State, two: tuple[UUID, UUID]) -> None:
    with connected(state, Role.WORKER) as connection:
        assert count(connection, "procrastinate_jobs") >= 1
        # Which tenants there are: their answers age whether or not anybody asks.
        assert connection.execute("SELECT id FROM tenants").fetchall()
        with pytest.raises(pg.InsufficientPrivilege):
            connection.execute("SELECT name FROM tenants")
        connection.rollback()
        with pytest.raises(pg.InsufficientPrivilege):
            count(connection, "documents")


@pytest.mark.parametrize("role", [Role.APP, Role.WORKER])
def test_only_the_admin_may_end_a_tenant(state: State, two: tuple[UUID, UUID], role: Role) -> None:
    with connected(state, role) as connection, pytest.raises(pg.InsufficientPrivilege):
        connection.execute("SELECT upheld_end_tenant(%s)", (two[0],))


def test_row_security_binds_the_owner_too(state: State, two: tuple[UUID, UUID]) -> None:
    with psycopg.connect(conninfo(state.owner)) as connection:
        assert count(connection, "documents") == 0


def test_no_role_of_ours_owns_a_table_or_bypasses_row_security(state: State) -> None:
    with psycopg.connect(conninfo(state.superuser)) as connection:
        powerful = connection.execute(
            "SELECT rolname FROM pg_roles WHERE rolname LIKE 'upheld%' "
            "AND (rolsuper OR rolbypassrls)"
        ).fetchall()
        owned = connection.execute(
            "SELECT relname FROM pg_class WHERE pg_get_userbyid(relowner) IN "
            "('upheld_app', 'upheld_worker', 'upheld_admin')"
        ).fetchall()
        open_tables = connection.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' "
            "AND relnamespace = 'public'::regnamespace AND relname <> 'alembic_version' "
            "AND NOT (relrowsecurity AND relforcerowsecurity)"
        ).fetchall()
    assert (powerful, owned, open_tables) == ([], [], [])

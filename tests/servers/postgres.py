"""A real PostgreSQL for tests: private, in a temporary folder, with our schema in one database."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import psycopg
from psycopg import sql
from pydantic import SecretStr

from upheld_service.db.dev_postgres import OWNER, SERVICE, PrivatePostgres, private_postgres

_count = itertools.count()


@dataclass(frozen=True, slots=True)
class State:
    """A migrated database: its owner's address, and the service's."""

    server: PrivatePostgres
    owner: SecretStr
    service: SecretStr
    superuser: SecretStr = field(init=False)

    def __post_init__(self) -> None:
        name = self.owner.get_secret_value().partition("@/")[2].partition("?")[0]
        object.__setattr__(self, "superuser", self.server.url("postgres", name))


@contextmanager
def running_postgres() -> Iterator[PrivatePostgres]:
    """Start a server whose data is thrown away at the end."""
    with (
        # Not pytest's own folder: the server's user could not enter it.
        tempfile.TemporaryDirectory(prefix="upheld-test-pg-") as folder,
        private_postgres(Path(folder), durable=False) as server,
    ):
        yield server


def new_state(server: PrivatePostgres) -> State:
    """A database of its own, with our schema and no row: a copy, as migrating takes longer."""
    name = new_name()
    url = server.url("postgres", "postgres").get_secret_value()
    copy = sql.SQL("CREATE DATABASE {} OWNER {} TEMPLATE {}")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(copy.format(*map(sql.Identifier, (name, OWNER, _migrated(server)))))
    return State(server, server.url(OWNER, name), server.url(SERVICE, name))


@cache
def _migrated(server: PrivatePostgres) -> str:
    """The name of a database that nobody opens: one with connections cannot be copied."""
    name = new_name()
    server.database(name)
    return name


def new_name() -> str:
    """A name that no database has yet."""
    return f"upheld_test_{next(_count)}"

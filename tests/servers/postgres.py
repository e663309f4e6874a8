"""A real PostgreSQL for tests: private, in a temporary folder, with our schema in one database."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import SecretStr

from upheld.service.db.dev_postgres import PrivatePostgres, private_postgres

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
    """A database of its own, with our schema and no row."""
    owner, service = server.database(new_name())
    return State(server, owner, service)


def new_name() -> str:
    """A name that no database has yet."""
    return f"upheld_test_{next(_count)}"

"""Connections that the server has cut, as by a restart."""

from __future__ import annotations

import psycopg
import pytest

from tests.servers.postgres import State
from upheld.service.state import keys
from upheld.service.state.database import Database

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


async def test_they_cost_no_request(own_state: State, own_database: Database) -> None:
    assert await keys.verify(own_database, "nobody") is None
    assert cut_all(own_state) == 1
    assert await keys.verify(own_database, "nobody") is None

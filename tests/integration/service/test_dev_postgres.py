"""The private PostgreSQL: keeps its data, lets nobody else in, and ends with whoever started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from upheld.errors import StateError
from upheld_service.db import dev_postgres
from upheld_service.db.connect import conninfo
from upheld_service.db.dev_postgres import PrivatePostgres, private_postgres
from upheld_service.db.tables import metadata

pytestmark = pytest.mark.real


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="upheld-test-pg-") as made:
        yield Path(made)


def tables(server: PrivatePostgres) -> set[str]:
    owner, _ = server.database()
    with psycopg.connect(conninfo(owner)) as connection:
        rows = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        return {row[0] for row in rows}


def test_what_was_stored_is_there_when_it_starts_again(folder: Path) -> None:
    with private_postgres(folder) as server:
        assert tables(server) >= set(metadata.tables)
        socket = server.socket
        assert socket.stat().st_mode & 0o077 == 0
        assert folder.stat().st_mode & 0o077 == 0
        owner, _ = server.database()
        with psycopg.connect(conninfo(owner)) as connection:
            connection.execute("CREATE TABLE memories (id int)")
    assert not socket.exists()
    with private_postgres(folder) as server:
        assert "memories" in tables(server)


CHILD = """
import sys, time
from pathlib import Path
from upheld_service.db.dev_postgres import private_postgres
with private_postgres(Path(sys.argv[1]), durable=False) as server:
    print(server.socket, flush=True)
    time.sleep(600)
"""


def test_it_ends_with_a_process_that_is_killed(folder: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(folder)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    with child.stdout:
        assert child.stdout.readline()
        postmaster = int((folder / "data" / "postmaster.pid").read_text().split()[0])
        os.kill(postmaster, 0)  # it is there
        child.send_signal(signal.SIGKILL)
        child.wait()
    deadline = time.monotonic() + 60
    while Path(f"/proc/{postmaster}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{postmaster}").exists()


def test_two_on_one_folder_are_refused_with_the_servers_words(folder: Path) -> None:
    with private_postgres(folder, durable=False):
        second = private_postgres(folder, durable=False)
        with pytest.raises(StateError, match="lock file"):
            second.__enter__()


def test_a_machine_without_postgresql_is_told_what_to_do(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(dev_postgres, "DEBIAN", folder)
    with pytest.raises(StateError, match="apt-get install postgresql"):
        private_postgres(folder).__enter__()

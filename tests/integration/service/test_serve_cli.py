"""`upheld serve --dev` and `upheld worker`, each in a process of its own."""

from __future__ import annotations

import socket
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest
from typer.testing import CliRunner

from tests.integration.service.commands import started
from tests.servers.postgres import State, new_name
from upheld.cli import app
from upheld.errors import UsageError
from upheld_service.db.dev_postgres import PrivatePostgres

pytestmark = pytest.mark.real


@pytest.mark.alone
def test_one_command_answers_within_a_minute_and_drains_when_told_to_stop() -> None:
    began = time.monotonic()
    # Not pytest's own folder: the private PostgreSQL's user could not enter it.
    with tempfile.TemporaryDirectory(prefix="upheld-test-dev-") as folder:
        Path(folder).chmod(0o755)
        with started("serve", "--dev", "--port", "0", UPHELD_KB=folder) as command:
            url = command.said("Upheld answers at").rpartition(" ")[2]
            with httpx2.Client(base_url=url, timeout=60) as caller:
                answer = _answer(caller)
            assert answer["text"] == "The lighthouse opens at nine. [1]", answer
            assert time.monotonic() - began < 60
            postmaster = Path(folder, "_postgres", "data", "postmaster.pid")
            assert postmaster.exists()
            assert command.stops()
            assert not postmaster.exists()


def _answer(caller: httpx2.Client) -> dict[str, Any]:
    put = caller.put(
        "/v1/collections/default/documents/rota",
        content=b"The lighthouse opens at nine.",
        headers={"Content-Type": "text/plain"},
    )
    job = put.json()["job"]
    while caller.get(f"/v1/jobs/{job}").json()["status"] in ("todo", "doing"):
        time.sleep(0.1)
    document = caller.get("/v1/collections/default/documents/rota").json()
    assert document["status"] == "ready", document
    asked = {"question": "When does the lighthouse open?"}
    answer: dict[str, Any] = caller.post("/v1/answers", json=asked).json()
    return answer


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("worker",)])
def test_a_database_that_is_not_ready_is_told_on_the_terminal(
    command: tuple[str, ...], postgres: PrivatePostgres, tmp_path: Path
) -> None:
    empty = postgres.empty_database(new_name()).get_secret_value()
    given = {"UPHELD_DATABASE_URL": empty, "UPHELD_KB": str(tmp_path), "UPHELD_LOCAL_MODELS": "0"}
    with started(*command, **given) as begun:
        assert "warning" in begun.said("not ready for this login")
        assert begun.said("upheld admin migrate")
        assert begun.said("Upheld answers at" if command[0] == "serve" else "is running")


def test_dev_does_not_listen_to_other_machines() -> None:
    result = CliRunner().invoke(app, ["serve", "--dev", "--host", "0.0.0.0"])
    assert isinstance(result.exception, UsageError)
    assert "does not listen on 0.0.0.0" in str(result.exception)


def test_without_a_database_it_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UPHELD_DATABASE_URL", raising=False)
    result = CliRunner().invoke(app, ["serve"])
    assert "UPHELD_DATABASE_URL" in str(result.exception)


def test_a_port_that_is_taken_is_named(own_state: State, tmp_path: Path) -> None:
    url = own_state.service.get_secret_value()
    given = {"UPHELD_DATABASE_URL": url, "UPHELD_KB": str(tmp_path), "UPHELD_LOCAL_MODELS": "0"}
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with started("serve", "--port", port, **given) as command:
            assert f"Port {port}" in command.said("cannot be used")
            assert command.said("--port")


def test_a_worker_alone_ends_when_told_to(own_state: State, tmp_path: Path) -> None:
    url = own_state.service.get_secret_value()
    environment = {"UPHELD_KB": str(tmp_path), "UPHELD_LOCAL_MODELS": "false"}
    with started("worker", UPHELD_DATABASE_URL=url, **environment) as command:
        command.said("The worker is running.")
        assert command.stops()

"""`upheld serve --processes 2`: two processes on one address, counted, replaced and drained."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from typer.testing import CliRunner

from tests.integration.places import Place
from tests.integration.service.commands import Command, started
from tests.integration.service.listening import hung_model, remote
from tests.integration.service.serving import (
    METRICS_KEY,
    WITH_METRICS_KEY,
    ask,
    client,
    give,
    new_key,
    running,
    service_settings,
    work_off,
)
from tests.servers.postgres import State
from upheld.cli import app as command_line

pytestmark = pytest.mark.real
QUESTION = "When does the lighthouse open?"
SERVE = ("serve", "--port", "0", "--processes", "2", "--no-worker")


def environment(state: State, kb: Path, **more: str) -> dict[str, str]:
    url = state.service.get_secret_value()
    own = {"UPHELD_DATABASE_URL": url, "UPHELD_KB": str(kb), "UPHELD_LOCAL_MODELS": "false"}
    return own | {"UPHELD_METRICS_KEY": METRICS_KEY.get_secret_value()} | more


def serving(command: Command) -> list[int]:
    """The processes that hold the listening socket, without the one that started them."""
    parent = command.process.pid
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    spawned = [int(child) for child in children if b"spawn_main" in _command(int(child))]
    assert len(spawned) == 2
    return spawned


def _command(process: int) -> bytes:
    return Path(f"/proc/{process}/cmdline").read_bytes()


@contextmanager
def stopped(process: int) -> Iterator[None]:
    """Nobody but the others can answer meanwhile."""
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def test_each_process_answers_and_metrics_tell_of_both(own_state: State, tmp_path: Path) -> None:
    with started(*SERVE, **environment(own_state, tmp_path)) as command:
        url = command.said("Upheld answers at").rpartition(" ")[2]
        for asleep in serving(command):
            with stopped(asleep):
                assert httpx2.get(f"{url}/healthz", timeout=200).status_code == 200
        counted = httpx2.get(f"{url}/metrics", timeout=200, headers=WITH_METRICS_KEY).text
        line = 'upheld_http_requests_total{method="GET",route="/healthz",status="200"} 2.0'
        assert line in counted
        assert command.stops()
        with pytest.raises(httpx2.ConnectError):
            httpx2.get(f"{url}/healthz")


def test_a_process_that_is_killed_is_replaced(own_state: State, tmp_path: Path) -> None:
    with started(*SERVE, **environment(own_state, tmp_path)) as command:
        url = command.said("Upheld answers at").rpartition(" ")[2]
        one, other = serving(command)
        os.kill(one, signal.SIGKILL)
        command.said("a server process ended")
        with stopped(other):
            assert httpx2.get(f"{url}/healthz", timeout=200).status_code == 200
        assert one not in serving(command)
        assert command.stops()


async def test_both_serve_who_is_inside_before_they_end(own_state: State, tmp_path: Path) -> None:
    key = await new_key(own_state)
    settings = service_settings(own_state, Place(str(tmp_path)))
    async with running(settings) as app, client(app, key) as caller:
        await give(caller, "rota", "The lighthouse opens at nine.")
        await work_off(app, own_state)
    async with asyncio.timeout(200), hung_model() as model:
        mock = {"UPHELD_LLM_URL": model.url, "UPHELD_LLM_MODEL": "m"}
        with started(*SERVE, **environment(own_state, tmp_path, **mock)) as command:
            said = await asyncio.to_thread(command.said, "Upheld answers at")
            url = said.rpartition(" ")[2]
            callers = [remote(url, key), remote(url, key)]
            processes = serving(command)
            for caller, asleep in zip(callers, processes, strict=True):
                with stopped(asleep):  # the first search of a process loads the engine
                    first = await ask(caller, QUESTION, budget={"llm_calls": 0})
                    assert first.status_code == 200
            inside = []
            for caller in callers:  # each keeps its connection, and with it its process
                model.asked.clear()
                asking = ask(caller, QUESTION, budget={"seconds": 8})
                inside.append(asyncio.create_task(asking))
                await model.asked.wait()
            ended = asyncio.create_task(asyncio.to_thread(command.stops))
            replies = [await each for each in inside]
            assert await ended
            for caller in callers:
                await caller.aclose()
    assert [reply.json()["status"] for reply in replies] == ["partial", "partial"]


async def test_they_end_with_the_one_that_started_them(own_state: State, tmp_path: Path) -> None:
    with started(*SERVE, **environment(own_state, tmp_path)) as command:
        command.said("Upheld answers at")
        left = serving(command)
        watched = [os.pidfd_open(process) for process in left]
        command.process.kill()
        loop = asyncio.get_running_loop()
        for each in watched:
            ended = loop.create_future()
            loop.add_reader(each, ended.set_result, None)
            await asyncio.wait_for(ended, 200)
            loop.remove_reader(each)
            os.close(each)


def test_a_process_that_cannot_begin_ends_all(own_state: State, tmp_path: Path) -> None:
    broken = {"UPHELD_LLM_MODEL": "m"}  # without a server's address
    with started(*SERVE, **environment(own_state, tmp_path, **broken)) as command:
        assert "ended unexpectedly" in command.said("ended unexpectedly")
        assert command.process.wait(200) == 1


def test_an_address_that_is_taken_is_told(
    own_state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UPHELD_DATABASE_URL", own_state.service.get_secret_value())
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(command_line, ["serve", "--port", port, "--processes", "2"])
    assert f"Port {port}" in str(result.exception)

"""A disk without room: requests that need it are refused, and nothing is lost.

The system's limit on the size of files stands for the disk: a write past it fails in the same
place, inside the store and the engine.
"""

from __future__ import annotations

import resource
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fastapi import FastAPI

from tests.integration.places import Place
from tests.integration.service.queueing import now
from tests.integration.service.serving import (
    ask,
    client,
    give,
    new_key,
    running,
    service_settings,
    work_off,
)
from tests.servers.postgres import State

pytestmark = pytest.mark.real
DOCUMENTS = "/v1/collections/staff/documents"
QUESTION = "When does the lighthouse open?"


@pytest.fixture
async def app(own_state: State, tmp_path: Path) -> AsyncIterator[FastAPI]:
    async with running(service_settings(own_state, Place(str(tmp_path)))) as it:
        yield it


@contextmanager
def no_room(largest: int) -> Iterator[None]:
    """No file of this process grows beyond so many bytes; PostgreSQL is another process."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def test_a_full_disk_refuses_and_loses_nothing(own_state: State, app: FastAPI) -> None:
    text = "The lighthouse opens at nine."
    async with client(app, await new_key(own_state)) as caller:
        await give(caller, "rota", text)
        await work_off(app, own_state)
        with no_room(2_000):
            refused = await caller.put(
                f"{DOCUMENTS}/menu",
                content=b"The menu has soup. " * 10_000,
                headers={"Content-Type": "text/plain"},
            )
            assert (refused.status_code, refused.json()["code"]) == (503, "storage")
            assert (await caller.get(f"{DOCUMENTS}/menu")).status_code == 404
            # What is there is answered from.
            assert (await ask(caller, QUESTION)).json()["status"] == "answered"
        await give(caller, "menu", "The menu has soup.")
        with no_room(200):  # enough room for nothing that the index writes
            await work_off(app, own_state)
            document = (await caller.get(f"{DOCUMENTS}/menu")).json()
            assert document["status"] == "pending"  # its job will try again
        now(own_state, "UPDATE procrastinate_jobs SET scheduled_at = now() WHERE status = 'todo'")
        await work_off(app, own_state)
        for id, words in (("rota", text), ("menu", "The menu has soup.")):
            assert (await caller.get(f"{DOCUMENTS}/{id}")).json()["status"] == "ready"
            assert (await caller.get(f"{DOCUMENTS}/{id}/text")).json()["text"] == words

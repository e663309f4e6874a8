"""Workers killed in the middle of jobs: no job and no document is lost or doubled."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from random import Random
from uuid import UUID

import httpx2
import pytest

from tests.integration.places import Place
from tests.integration.service.commands import Command, started
from tests.integration.service.queueing import now
from tests.integration.service.serving import client, give, new_key, running, service_settings
from tests.servers.postgres import State
from upheld.types import content_hash
from upheld_service.db.queue import Work
from upheld_service.jobs.uploads import sweep
from upheld_service.resources import Service

pytestmark = pytest.mark.real
KILLS = 20
DOCUMENTS = 18  # in a round: more than one batch
KILLS_TO_REST = 5  # a job that is killed ten times is given up, and should be
SILENT = "UPDATE procrastinate_workers SET last_heartbeat = now() - interval '31 seconds'"


@dataclass
class Shelf:
    """What was given and not taken back."""

    caller: httpx2.AsyncClient
    dice: Random
    texts: dict[str, str] = field(default_factory=dict)
    given: int = 0

    async def change(self) -> None:
        """New documents, other words for some old ones, and one less."""
        old = self.dice.sample(sorted(self.texts), min(len(self.texts), 4))
        if old:
            id = old.pop()
            del self.texts[id]
            reply = await self.caller.delete(f"/v1/collections/staff/documents/{id}")
            assert reply.status_code == 202
        new = [f"d{self.given + each}" for each in range(DOCUMENTS - len(old))]
        self.given += len(new)
        for id in (*old, *new):
            self.texts[id] = f"The barge {id} carries {self.dice.randrange(10**9)} sacks."
            await give(self.caller, id, self.texts[id])

    async def jobs(self) -> dict[int, str]:
        reply = await self.caller.get("/v1/jobs", params={"limit": 100})
        return {each["id"]: each["status"] for each in reply.json()["jobs"]}


@pytest.mark.campaign
@pytest.mark.timeout(3600)
async def test_no_job_and_no_document_is_lost_or_doubled(own_state: State, tmp_path: Path) -> None:
    settings = service_settings(own_state, Place(str(tmp_path)))
    async with (
        running(settings) as app,
        client(app, await new_key(own_state)) as caller,
    ):
        shelf = Shelf(caller, Random(0))
        await shelf.change()
        seconds = await worked_off(own_state, tmp_path, shelf)
        killed = 0
        while killed < KILLS:
            await shelf.change()
            async with worker(own_state, tmp_path) as command:
                await until_begun(shelf)
                await asyncio.sleep(shelf.dice.uniform(0, seconds))  # anywhere in a job
                command.process.kill()
                await asyncio.to_thread(command.process.wait)
            now(own_state, SILENT)
            if "doing" not in (await shelf.jobs()).values():
                continue  # it had come to its end
            killed += 1
            if killed % KILLS_TO_REST == 0:
                await worked_off(own_state, tmp_path, shelf)
        await worked_off(own_state, tmp_path, shelf)
        assert set((await shelf.jobs()).values()) == {"succeeded"}
        await assert_as_given(app.state.service, shelf)


async def worked_off(state: State, place: Path, shelf: Shelf) -> float:
    """Until nothing is left to do, by a worker that is let live; the seconds that it worked."""
    async with worker(state, place) as command:
        began = time.monotonic()
        while {"todo", "doing"} & set((await shelf.jobs()).values()):  # noqa: ASYNC110 — the same
            await asyncio.sleep(0.1)
        took = time.monotonic() - began
        assert await asyncio.to_thread(command.stops)
        return took


async def until_begun(shelf: Shelf) -> None:
    while "doing" not in (await shelf.jobs()).values():  # noqa: ASYNC110 — as any client does
        await asyncio.sleep(0.01)


@asynccontextmanager
async def worker(state: State, place: Path) -> AsyncIterator[Command]:
    with started(
        "worker",
        UPHELD_DATABASE_URL=state.service.get_secret_value(),
        UPHELD_KB=str(place),
        UPHELD_LOCAL_MODELS="false",
    ) as command:
        await asyncio.to_thread(command.said, "The worker is running.")
        yield command


async def assert_as_given(service: Service, shelf: Shelf) -> None:
    """Rows, index and store hold what was given, each once."""
    expected = {id: content_hash(text) for id, text in shelf.texts.items()}
    rows: dict[str, str] = {}
    after: str | None = None
    while True:
        query = {"limit": "100"} | ({"after": after} if after else {})
        page = (await shelf.caller.get("/v1/collections/staff/documents", params=query)).json()
        assert {each["status"] for each in page["documents"]} == {"ready"}
        rows |= {each["id"]: each["version"] for each in page["documents"]}
        if (after := page["next"]) is None:
            break
    assert rows == expected
    tenant = only_tenant(service)
    async with service.tenant_indexes.of(tenant, "staff") as kb:
        assert {each.id: each.version for each in await kb.documents()} == expected
        held = await kb.statistics()
    assert held.documents == held.passages == len(expected)
    await sweep(service, Work(tenant, "staff"), grace=timedelta(seconds=-60))
    assert len(await service.objects(tenant).listed("_uploads")) == len(expected)  # originals


def only_tenant(service: Service) -> UUID:
    (folder,) = Path(service.settings.kb, "tenants").iterdir()
    return UUID(folder.name)

"""Jobs whose parts fail them: a document is read once all the same, or it is told why not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import count

import pytest
import pytest_asyncio

from tests.integration.service.breakable import Part, World, world
from tests.integration.service.queueing import now
from tests.integration.service.serving import ask, give
from tests.servers.fault_proxy import Fault
from tests.servers.postgres import new_state
from tests.servers.seaweedfs import S3Server
from upheld.types import content_hash
from upheld_service.db.dev_postgres import PrivatePostgres
from upheld_service.jobs import tasks as work

pytestmark = [pytest.mark.real, pytest.mark.asyncio(loop_scope="module")]
SECONDS = 1.0  # that the fault lasts
AT_ONCE = "UPDATE procrastinate_jobs SET scheduled_at = NULL WHERE status = 'todo'"
_numbers = count()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def made(postgres: PrivatePostgres, s3_server: S3Server) -> AsyncIterator[World]:
    with pytest.MonkeyPatch.context() as patching:
        # Each document must take as many replies as the one before: none is tidied after.
        patching.setattr(work, "TAIL_ROWS", 1_000_000)
        async with world(new_state(postgres), s3_server, patching) as running:
            yield running


@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize("part", [Part.STORE, Part.DATABASE, Part.EMBEDDER])
async def test_a_document_is_read_once_the_part_is_back(
    part: Part, fault: Fault, made: World
) -> None:
    broken = made.parts[part]
    await broken.heal()
    await given(made)
    before = broken.replies
    await made.work_off()
    needed = broken.replies - before
    for after in sorted({0, needed // 2} if fault is not Fault.REFUSED else {0}):
        text, id = await given(made)
        await made.cool()
        await broken.strike(fault, after)
        working = asyncio.create_task(made.work_off(seconds=0))
        await asyncio.wait((working,), timeout=SECONDS)
        assert broken.struck
        working.cancel()  # the worker is told to stop: what it has under way goes back
        await broken.heal()
        await asyncio.wait((working,))
        await worked_off(made)
        document = (await made.caller.get(f"/v1/collections/staff/documents/{id}")).json()
        if document["status"] == "failed":  # what cannot be embedded is not tried for ever
            assert part is Part.EMBEDDER
            assert document["error"]
            await given(made, id, text)
            await worked_off(made)
            document = (await made.caller.get(f"/v1/collections/staff/documents/{id}")).json()
        assert (document["status"], document["version"]) == ("ready", content_hash(text))
        answer = (await ask(made.caller, f"What does the {id} carry?")).json()
        assert [each["document_id"] for each in answer["sources"]].count(id) == 1
    await assert_nothing_doubled(made)


async def given(made: World, id: str = "", text: str = "") -> tuple[str, str]:
    id = id or f"barge{next(_numbers)}"
    text = text or f"The {id} carries coal."
    await give(made.caller, id, text)
    return text, id


async def worked_off(made: World) -> None:
    """Until no job is left; what is tried again is tried now."""
    while True:
        now(made.state, AT_ONCE)
        await made.work_off()
        jobs = (await made.caller.get("/v1/jobs")).json()["jobs"]
        if not {each["status"] for each in jobs} & {"todo", "doing"}:
            return


async def assert_nothing_doubled(made: World) -> None:
    rows = (await made.caller.get("/v1/collections/staff/documents?limit=100")).json()["documents"]
    (tenant,) = made.app.state.service.tenant_indexes._open
    async with made.app.state.service.tenant_indexes.of(tenant, "staff") as kb:
        held = await kb.statistics()
        assert {each.id for each in await kb.documents()} == {each["id"] for each in rows}
    assert held.documents == held.passages == len(rows)
    stored = await made.app.state.service.objects(tenant).listed("_uploads")
    assert len(stored) <= len(rows)  # originals, of those that were read

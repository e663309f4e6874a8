"""What a tenant may send: beyond its rate 429, beyond its quota 413, and others are not touched."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from tests.integration.places import Place
from tests.integration.service.serving import client, give, new_key, running, service_settings
from tests.integration.service.serving import work_off as work_off_all
from tests.servers.postgres import State

pytestmark = pytest.mark.real
TEXT = {"Content-Type": "text/plain; charset=utf-8"}


async def send(
    caller: httpx2.AsyncClient, id: str, content: bytes | AsyncIterator[bytes] = b"It opens."
) -> httpx2.Response:
    where = f"/v1/collections/staff/documents/{id}"
    return await caller.put(where, content=content, headers=TEXT)


def stored(folder: Path) -> list[Path]:
    return [each for each in folder.rglob("_uploads/**/*") if each.is_file()]


async def test_a_tenant_sends_so_many_documents_a_minute(state: State, tmp_path: Path) -> None:
    settings = service_settings(
        state, Place(str(tmp_path)), tenant_documents_per_minute=2, tenant_burst=3
    )
    async with running(settings) as app:
        async with client(app, await new_key(state)) as caller:
            replies = [await send(caller, f"d{number}") for number in range(4)]
            assert [each.status_code for each in replies] == [202, 202, 202, 429]
            assert 1 <= int(replies[-1].headers["Retry-After"]) <= 30
            told = replies[-1].json()
            assert (told["code"], "2 documents a minute" in told["detail"]) == (
                "tenant_limit",
                True,
            )
            assert "Try again in" in told["help"]
            # Reading and deleting go on.
            assert (await caller.get("/v1/collections/staff/documents/d0")).status_code == 200
            assert (await caller.delete("/v1/collections/staff/documents/d0")).status_code == 202
        async with client(app, await new_key(state)) as other:
            assert (await send(other, "d0")).status_code == 202


async def test_a_tenant_has_so_many_documents(state: State, tmp_path: Path) -> None:
    settings = service_settings(state, Place(str(tmp_path)), tenant_documents=2)
    async with running(settings) as app, client(app, await new_key(state)) as caller:
        for id in ("one", "two", "two"):  # again is no further one
            await give(caller, id, "It opens at nine.")
        before = stored(tmp_path)
        reply = await send(caller, "three")
        assert (reply.status_code, reply.json()["code"]) == (413, "quota")
        assert "Delete documents" in reply.json()["help"]
        assert stored(tmp_path) == before


async def test_a_tenant_has_so_many_bytes(own_state: State, tmp_path: Path) -> None:
    settings = service_settings(own_state, Place(str(tmp_path)), tenant_mb=1)
    async with running(settings) as app, client(app, await new_key(own_state)) as caller:
        large = b"It opens at nine. " * 50_000  # 0.9 MB
        assert (await send(caller, "one", large)).status_code == 202
        assert (await send(caller, "one", large)).status_code == 202  # instead of itself

        async def chunks() -> AsyncIterator[bytes]:  # without a length in the head
            yield large

        assert (await send(caller, "two", large)).status_code == 413
        assert (await send(caller, "two", chunks())).status_code == 413
        assert len(stored(tmp_path)) == 1
        await caller.delete("/v1/collections/staff/documents/one")
        await work_off_all(app, own_state)
        assert (await send(caller, "two", large)).status_code == 202


async def test_many_at_once_do_not_get_past_the_quota(state: State, tmp_path: Path) -> None:
    settings = service_settings(state, Place(str(tmp_path)), tenant_documents=5)
    async with running(settings) as app, client(app, await new_key(state)) as caller:
        replies = await asyncio.gather(*(send(caller, f"d{number}") for number in range(12)))
        assert sorted(each.status_code for each in replies) == [202] * 5 + [413] * 7


async def test_a_tenant_sends_so_many_at_once(state: State, tmp_path: Path) -> None:
    settings = service_settings(state, Place(str(tmp_path)), tenant_at_once=1, tenant_waiting=1)
    async with running(settings) as app, client(app, await new_key(state)) as caller:
        go, held = asyncio.Event(), asyncio.Semaphore(0)

        async def slow() -> AsyncIterator[bytes]:
            yield b"It opens "
            held.release()
            await go.wait()
            yield b"at nine."

        sending = [asyncio.create_task(send(caller, f"d{number}", slow())) for number in "ab"]
        for _ in sending:
            await held.acquire()
        refused = await send(caller, "c")
        go.set()
        assert (refused.status_code, refused.json()["code"]) == (429, "tenant_limit")
        assert {(await each).status_code for each in sending} == {202}
        assert (await send(caller, "c")).status_code == 202

"""A sentence is sent when it is verified, while the language model still writes the next one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.integration.places import Place
from tests.integration.service.listening import listening, remote
from tests.integration.service.queueing import now
from tests.integration.service.serving import give, new_key, service_settings, work_off
from tests.integration.service.sse import Sent, events
from tests.servers.postgres import State

pytestmark = pytest.mark.real
FIRST, SECOND = "The lighthouse opens at nine.", "Visitors climb 199 steps."
BEGUN = json.dumps({"claims": [{"sources": [1], "text": FIRST}]})[:-2]
REST = json.dumps({"sources": [1], "text": SECOND})


class SlowModel:
    """An OpenAI-compatible server that writes the second claim only when it is told to."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        self.url = ""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.split("content-length:")[1].split("\r\n")[0])
        if not json.loads(await reader.readexactly(length)).get("stream"):
            body = json.dumps(_completion(BEGUN + ", " + REST + "]}")).encode()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
            writer.write(b"Connection: close\r\n\r\n" + body)
            writer.close()
            return
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n")
        writer.write(b"Connection: close\r\n\r\n")
        for piece in (BEGUN[:30], BEGUN[30:], ", " + REST[:10]):
            writer.write(_chunk(piece))
        await writer.drain()
        await self.go_on.wait()
        writer.write(_chunk(REST[10:] + "]}") + _chunk(None) + b"data: [DONE]\n\n")
        await writer.drain()
        writer.close()


def _chunk(content: str | None) -> bytes:
    delta: dict[str, Any] = {} if content is None else {"content": content}
    choice = {"index": 0, "delta": delta, "finish_reason": None if content else "stop"}
    chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return f"data: {json.dumps({**chunk, 'choices': [choice]})}\n\n".encode()


def _completion(content: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


@asynccontextmanager
async def slow_model() -> AsyncIterator[SlowModel]:
    model = SlowModel()
    server = await asyncio.start_server(model.answer, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    model.url = f"http://{host}:{port}/v1"
    try:
        yield model
    finally:
        model.go_on.set()
        server.close()


@pytest.mark.parametrize("method", ["rag", "upheld"])
async def test_the_first_sentence_comes_before_the_last_is_written(
    own_state: State, tmp_path: Path, method: str
) -> None:
    async with slow_model() as model:
        settings = service_settings(
            own_state, Place(str(tmp_path)), llm_url=model.url, llm_model="m"
        )
        key = await new_key(own_state)
        async with listening(settings) as (app, url), remote(url, key) as caller:
            await give(caller, "rota", f"{FIRST} {SECOND}")
            await work_off(app, own_state)
            body = {"question": "When does the lighthouse open?", "collection": "staff"}
            body |= {"method": method}
            text = ""
            async with asyncio.timeout(60):
                asked = caller.stream("POST", "/v1/answers", json={**body, "stream": True})
                async with asked as reply:
                    async for line in reply.aiter_lines():
                        text += line + "\n"
                        if line == "event: claim":
                            model.go_on.set()  # it would wait for ever otherwise
            found = events(text)
            blocking = (await caller.post("/v1/answers", json=body)).json()
    _as_promised(found, blocking)


def _as_promised(found: list[Sent], blocking: dict[str, Any]) -> None:
    names = [each.name for each in found]
    claims = [each.data for each in found if each.name == "claim"]
    for each in claims:
        each.pop("seq")
    final = found[-1].data
    assert claims == final["claims"] == blocking["claims"]
    assert [each["text"] for each in claims] == [FIRST, SECOND]
    *_, written = (at for at, name in enumerate(names) if name == "draft")
    assert names.index("claim") < written  # the writing has ended after it
    assert "claim_revised" not in names
    search = next(each.data for each in found if each.name == "search")
    assert [each["document_id"] for each in search["passages"]] == ["rota"]
    assert {**final, "id": 0, "trace": 0, "seq": 0} == {**blocking, "id": 0, "trace": 0, "seq": 0}


async def test_a_document_that_is_hidden_meanwhile_is_not_quoted(
    own_state: State, tmp_path: Path
) -> None:
    """The index still has it under its old labels; what is sent early asks the database."""
    async with slow_model() as model:
        settings = service_settings(
            own_state, Place(str(tmp_path)), llm_url=model.url, llm_model="m"
        )
        key = await new_key(own_state, tenant="museum")
        guide = await new_key(own_state, tenant="museum", labels=["guide"])
        async with listening(settings) as (app, url), remote(url, key) as owner:
            await give(owner, "rota", f"{FIRST} {SECOND}", "guide")
            await give(owner, "menu", "The menu has soup.", "guide")
            await work_off(app, own_state)
            now(own_state, "UPDATE documents SET labels = '{board}' WHERE id = 'rota'")
            model.go_on.set()
            async with remote(url, guide) as caller:
                body = {"question": "When does the lighthouse open?", "collection": "staff"}
                reply = await caller.post("/v1/answers", json={**body, "stream": True})
    assert FIRST not in reply.text
    assert "rota" not in reply.text
    assert events(reply.text)[-1].data["code"] == "conflict"

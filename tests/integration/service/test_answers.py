"""Answers over HTTP: blocking and streamed alike, kept, replayed, within limits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from pydantic import TypeAdapter

from tests.integration.places import Place
from tests.integration.service.serving import (
    ask,
    client,
    give,
    new_key,
    running,
    service_settings,
    work_off,
)
from tests.integration.service.sse import events
from tests.servers.postgres import State
from upheld._internal.to_json import to_json
from upheld.check import CheckedAnswer
from upheld.types import Answer

pytestmark = pytest.mark.real
PLACES = (
    "abbey",
    "bridge",
    "castle",
    "dairy",
    "estate",
    "ferry",
    "garden",
    "harbour",
    "inn",
    "jetty",
)
FACTS = (
    "opens at {} o'clock",
    "has {} rooms",
    "was built in 17{}",
    "employs {} people",
    "keeps {} boats",
)
ASKED = (
    "When does the {} open?",
    "How many rooms has the {}?",
    "When was the {} built?",
    "How many people does the {} employ?",
    "How many boats does the {} keep?",
)


@pytest.fixture
async def app(own_state: State, tmp_path: Path) -> AsyncIterator[FastAPI]:
    async with running(service_settings(own_state, Place(str(tmp_path)))) as started:
        yield started


@pytest.fixture
async def caller(own_state: State, app: FastAPI) -> AsyncIterator[httpx2.AsyncClient]:
    """Of a tenant with ten documents of five sentences."""
    async with client(app, await new_key(own_state, tenant="museum")) as one:
        for number, place in enumerate(PLACES):
            text = " ".join(
                f"The {place} {fact.format(number + 10 * line + 11)}."
                for line, fact in enumerate(FACTS)
            )
            await give(one, place, text)
        await work_off(app, own_state)
        yield one


def timeless(body: dict[str, Any]) -> dict[str, Any]:
    """What two runs of one question have in common: all but names and times."""
    trace = [{**event, "start": 0, "seconds": 0} for event in body["trace"]]
    return {**body, "id": "", "trace": trace}


async def test_fifty_streams_end_in_the_blocking_body(caller: httpx2.AsyncClient) -> None:
    answered = 0
    for question in (asked.format(place) for place in PLACES for asked in ASKED):
        blocking = (await ask(caller, question)).json()
        reply = await ask(caller, question, stream=True)
        assert reply.headers["content-type"].startswith("text/event-stream")
        sent = events(reply.text)
        assert [each.data.pop("seq") for each in sent] == list(range(1, len(sent) + 1))
        *before, final = sent
        assert final.name == "final"
        assert timeless(final.data) == timeless(blocking)
        assert (await caller.get(f"/v1/answers/{final.data['id']}")).json() == final.data
        claims = [each.data for each in before if each.name == "claim"]
        assert claims == blocking["claims"]
        names = [each.name for each in before]
        assert names[: len(names) - len(claims)] == ["search", "draft"]
        answered += blocking["status"] == "answered"
    assert answered == 50


async def test_the_body_is_what_the_library_gives_and_fits_its_schema(
    app: FastAPI, caller: httpx2.AsyncClient
) -> None:
    body = (await ask(caller, "How many rooms has the inn?", method="upheld")).json()
    answer = TypeAdapter(Answer).validate_python(body)
    assert to_json(answer) == body
    assert list(body) == list(to_json(answer))
    operation = app.openapi()["paths"]["/v1/answers"]["post"]
    content = operation["responses"]["200"]["content"]
    assert content["application/json"]["schema"] == {"$ref": "#/components/schemas/Answer"}
    assert "text/event-stream" in content
    schema = app.openapi()["components"]["schemas"]["Answer"]
    assert set(schema["properties"]) == set(body)


async def test_accept_asks_for_a_stream_too(caller: httpx2.AsyncClient) -> None:
    reply = await caller.post(
        "/v1/answers",
        json={"question": "When was the inn built?", "collection": "staff"},
        headers={"Accept": "text/event-stream"},
    )
    assert events(reply.text)[-1].name == "final"


REFUSED: tuple[tuple[dict[str, Any], int, str], ...] = (
    ({"question": ""}, 422, "invalid_request"),
    ({"question": "x" * 4001}, 422, "invalid_request"),
    ({"question": "What?\0"}, 422, "invalid_request"),
    ({"question": "What?", "colour": "red"}, 422, "invalid_request"),
    ({"question": "What?", "collection": "../staff"}, 422, "invalid_request"),
    ({"question": "What?", "collection": "nowhere"}, 404, "not_found"),
    ({"question": "What?", "method": "magic"}, 400, "usage"),
    ({"question": "What?", "parameters": {"passages": 0}}, 400, "usage"),
    ({"question": "   "}, 400, "usage"),
)


async def test_what_cannot_be_asked_is_told_by_status(own_state: State, app: FastAPI) -> None:
    async with client(app, await new_key(own_state)) as one:
        await give(one, "inn", "The inn has two rooms.")
        for body, status, code in REFUSED:
            for stream in (False, True):
                reply = await ask(one, **{**body, "stream": stream})
                assert (reply.status_code, reply.json()["code"]) == (status, code), reply.text
                assert reply.headers["content-type"] == "application/problem+json"


async def test_a_repeat_with_the_same_key_gets_the_same_answer(
    own_state: State, app: FastAPI, caller: httpx2.AsyncClient
) -> None:
    caller.headers["Idempotency-Key"] = "one"
    first = await ask(caller, "When was the inn built?")
    again = await ask(caller, "When was the inn built?")
    assert again.json() == first.json()
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    streamed = events((await ask(caller, "When was the inn built?", stream=True)).text)
    assert {**streamed[-1].data, "seq": None} == {**first.json(), "seq": None}
    other = await ask(caller, "When was the dairy built?")
    assert (other.status_code, other.json()["code"]) == (409, "conflict")
    failed = await ask(caller, "What?", method="magic")
    assert failed.status_code == 409
    caller.headers["Idempotency-Key"] = "two"
    assert (await ask(caller, "When?", method="magic")).status_code == 400
    assert (await ask(caller, "When was the inn built?")).status_code == 200  # it was let go
    # Another key of the same tenant has its own replies; a deleted document takes them along.
    async with client(app, await new_key(own_state, tenant="museum")) as colleague:
        colleague.headers["Idempotency-Key"] = "one"
        theirs = await ask(colleague, "When was the inn built?")
        assert theirs.json()["id"] != first.json()["id"]
    caller.headers["Idempotency-Key"] = "delete"
    gone = await caller.delete("/v1/collections/staff/documents/inn")
    assert (await caller.delete("/v1/collections/staff/documents/inn")).json() == gone.json()
    await work_off(app, own_state)
    caller.headers["Idempotency-Key"] = "one"
    anew = (await ask(caller, "When was the inn built?")).json()
    assert anew["id"] != first.json()["id"]
    assert "inn" not in {each["document_id"] for each in anew["sources"]}


async def test_an_upload_that_is_sent_again_is_taken_once(
    own_state: State, app: FastAPI, caller: httpx2.AsyncClient, tmp_path: Path
) -> None:
    caller.headers["Idempotency-Key"] = "upload"
    first = await give(caller, "mill", "The mill has two wheels.")
    again = await give(caller, "mill", "The mill has two wheels.")
    assert again.json() == first.json()
    assert again.headers["idempotency-replayed"] == "true"
    other = await caller.put(
        "/v1/collections/staff/documents/mill",
        content=b"The mill has three wheels.",
        headers={"Content-Type": "text/plain"},
    )
    assert other.status_code == 409
    stored = sum("_uploads" in name for name in Place(str(tmp_path)).objects())
    assert stored == len(PLACES) + 1  # the originals, and what waits


async def test_a_check_is_the_librarys_own(app: FastAPI, caller: httpx2.AsyncClient) -> None:
    sources = ["The tower opens at nine. Dogs stay outside."]
    body = {"answer": "The tower opens at nine. [1] Dogs may enter. [1]", "sources": sources}
    reply = await caller.post("/v1/verify", json=body)
    checked = reply.json()
    assert to_json(TypeAdapter(CheckedAnswer).validate_python(checked)) == checked
    assert [claim["verdict"]["support"] for claim in checked["claims"]] == [
        "supported",
        "not_checked",
    ]
    assert not checked["supported"]
    reply = await caller.post("/v1/verify", json={**body, "sources": ["x"] * 65})
    assert reply.status_code == 422


@pytest.mark.alone  # tenths of a second remain for keeping the answer
async def test_a_budget_without_time_ends_the_run_as_the_library_does(
    caller: httpx2.AsyncClient,
) -> None:
    reply = await ask(caller, "When was the inn built?", budget={"seconds": 1e-9})
    assert reply.status_code == 200
    assert reply.json()["status"] == "failed"
    assert any("budget" in each for each in reply.json()["degraded"])

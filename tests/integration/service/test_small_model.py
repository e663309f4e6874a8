"""A small model writes: streams end in the blocking body, and assistants ask what was given."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from tests.integration.assistants import over_http, over_stdio, words
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
from tests.servers.llama import MODEL
from tests.servers.postgres import State
from tests.servers.seaweedfs import S3Server
from upheld_service.tenants.indexes import tenant_prefix

pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]
NOTES = {
    "lighthouse": "The lighthouse of Wren Island was built by Agnes Tolliver in 1871.",
    "ferry": "The ferry to Wren Island takes 35 minutes. Dogs travel free of charge.",
}
ANSWER_TOKENS = 40
METHOD = "rag"  # one call an answer: what each method asks for is looked at elsewhere
QUESTIONS = ("Who built the lighthouse of Wren Island?", "How long does the ferry take?")


def comparable(body: dict[str, Any]) -> dict[str, Any]:
    """All but ids, times and usage: the server counts what it had in its cache."""
    trace = [(each["stage"], each["error"], each["note"]) for each in body["trace"]]
    return {**body, "id": "", "usage": {}, "trace": trace}


@asynccontextmanager
async def island(
    state: State, place: Place, llama_server: str
) -> AsyncIterator[tuple[FastAPI, httpx2.AsyncClient]]:
    """A service that knows the island, and whose model has time."""
    settings = service_settings(
        state,
        place,
        llm_url=llama_server,
        llm_model=MODEL,
        method=METHOD,
        answer_tokens=ANSWER_TOKENS,
        answer_seconds=200,
    )
    async with running(settings) as app, client(app, await new_key(state)) as caller:
        for id, text in NOTES.items():
            await give(caller, id, text)
        await work_off(app, state)
        yield app, caller


@pytest.mark.parametrize(
    "question", [QUESTIONS[0], pytest.param(QUESTIONS[1], marks=pytest.mark.campaign)]
)
async def test_a_stream_ends_in_the_blocking_body(
    own_state: State, tmp_path: Path, llama_server: str, question: str
) -> None:
    async with island(own_state, Place(str(tmp_path)), llama_server) as (_, caller):
        # Of a prompt that it has read before, the server computes other last digits: at times
        # enough for another word.
        await ask(caller, question)
        blocking = (await ask(caller, question)).json()
        *before, final = events((await ask(caller, question, stream=True)).text)
        assert final.name == "final"
        for each in (*before, final):
            del each.data["seq"]
        assert comparable(final.data) == comparable(blocking)
        assert [each.data for each in before if each.name == "claim"] == blocking["claims"]
        assert (await caller.get(f"/v1/answers/{final.data['id']}")).json() == final.data
        assert_written(blocking)


@pytest.mark.campaign
async def test_assistants_ask_and_verify_what_a_service_was_given(
    own_state: State, s3_server: S3Server, llama_server: str
) -> None:
    place = Place(s3_server.new_prefix(), s3_server.storage_options)
    async with island(own_state, place, llama_server) as (app, _):
        (tenant,) = app.state.service.tenant_indexes._open
        environment = {
            "UPHELD_STORAGE": json.dumps(place.storage_options),
            "UPHELD_LLM_URL": llama_server,
            "UPHELD_LLM_MODEL": MODEL,
            "UPHELD_METHOD": METHOD,
            "UPHELD_ANSWER_TOKENS": str(ANSWER_TOKENS),
        }
        kb = tenant_prefix(app.state.service.settings, tenant)
        for connected in (over_stdio, over_http):
            async with connected(kb, "--collection", "staff", **environment) as assistant:
                asked = await assistant.call_tool("ask", {"question": QUESTIONS[0], "seconds": 200})
                assert not asked.is_error, words(asked)
                assert asked.structured_content is not None
                assert_written(asked.structured_content)
                text = f"{NOTES['lighthouse']} [1] It is 40 metres high. [1]"
                checked = await assistant.call_tool(
                    "verify", {"answer": text, "sources": [NOTES["lighthouse"]]}
                )
                found = checked.structured_content
                assert found is not None
                supports = [claim["verdict"]["support"] for claim in found["claims"]]
                assert supports == ["supported", "not_checked"]


def assert_written(body: dict[str, Any]) -> None:
    """The model has written what is shown, and nothing of it counts as supported unless quoted."""
    assert body["usage"]["completion_tokens"] > 0
    assert not any("no language model" in each for each in body["degraded"])
    for claim in body["claims"]:
        if claim["verdict"]["support"] == "supported":
            assert any(claim["text"] in text for text in NOTES.values())

"""The `openai` client as it is, against the service over a real socket."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import openai
import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from tests.integration.places import Place
from tests.integration.service.listening import listening, remote
from tests.integration.service.serving import (
    client as in_process,
)
from tests.integration.service.serving import (
    give,
    new_key,
    running,
    service_settings,
    work_off,
)
from tests.servers.llama import MODEL
from tests.servers.postgres import State
from tests.servers.unruly import Request, Response, completion, unruly
from upheld.errors import SettingsError
from upheld.methods.registry import METHODS
from upheld.settings import load_settings
from upheld_service.db.keys import KeyScope

pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]
TEXT = "The lighthouse opens at nine. Visitors climb 199 steps."
QUESTION = "When does the lighthouse open?"
ASKED: list[Any] = [{"role": "user", "content": QUESTION}]
TALK: list[Any] = [
    {"role": "system", "content": "You are a guide."},
    {"role": "user", "content": "Is there a lighthouse?"},
    {"role": "assistant", "content": "Yes, and visitors climb it. [1]"},
    {"role": "user", "content": "When does it open?"},
]


@asynccontextmanager
async def talking(
    state: State, place: Path, *, scopes: Any = KeyScope, **more: object
) -> AsyncIterator[tuple[openai.AsyncOpenAI, Any]]:
    """The unchanged client, and one of our own to look behind it."""
    settings = service_settings(state, Place(str(place)), **more)
    key = await new_key(state, tenant="museum")
    narrow = await new_key(state, tenant="museum", scopes=scopes)
    async with listening(settings) as (app, url), remote(url, key) as caller:
        await give(caller, "rota", TEXT)
        await work_off(app, state)
        async with openai.AsyncOpenAI(
            base_url=f"{url}/v1", api_key=narrow.get_secret_value(), max_retries=0
        ) as client:
            yield client, caller


async def test_a_completion_is_a_kept_answer(own_state: State, tmp_path: Path) -> None:
    async with talking(own_state, tmp_path, scopes=[KeyScope.ASK]) as (client, caller):
        reply = await client.chat.completions.create(
            model="rag@staff",
            messages=ASKED,
            temperature=0.2,
            max_tokens=100,
            n=1,
            user="somebody",
            seed=7,
            stop=["\n"],
        )
        assert ChatCompletion.model_validate(reply.model_dump(), strict=True) == reply
        (choice,) = reply.choices
        content = choice.message.content
        assert content == "The lighthouse opens at nine. [1]"
        assert (choice.finish_reason, reply.model) == ("stop", "rag@staff")
        assert choice.message.annotations is not None
        (cited,) = (each.url_citation for each in choice.message.annotations)
        assert content[cited.start_index : cited.end_index] == "The lighthouse opens at nine."
        assert (await caller.get(cited.url)).json()["text"] == "The lighthouse opens at nine."
        assert reply.usage is not None
        assert reply.usage.total_tokens == 0  # nobody was asked to write
        kept = (await caller.get(f"/v1/answers/{reply.id.removeprefix('chatcmpl-')}")).json()
        assert (kept["question"], kept["status"]) == (QUESTION, "answered")


async def test_a_stream_is_the_completion_in_pieces(own_state: State, tmp_path: Path) -> None:
    async with talking(own_state, tmp_path) as (client, _):
        blocking = await client.chat.completions.create(model="rag@staff", messages=ASKED)
        stream = await client.chat.completions.create(
            model="rag@staff",
            messages=ASKED,
            stream=True,
            stream_options={"include_usage": True},
        )
        sent: list[ChatCompletionChunk] = [chunk async for chunk in stream]
        assert len({chunk.id for chunk in sent}) == 1
        deltas = [choice.delta for chunk in sent for choice in chunk.choices]
        said = "".join(delta.content or "" for delta in deltas)
        assert said == blocking.choices[0].message.content
        assert deltas[0].role == "assistant"
        annotations = blocking.choices[0].message.model_dump()["annotations"]
        assert deltas[-1].model_dump()["annotations"] == annotations
        assert sent[-1].usage == blocking.usage
        async with client.chat.completions.stream(model="rag@staff", messages=ASKED) as events:
            final = await events.get_final_completion()
        assert final.choices[0].message.content == said


async def test_models_are_methods_on_collections(own_state: State, tmp_path: Path) -> None:
    async with talking(own_state, tmp_path) as (client, _):
        names = [model.id async for model in client.models.list()]
        assert names == [*METHODS, *(f"{method}@staff" for method in METHODS)]
        assert (await client.models.retrieve("upheld@staff")).id == "upheld@staff"
        with pytest.raises(openai.NotFoundError, match="There is no model gpt-4"):
            await client.models.retrieve("gpt-4")
        stranger = client.with_options(api_key=(await new_key(own_state)).get_secret_value())
        assert [model.id async for model in stranger.models.list()] == list(METHODS)
        with pytest.raises(openai.NotFoundError, match="There is no collection staff"):
            await stranger.chat.completions.create(model="rag@staff", messages=ASKED)


async def test_errors_are_those_that_the_client_knows(own_state: State, tmp_path: Path) -> None:
    picture = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x:y"}}]}]
    tool = {"type": "function", "function": {"name": "f", "parameters": {}}}
    cases: tuple[tuple[dict[str, Any], type[openai.APIStatusError], str], ...] = (
        ({"model": "gpt"}, openai.NotFoundError, "There is no model gpt"),
        ({"model": "rag@nowhere"}, openai.NotFoundError, "There is no collection nowhere"),
        ({"model": "no model"}, openai.UnprocessableEntityError, "body.model"),
        ({"n": 2}, openai.BadRequestError, "n must be 1"),
        ({"tools": [tool]}, openai.BadRequestError, "Tools cannot be called"),
        ({"messages": picture}, openai.BadRequestError, "Only text is read"),
        ({"messages": []}, openai.UnprocessableEntityError, "body.messages"),
        (
            {"messages": [{"role": "user", "content": ""}]},
            openai.UnprocessableEntityError,
            "at least 1",
        ),
    )
    async with talking(own_state, tmp_path, tenant_burst=1, tenant_per_minute=1) as (client, _):
        wrong = client.with_options(api_key="uph_no_key")
        for stream in (False, True):
            with pytest.raises(openai.AuthenticationError) as unknown:
                await wrong.chat.completions.create(
                    model="rag@staff", messages=ASKED, stream=stream
                )
            assert unknown.value.code == "unknown_caller"
        with pytest.raises(openai.AuthenticationError):
            await wrong.models.list()
        assert await client.chat.completions.create(model="rag@staff", messages=ASKED)
        with pytest.raises(openai.RateLimitError) as often:
            await client.chat.completions.create(model="rag@staff", messages=ASKED, stream=True)
        assert often.value.response.headers["retry-after"] == "60"
        assert (often.value.code, often.value.type) == ("tenant_limit", "rate_limit_error")
    async with talking(own_state, tmp_path) as (client, _):
        for more, kind, told in cases:
            for stream in (False, True):
                given: dict[str, Any] = {"model": "rag@staff", "messages": ASKED, **more}
                with pytest.raises(kind, match=told) as refused:
                    await client.chat.completions.create(**given, stream=stream)
                assert refused.value.type in ("invalid_request_error", "not_found_error")


async def test_without_a_model_the_last_message_is_the_question(
    own_state: State, tmp_path: Path
) -> None:
    async with talking(own_state, tmp_path) as (client, caller):
        messages = [*TALK[:-1], *ASKED]
        reply = await client.chat.completions.create(model="rag@staff", messages=messages)
        behind = reply.model_dump()["upheld"]
        assert behind["question"] == QUESTION
        assert any("earlier messages were not read" in each for each in behind["degraded"])
        kept = (await caller.get(f"/v1/answers/{behind['answer']}")).json()
        notes = {event["stage"]: event["note"] for event in kept["trace"]}
        assert "last message" in notes["standalone"]


async def test_earlier_turns_are_condensed_and_doubts_are_said(
    own_state: State, tmp_path: Path
) -> None:
    def say(request: Request) -> Response:
        if "Last message:" in request.body["messages"][-1]["content"]:
            return completion(json.dumps({"question": QUESTION}))
        claims = [{"sources": [1], "text": "It has a red roof."}]
        return completion(json.dumps({"claims": claims}))

    async with (
        unruly(say) as model,
        talking(own_state, tmp_path, llm_url=model.url, llm_model="m") as (client, caller),
    ):
        stream = await client.chat.completions.create(model="rag@staff", messages=TALK, stream=True)
        sent = [chunk async for chunk in stream]
        said = "".join(choice.delta.content or "" for chunk in sent for choice in chunk.choices)
        assert said == "It has a red roof. [1] (not checked)"
        kept = (await caller.get(f"/v1/answers/{sent[0].id.removeprefix('chatcmpl-')}")).json()
        assert kept["question"] == QUESTION
        assert QUESTION in [e["note"] for e in kept["trace"] if e["stage"] == "standalone"]
        assert kept["usage"]["requests"] == 2


async def test_a_stream_that_fails_on_the_way_raises_in_the_client(
    own_state: State, tmp_path: Path
) -> None:
    async with talking(own_state, tmp_path) as (client, caller):
        # The index still has it, and the database forbids to show it: the run fails at its end.
        await caller.delete("/v1/collections/staff/documents/rota")
        with pytest.raises(openai.APIError) as failed:
            await _said(client)
        assert failed.value.code == "conflict"
        assert "Ask again." in failed.value.message


async def _said(client: openai.AsyncOpenAI) -> list[ChatCompletionChunk]:
    stream = await client.chat.completions.create(model="rag@staff", messages=ASKED, stream=True)
    return [chunk async for chunk in stream]


async def test_a_small_model_holds_a_conversation(
    own_state: State, tmp_path: Path, llama_server: str
) -> None:
    model = {"llm_url": llama_server, "llm_model": MODEL, "answer_tokens": 40}
    async with talking(own_state, tmp_path, **model, answer_seconds=200) as (client, caller):
        reply = await client.chat.completions.create(model="rag@staff", messages=TALK, timeout=300)
        assert reply.usage is not None
        assert reply.usage.prompt_tokens > 100
        behind = reply.model_dump()["upheld"]
        kept = (await caller.get(f"/v1/answers/{behind['answer']}")).json()
        assert {"standalone", "condense", "write"} <= {event["stage"] for event in kept["trace"]}
        stream = await client.chat.completions.create(
            model="rag@staff", messages=TALK, stream=True, timeout=300
        )
        sent = [chunk async for chunk in stream]
        said = "".join(choice.delta.content or "" for chunk in sent for choice in chunk.choices)
        again = (await caller.get(f"/v1/answers/{sent[0].id.removeprefix('chatcmpl-')}")).json()
        doubtful = [
            claim
            for claim in again["claims"]
            if claim["verdict"]["support"] not in ("supported", "not_checkworthy")
        ]
        assert said.count("(not ") + said.count("(contradicted") == len(doubtful)


@pytest.mark.parametrize("public_url", [None, "https://answers.example.org/upheld/"])
async def test_links_begin_with_the_public_url_whatever_host_was_asked_for(
    own_state: State, tmp_path: Path, public_url: str | None
) -> None:
    settings = service_settings(own_state, Place(str(tmp_path)), public_url=public_url)
    async with running(settings) as app, in_process(app, await new_key(own_state)) as caller:
        await give(caller, "rota", "The lighthouse opens at nine.")
        await work_off(app, own_state)
        body = {"model": "rag@staff", "messages": ASKED}
        evil = {"Host": "evil.example", "X-Forwarded-Host": "evil.example"}
        reply = await caller.post("/v1/chat/completions", json=body, headers=evil)
        (cited,) = reply.json()["choices"][0]["message"]["annotations"]
        start = (public_url or "").rstrip("/")
        assert cited["url_citation"]["url"].startswith(
            f"{start}/v1/collections/staff/documents/rota/text?version="
        )
        assert "evil.example" not in f"{reply.headers} {reply.text}"


def test_a_public_url_is_an_address_without_a_query() -> None:
    for wrong in ("answers.example.org", "ftp://a.example", "https://a.example/?q=1", "https:///x"):
        with pytest.raises(SettingsError):
            load_settings(public_url=wrong)

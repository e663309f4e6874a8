"""No reply tells a caller where the language model, the storage or the database is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pydantic import SecretStr

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
from tests.servers.postgres import State
from tests.servers.unruly import Request, Response, completion, in_turn, unruly
from upheld.methods.registry import METHODS

pytestmark = pytest.mark.real
QUESTION = "When does the lighthouse open, and who keeps its keys?"
TEXT = "The lighthouse opens at nine. The keeper has the keys."


async def test_answers_without_a_language_model_do_not_name_its_server(
    own_state: State, tmp_path: Path, unused_tcp_port: int
) -> None:
    """Neither one that is away, nor one whose own words name it, nor one that writes no JSON."""

    def tells(request: Request) -> Response:
        words = "model files at /srv/secret-models on gpu-7.internal are missing"
        return Response(status=400, body={"error": {"message": words, "code": "bad"}})

    prose = "I am gpu-7.internal, and I have read /srv/secret-models."
    async with unruly(tells) as server, unruly(in_turn(completion(prose))) as talking:
        for url in (f"http://127.0.0.1:{unused_tcp_port}/v1", server.url, talking.url):
            settings = service_settings(
                own_state, Place(str(tmp_path)), llm_url=url, llm_model="small", judge=True
            )
            async with running(settings) as app, client(app, await new_key(own_state)) as caller:
                await give(caller, "rota", TEXT)
                await work_off(app, own_state)
                for method in METHODS:
                    for stream in (False, True):
                        budget = {"seconds": 20}
                        reply = await ask(
                            caller, QUESTION, method=method, stream=stream, budget=budget
                        )
                        assert "degraded" in reply.text
                        assert _names(reply.text, url, tmp_path) == []
                turns = [{"role": "user", "content": each} for each in ("Is it open?", QUESTION)]
                chat = {"model": "upheld@staff", "messages": turns}
                reply = await caller.post("/v1/chat/completions", json=chat)
                assert _names(reply.text, url, tmp_path) == []


async def test_a_store_that_fails_is_not_named(own_state: State, tmp_path: Path) -> None:
    kb = tmp_path / "kept-in-this-folder"
    settings = service_settings(own_state, Place(str(kb)))
    async with running(settings) as app, client(app, await new_key(own_state)) as caller:
        await give(caller, "rota", TEXT)
        await work_off(app, own_state)
        assert (await ask(caller, QUESTION)).json()["status"] == "answered"
        _break(kb)
        for reply in (
            await ask(caller, QUESTION),
            await ask(caller, QUESTION, stream=True),
            await caller.get("/v1/collections/staff/documents/rota/text"),
            await caller.put(
                "/v1/collections/staff/documents/menu",
                content=b"Soup.",
                headers={"Content-Type": "text/plain"},
            ),
            await caller.get("/readyz"),
        ):
            assert "kept-in-this-folder" not in reply.text


async def test_a_database_that_is_away_is_not_named(own_state: State, tmp_path: Path) -> None:
    nowhere = SecretStr("postgresql://somebody:hunter22@127.0.0.1:1/inner_database")
    settings = service_settings(own_state, Place(str(tmp_path)))
    async with (
        running(settings.model_copy(update={"database_url": nowhere})) as app,
        client(app, await new_key(own_state)) as caller,
    ):
        for path in ("/v1/jobs", "/v1/models", "/readyz"):
            text = (await caller.get(path)).text
            for part in ("127.0.0.1", "inner_database", "somebody", "hunter22"):
                assert part not in text


async def test_a_page_in_our_network_is_refused_without_its_address(
    own_state: State, tmp_path: Path
) -> None:
    settings = service_settings(own_state, Place(str(tmp_path)))
    path = "/v1/collections/staff/documents/inner"
    async with running(settings) as app, client(app, await new_key(own_state)) as caller:
        await caller.put(path, json={"url": "http://localhost:1/secret"})
        await work_off(app, own_state)
        document = (await caller.get(path)).json()
        assert document["status"] == "failed"
        assert "127.0.0.1" not in document["error"]
        assert "::1" not in document["error"]


def _names(text: str, url: str, folder: Path) -> list[str]:
    """Which of the things that nobody needs to know are told."""
    port = url.rpartition(":")[2].partition("/")[0]
    hidden = (url, "127.0.0.1", f":{port}", str(folder), "/srv/", "gpu-7", "internal")
    return [each for each in hidden if each in text]


def _break(kb: Path) -> None:
    shutil.rmtree(kb)
    kb.write_text("no folder")

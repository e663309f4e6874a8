"""Over HTTP, too, nothing of one tenant or label is there for another."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from sqlalchemy import event

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

pytestmark = pytest.mark.real
DOCUMENTS = "/v1/collections/staff/documents"
QUESTION = "What is the code of the safe?"
SECRET = "The code of the safe is Heliotrope."


@pytest.fixture
async def app(own_state: State, tmp_path: Path) -> AsyncIterator[FastAPI]:
    async with running(service_settings(own_state, Place(str(tmp_path)), open_indexes=1)) as it:
        yield it


async def test_ids_of_another_tenant_are_not_there(own_state: State, app: FastAPI) -> None:
    async with (
        client(app, await new_key(own_state)) as owner,
        client(app, await new_key(own_state)) as other,
    ):
        job = (await give(owner, "safe", SECRET)).json()["job"]
        await give(other, "menu", "The menu has soup.")
        await work_off(app, own_state)
        answer = (await ask(owner, QUESTION)).json()
        assert answer["status"] == "answered"
        for path in (
            f"{DOCUMENTS}/safe",
            f"{DOCUMENTS}/safe/text",
            f"{DOCUMENTS}/safe/passages",
            f"/v1/answers/{answer['id']}",
            f"/v1/jobs/{job}",
        ):
            theirs, nobodys = await other.get(path), await other.get(path.replace("safe", "none"))
            assert (theirs.status_code, theirs.json()["code"]) == (404, "not_found")
            assert nobodys.status_code == 404
        assert (await other.delete(f"{DOCUMENTS}/safe")).status_code == 404
        assert (await other.delete(f"/v1/jobs/{job}")).status_code == 404
        listed = (await other.get(DOCUMENTS)).json()["documents"]
        assert [each["id"] for each in listed] == ["menu"]
        assert job not in [each["id"] for each in (await other.get("/v1/jobs")).json()["jobs"]]
        said = (await ask(other, QUESTION)).text
        assert "Heliotrope" not in said
        await give(other, "safe", "The safe is empty.")  # the same id is another document
        await work_off(app, own_state)
        assert (await owner.get(f"{DOCUMENTS}/safe/text")).json()["text"] == SECRET


async def test_a_label_hides_a_document_from_the_moment_it_is_given(
    own_state: State, app: FastAPI
) -> None:
    async with (
        client(app, await new_key(own_state, tenant="museum")) as owner,
        client(app, await new_key(own_state, tenant="museum", labels=["guide"])) as guide,
    ):
        await give(owner, "safe", SECRET, "guide")
        await work_off(app, own_state)
        shown = (await ask(guide, QUESTION)).json()
        assert shown["status"] == "answered"

        await give(owner, "safe", SECRET, "vault")  # not read yet: the index has the old label
        assert (await guide.get(f"{DOCUMENTS}/safe")).status_code == 404
        assert (await guide.get(f"{DOCUMENTS}/safe/text")).status_code == 404
        assert (await guide.get(f"/v1/answers/{shown['id']}")).status_code == 404
        for stream in (False, True):
            reply = await ask(guide, QUESTION, stream=stream)
            assert "Heliotrope" not in reply.text
        await work_off(app, own_state)
        assert "Heliotrope" not in (await ask(guide, QUESTION)).text
        assert "Heliotrope" in (await ask(owner, QUESTION)).text
        assert (await guide.delete(f"{DOCUMENTS}/safe")).status_code == 404
        replaced = await guide.put(
            f"{DOCUMENTS}/safe", content=b"Mine.", headers={"Content-Type": "text/plain"}
        )
        assert replaced.status_code == 404
        refused = await guide.put(
            f"{DOCUMENTS}/note",
            content=b"Mine.",
            headers={"Content-Type": "text/plain"},
            params={"label": "vault"},
        )
        assert (refused.status_code, refused.json()["code"]) == (400, "usage")
        # For the guide there is nothing in the collection any more, so there is no collection.
        assert (await guide.delete("/v1/collections/staff")).status_code == 404
        await work_off(app, own_state)
        assert (await owner.get(f"{DOCUMENTS}/safe")).json()["status"] == "ready"


async def test_what_a_label_hides_is_answered_like_what_is_not_there(
    own_state: State, app: FastAPI
) -> None:
    """Every route that takes an id or a name, for a key with another label."""
    async with (
        client(app, await new_key(own_state, tenant="museum")) as owner,
        client(app, await new_key(own_state, tenant="museum", labels=["guide"])) as guide,
    ):
        await give(owner, "rota", "The tower opens at nine.")
        await give(owner, "hidden", SECRET, "vault")
        text, vault = {"Content-Type": "text/plain"}, {"label": "vault"}
        path = "/v1/collections/hidden/documents/safe"
        await owner.put(path, content=SECRET.encode(), headers=text, params=vault)
        await work_off(app, own_state)
        body = {"question": QUESTION, "collection": "hidden"}
        answer = (await owner.post("/v1/answers", json=body)).json()["id"]
        await owner.delete(path)
        waiting = (await owner.get("/v1/jobs")).json()["jobs"][0]
        assert (waiting["task"], waiting["status"]) == ("delete", "todo")

        for method, route, more in _every_route(answer, waiting["id"]):
            there = await guide.request(method, route, **more)
            nowhere, other = _absent(route, more, answer, waiting["id"])
            absent = await guide.request(method, nowhere, **other)
            assert 400 <= there.status_code < 500, (method, route, there.text)
            assert there.status_code == absent.status_code, (method, route, there.text)
            assert _same_words(there.text) == _same_words(absent.text)
            assert _shape(there.headers) == _shape(absent.headers)

        assert (await guide.get("/v1/collections")).json() == {"collections": ["staff"]}
        assert (await guide.get("/v1/jobs")).json() == {"jobs": []}
        models = (await guide.get("/v1/models")).text
        assert "@staff" in models
        assert "@hidden" not in models
        listed = (await guide.get(DOCUMENTS)).json()["documents"]
        assert [each["id"] for each in listed] == ["rota"]
        await work_off(app, own_state)
        assert (await owner.get(f"/v1/jobs/{waiting['id']}")).json()["status"] == "succeeded"
        assert (await owner.get(f"{DOCUMENTS}/hidden/text")).json()["text"] == SECRET


async def test_a_key_with_labels_adds_documents_under_ids_that_are_given_to_it(
    own_state: State, app: FastAPI
) -> None:
    text = {"Content-Type": "text/plain"}
    async with (
        client(app, await new_key(own_state, tenant="museum")) as owner,
        client(app, await new_key(own_state, tenant="museum", labels=["guide"])) as guide,
    ):
        once = {**text, "Idempotency-Key": "note-1"}
        sent: dict[str, Any] = {"content": b"Tours begin at ten.", "params": {"label": "guide"}}
        added = await guide.post(DOCUMENTS, headers=once, **sent)
        assert added.status_code == 202
        id, job = added.json()["document"]["id"], added.json()["job"]
        again = await guide.post(DOCUMENTS, headers=once, **sent)
        assert (again.json(), again.headers["Idempotency-Replayed"]) == (added.json(), "true")
        await work_off(app, own_state)
        assert (await guide.get(f"/v1/jobs/{job}")).json()["status"] == "succeeded"
        assert (await guide.get(f"{DOCUMENTS}/{id}/text")).json()["text"] == "Tours begin at ten."
        new = await guide.put(f"{DOCUMENTS}/{id}", content=b"At eleven.", headers=text)
        assert new.status_code == 202  # it sees the document, so it may replace it
        await work_off(app, own_state)
        assert (await owner.get(f"{DOCUMENTS}/{id}/text")).json()["text"] == "At eleven."


def _every_route(answer: str, job: int) -> Iterator[tuple[str, str, dict[str, Any]]]:
    text = {"Content-Type": "text/plain"}
    for document in ("staff/documents/hidden", "hidden/documents/safe"):
        path = f"/v1/collections/{document}"
        for suffix in ("", "/text"):
            yield "GET", f"{path}{suffix}", {}
        yield "DELETE", path, {}
        yield "DELETE", path, {"headers": {"Idempotency-Key": "once"}}
        yield "PUT", path, {"content": b"Mine.", "headers": text}
        yield "PUT", path, {"content": b"Mine.", "headers": {**text, "Idempotency-Key": "once"}}
    collection = "/v1/collections/hidden"
    yield "GET", f"{collection}/documents", {}
    yield "DELETE", collection, {}
    yield "GET", f"{collection}/guarantee", {}
    yield "DELETE", f"{collection}/guarantee", {}
    yield "POST", f"{collection}/guarantee", {"content": b"{}", "headers": text}
    for stream in (False, True):
        asked = {"question": QUESTION, "collection": "hidden", "stream": stream}
        yield "POST", "/v1/answers", {"json": asked}
        turn = {"role": "user", "content": QUESTION}
        chat = {"model": "rag@hidden", "messages": [turn], "stream": stream}
        yield "POST", "/v1/chat/completions", {"json": chat}
    yield "GET", "/v1/models/rag@hidden", {}
    yield "GET", f"/v1/answers/{answer}", {}
    yield "GET", f"/v1/answers/{answer}/feedback", {}
    yield "POST", f"/v1/answers/{answer}/claims/1/feedback", {"json": {"agrees": True}}
    yield "GET", "/v1/answers?collection=hidden", {}
    yield "POST", f"{collection}/reviews", {}
    for part in ("original", "pages", "pages/1.png", "text"):
        yield "GET", f"{collection}/documents/safe/{part}", {}
    for method in ("GET", "DELETE"):
        yield method, f"/v1/jobs/{job}", {}


def _absent(route: str, more: dict[str, Any], answer: str, job: int) -> tuple[str, dict[str, Any]]:
    """The same request for something that does not exist."""

    def other(text: str) -> str:
        renamed = text.replace("hidden", "absent").replace("/safe", "/nothing").replace("once", "1")
        return renamed.replace(answer, "0" * 32).replace(f"/jobs/{job}", "/jobs/999999")

    return other(route), json.loads(other(json.dumps(more, default=bytes.decode)))


def _same_words(text: str) -> str:
    """Without what the caller itself has named."""
    named = r"hidden|absent|safe|nothing|[0-9a-f]{32}|job \d+"
    return re.sub(named, "…", text)


def _shape(headers: Mapping[str, str]) -> set[str]:
    return {name.lower() for name in headers}


async def test_hidden_and_absent_take_the_same_statements(own_state: State, app: FastAPI) -> None:
    """What the database is asked does not depend on what is hidden, so neither does the time."""
    text, vault = {"Content-Type": "text/plain"}, {"label": "vault"}
    path = "/v1/collections/hidden/documents/safe"
    async with (
        client(app, await new_key(own_state, tenant="museum")) as owner,
        client(app, await new_key(own_state, tenant="museum", labels=["guide"])) as guide,
    ):
        await give(owner, "rota", "The tower opens at nine.")
        await give(owner, "hidden", SECRET, "vault")
        job = (await owner.put(path, content=b"x", headers=text, params=vault)).json()["job"]
        await work_off(app, own_state)
        body = {"question": QUESTION, "collection": "hidden"}
        answer = (await owner.post("/v1/answers", json=body)).json()["id"]
        for method, route, more in _every_route(answer, job):
            nowhere, other = _absent(route, more, answer, job)
            with _statements(app) as there:
                await guide.request(method, route, **more)
            with _statements(app) as absent:
                await guide.request(method, nowhere, **other)
            assert there == absent, (method, route)
            assert there  # the key itself is looked up


@contextmanager
def _statements(app: FastAPI) -> Iterator[list[str]]:
    """What is sent to the database meanwhile, without its values."""
    engine, sent = app.state.service.database.engine.sync_engine, list[str]()

    def note(_c: object, _cursor: object, statement: str, *_: object) -> None:
        sent.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(engine, "before_cursor_execute", note)

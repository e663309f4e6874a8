"""A document's life over HTTP: given, read by a job, asked about, deleted from every byte."""

from __future__ import annotations

import pytest

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
from upheld.types import content_hash

pytestmark = pytest.mark.real
TEXT = "The lighthouse opens at nine. Visitors climb 199 steps."
OTHER = "The ferry leaves from the old harbour at noon."
ROTA = "/v1/collections/staff/documents/rota"


async def test_given_read_asked_kept_deleted(own_state: State, place: Place) -> None:
    settings = service_settings(own_state, place)
    async with (
        running(settings) as app,
        client(app, await new_key(own_state)) as caller,
    ):
        in_progress = (await give(caller, "rota", TEXT)).json()
        await give(caller, "ferry", OTHER)
        assert in_progress["document"]["status"] == "pending"
        job = f"/v1/jobs/{in_progress['job']}"
        assert (await caller.get(job)).json()["status"] == "todo"
        assert any(TEXT.encode() in data for data in place.objects().values())  # it waits

        await work_off(app, own_state)
        assert (await caller.get(job)).json()["status"] == "succeeded"
        read = (await caller.get(ROTA)).json()
        assert (read["status"], read["version"]) == ("ready", content_hash(TEXT))
        assert sum("_uploads" in name for name in place.objects()) == 2  # the originals

        reply = await ask(caller, "When does the lighthouse open?")
        assert reply.status_code == 200
        answer = reply.json()
        assert answer["status"] == "answered"
        cited = answer["claims"][0]["citations"][0]
        assert cited["document_id"] == "rota"
        text = await caller.get(
            f"{ROTA}/text",
            params={"version": read["version"], "start": cited["start"], "end": cited["end"]},
        )
        assert text.json()["text"] == cited["quote"] == "The lighthouse opens at nine."
        kept = f"/v1/answers/{answer['id']}"
        assert (await caller.get(kept)).json() == answer

        assert (await caller.delete(ROTA)).status_code == 202
        assert (await caller.get(kept)).status_code == 404
        assert (await caller.get(f"{ROTA}/text")).status_code == 404
        reply = await ask(caller, "When does the lighthouse open?")
        assert (reply.status_code, reply.json()["code"]) == (409, "conflict")

        await work_off(app, own_state)
        assert (await caller.get(ROTA)).status_code == 404
        assert not [name for name, data in place.objects().items() if b"lighthouse" in data]
        left = (await ask(caller, "When does the lighthouse open?")).json()
        assert all(each["document_id"] == "ferry" for each in left["sources"])

        reply = await caller.delete("/v1/collections/staff")
        assert reply.json()["documents"] == 1
        await work_off(app, own_state)
        assert (await caller.get("/v1/collections")).json() == {"collections": []}
        assert (await ask(caller, "When does the ferry leave?")).status_code == 404
        assert not [name for name, data in place.objects().items() if b"ferry" in data]


async def test_a_document_given_again_replaces_the_old_text_in_every_byte(
    own_state: State, place: Place
) -> None:
    async with (
        running(service_settings(own_state, place)) as app,
        client(app, await new_key(own_state)) as caller,
    ):
        await give(caller, "rota", OTHER)
        await give(caller, "rota", TEXT)  # the first was never read: its bytes go at once
        assert sum("_uploads" in name for name in place.objects()) == 1
        await work_off(app, own_state)
        await give(caller, "rota", "The tower is closed.")
        await work_off(app, own_state)
        assert (await caller.get(ROTA)).json()["version"] == content_hash("The tower is closed.")
        assert not [name for name, data in place.objects().items() if b"lighthouse" in data]


async def test_a_document_that_could_not_be_replaced_has_no_text_left(
    own_state: State, place: Place
) -> None:
    async with (
        running(service_settings(own_state, place)) as app,
        client(app, await new_key(own_state)) as caller,
    ):
        await give(caller, "rota", TEXT)
        await give(caller, "ferry", OTHER)
        await work_off(app, own_state)
        sent = {"name": "rota.pdf", "label": "board"}
        await caller.put(ROTA, content=b"%PDF-1.7 nothing", params=sent)
        await work_off(app, own_state)
        document = (await caller.get(ROTA)).json()
        assert (document["status"], document["version"]) == ("failed", None)
        reply = await ask(caller, "When does the lighthouse open?")  # no conflict, no old words
        assert reply.status_code == 200
        assert all(each["document_id"] == "ferry" for each in reply.json()["sources"])
        assert not [name for name, data in place.objects().items() if b"lighthouse" in data]


async def test_what_cannot_be_read_says_why(own_state: State, place: Place) -> None:
    async with (
        running(service_settings(own_state, place)) as app,
        client(app, await new_key(own_state)) as caller,
    ):
        broken = await caller.put(ROTA, content=b"%PDF-1.7 nothing", params={"name": "rota.pdf"})
        assert broken.status_code == 202
        await give(caller, "ferry", OTHER)
        await work_off(app, own_state)
        document = (await caller.get(ROTA)).json()
        assert document["status"] == "failed"
        assert "rota.pdf" in document["error"]
        listed = (await caller.get("/v1/collections/staff/documents", params={"limit": 1})).json()
        assert [each["status"] for each in listed["documents"]] == ["ready"]
        rest = await caller.get("/v1/collections/staff/documents", params={"after": listed["next"]})
        assert [each["id"] for each in rest.json()["documents"]] == ["rota"]
        assert rest.json()["next"] is None
        assert sum("_uploads" in name for name in place.objects()) == 1  # the ferry's original

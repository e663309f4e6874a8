"""Originals: shown to those who may see the document, marked where a quote is, gone with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from fastapi import FastAPI

from tests.documents import make_pdf
from tests.integration.places import Place
from tests.integration.service.queueing import now
from tests.integration.service.serving import (
    client,
    give,
    new_key,
    running,
    service_settings,
    work_off,
)
from tests.servers.postgres import State
from upheld_service.db.queue import Work
from upheld_service.jobs.tasks import Works
from upheld_service.jobs.uploads import sweep

pytestmark = pytest.mark.real
TOWER = "/v1/collections/staff/documents/tower"
PDF = make_pdf([["The tower opens at", "nine and closes"], ["at dusk."]])


@pytest.fixture
async def app(own_state: State, tmp_path: Path) -> AsyncIterator[FastAPI]:
    async with running(service_settings(own_state, Place(str(tmp_path)))) as started:
        yield started


def uploads(folder: Path) -> list[bytes]:
    return [each.read_bytes() for each in folder.rglob("_uploads/**/*") if each.is_file()]


async def test_a_pdf_is_shown_with_its_quote_marked_and_deleted_to_the_last_byte(
    own_state: State, app: FastAPI, tmp_path: Path
) -> None:
    key, stranger = (
        await new_key(own_state, tenant="museum"),
        await new_key(own_state, tenant="museum", labels=["it"]),
    )
    async with client(app, key) as caller, client(app, stranger) as other:
        sent = await caller.put(TOWER, content=PDF, params={"name": "tower.pdf", "label": "hr"})
        assert sent.status_code == 202
        assert (await caller.get(f"{TOWER}/original")).status_code == 404  # not read yet
        await work_off(app, own_state)
        document = (await caller.get(TOWER)).json()
        assert (document["original"], document["pages"]) == ("application/pdf", 2)

        file = await caller.get(f"{TOWER}/original")
        assert file.content == PDF
        assert file.headers["content-type"] == "application/pdf"
        assert file.headers["content-disposition"] == "attachment; filename*=UTF-8''tower.pdf"
        assert "sandbox" in file.headers["content-security-policy"]
        assert file.headers["x-content-type-options"] == "nosniff"

        picture = await caller.get(f"{TOWER}/pages/2.png", params={"width": 200})
        assert (picture.status_code, picture.headers["content-type"]) == (200, "image/png")
        assert picture.content.startswith(b"\x89PNG")
        assert (await caller.get(f"{TOWER}/pages/3.png")).status_code == 404

        text = (await caller.get(f"{TOWER}/text")).json()["text"]
        start = text.index("nine")
        span = {"version": document["version"], "start": start, "end": len(text)}
        found = (await caller.get(f"{TOWER}/pages", params=span)).json()
        assert found["count"] == 2
        assert [each["page"] for each in found["pages"]] == [1, 2]
        assert [len(each["rectangles"]) for each in found["pages"]] == [1, 1]
        assert (await caller.get(f"{TOWER}/pages")).json()["pages"] == []
        gone = await caller.get(f"{TOWER}/pages", params=span | {"version": "0" * 32})
        assert (gone.status_code, gone.json()["code"]) == (409, "conflict")

        for path in ("original", "pages", "pages/1.png", "text"):
            assert (await other.get(f"{TOWER}/{path}")).status_code == 404

        # A page that reads differently than it was indexed is not marked.
        now(own_state, "UPDATE documents SET page_starts = '{0,5}'")
        moved = await caller.get(f"{TOWER}/pages", params=span)
        assert (moved.status_code, "reads differently" in moved.json()["detail"]) == (409, True)

        assert uploads(tmp_path) == [PDF]
        await caller.delete(TOWER)
        assert (await caller.get(f"{TOWER}/original")).status_code == 404
        await work_off(app, own_state)
        assert uploads(tmp_path) == []


async def test_the_original_is_always_of_the_text_that_is_shown(
    own_state: State, app: FastAPI, tmp_path: Path
) -> None:
    async with client(app, await new_key(own_state)) as caller:
        await give(caller, "tower", "It opens at nine.", "hr")
        await work_off(app, own_state)
        assert (await caller.get(f"{TOWER}/original")).text == "It opens at nine."
        reply = await caller.get(f"{TOWER}/pages/1.png")
        assert (reply.status_code, reply.json()["detail"]) == (404, "This document has no pages.")
        # Replaced, the old bytes go at once: they may be for other labels.
        await give(caller, "tower", "It opens at ten.")
        assert uploads(tmp_path) == [b"It opens at ten."]
        assert (await caller.get(f"{TOWER}/original")).status_code == 404
        row = (await caller.get(TOWER)).json()
        assert (row["status"], row["original"]) == ("pending", None)
        # Read twice, as jobs may be, it is stored once; a sweep leaves it.
        service = app.state.service
        (tenant,) = service.tenant_indexes._open
        work, works = Work(tenant, "staff"), Works(service)
        await asyncio.gather(works.ingest(work), works.ingest(work))
        await sweep(service, work, grace=timedelta(seconds=-60))
        assert (await caller.get(f"{TOWER}/original")).text == "It opens at ten."
        assert uploads(tmp_path) == [b"It opens at ten."]


async def test_without_the_setting_nothing_is_stored(own_state: State, tmp_path: Path) -> None:
    settings = service_settings(own_state, Place(str(tmp_path)), keep_originals=False)
    async with running(settings) as app, client(app, await new_key(own_state)) as caller:
        await give(caller, "tower", "It opens at nine.")
        await work_off(app, own_state)
        assert uploads(tmp_path) == []
        reply = await caller.get(f"{TOWER}/original")
        assert (reply.status_code, "…/text" in reply.json()["help"]) == (404, True)
        assert (await caller.get(TOWER)).json()["status"] == "ready"


async def test_the_passages_of_a_document_are_listed_in_their_order(
    own_state: State, app: FastAPI
) -> None:
    key = await new_key(own_state, tenant="museum")
    stranger = await new_key(own_state, tenant="museum", labels=["it"])
    paragraphs = [f"Room {number} has {number} chairs. " * 40 for number in range(1, 6)]
    async with client(app, key) as caller, client(app, stranger) as other:
        await give(caller, "tower", "\n\n".join(paragraphs), "hr")
        assert (await caller.get(f"{TOWER}/passages")).status_code == 404  # not read yet
        await work_off(app, own_state)
        found = (await caller.get(f"{TOWER}/passages")).json()
        text = (await caller.get(f"{TOWER}/text")).json()
        places = [(each["start"], each["end"]) for each in found["passages"]]
        assert places == sorted(places)
        assert found["count"] == len(places) > 1
        assert [each["number"] for each in found["passages"]] == [*range(1, len(places) + 1)]
        assert text["text"][slice(*places[0])].startswith("Room 1")
        assert found["version"] == text["version"]
        some = {"start": places[1][0], "end": places[1][1], "version": found["version"]}
        [only] = (await caller.get(f"{TOWER}/passages", params=some)).json()["passages"]
        assert only["number"] == 2
        old = await caller.get(f"{TOWER}/passages", params={"version": "0" * 32})
        assert old.status_code == 409
        assert (await other.get(f"{TOWER}/passages")).status_code == 404

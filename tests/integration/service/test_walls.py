"""Over HTTP, too, nothing of one tenant or label is there for another."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from fastapi import FastAPI

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
        assert (await guide.delete("/v1/collections/staff")).json()["documents"] == 0
        await work_off(app, own_state)
        assert (await owner.get(f"{DOCUMENTS}/safe")).json()["status"] == "ready"

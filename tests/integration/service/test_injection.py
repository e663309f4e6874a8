"""Values that callers choose stay values: in SQL, in paths and in lines of the log."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

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
from upheld_service.telemetry.logs import JsonLines

pytestmark = pytest.mark.real
DOCUMENTS = "/v1/collections/staff/documents"
SQL = (
    "x'; DROP TABLE documents; --",
    "' OR '1'='1",
    "a\\' OR 1=1 --",
    "{vault}",
    "',vault,'",
    '"}, {"vault',
    "$1",
    "%s",
    "NULL",
    "x') OR true --",
)
PATHS = (
    "../other",
    "..",
    ".",
    "%2e%2e",
    "..%2f..%2fetc%2fpasswd",
    "a/../../b",
    "/etc/passwd",
    "a\\b",
)
LINES = ("one\ntwo", 'x"}\n{"level": "INFO", "message": "forged"}', "\u2028", "\r\nSet-Cookie: a=b")


@pytest.fixture
async def app(own_state: State, tmp_path: Path) -> AsyncIterator[FastAPI]:
    async with running(service_settings(own_state, Place(str(tmp_path / "kb")))) as it:
        yield it


async def test_values_are_no_sql(own_state: State, app: FastAPI) -> None:
    async with (
        client(app, await new_key(own_state, tenant="museum")) as owner,
        client(app, await new_key(own_state, tenant="museum", labels=SQL)) as odd,
    ):
        await give(owner, "safe", "The code of the safe is Heliotrope.", "vault")
        await give(owner, "rota", "The tower opens at nine.")
        await work_off(app, own_state)
        for value in SQL:
            for path in (f"{DOCUMENTS}/{quote(value, safe='')}", f"/v1/collections/{quote(value)}"):
                assert (await owner.delete(path)).status_code in (404, 405, 422)
            reply = await ask(odd, value)
            assert reply.status_code == 200
            assert "Heliotrope" not in reply.text
            asked = {"question": "When?", "collection": value}
            assert (await owner.post("/v1/answers", json=asked)).status_code in (404, 422)
            once = {"Idempotency-Key": value.encode("ascii", "ignore").decode()}
            assert (await odd.delete(f"{DOCUMENTS}/none", headers=once)).status_code == 404
        # A key whose labels look like SQL or like an array sees what has no label, and no more.
        listed = (await odd.get(DOCUMENTS)).json()["documents"]
        assert [each["id"] for each in listed] == ["rota"]
        assert (await odd.get(f"{DOCUMENTS}/safe")).status_code == 404
        assert len((await owner.get(DOCUMENTS)).json()["documents"]) == 2


async def test_names_are_no_paths(own_state: State, app: FastAPI, tmp_path: Path) -> None:
    before = _outside(tmp_path)
    async with client(app, await new_key(own_state)) as caller:
        for value in PATHS:
            spelt = quote(value, safe="%")
            for path in (f"{DOCUMENTS}/{spelt}", f"/v1/collections/{spelt}/documents/a"):
                for name in (None, value):
                    reply = await caller.put(
                        path,
                        content=b"Mine.",
                        headers={"Content-Type": "text/plain"},
                        params=None if name is None else {"name": name},
                    )
                    assert reply.status_code in (400, 404, 405, 422), (path, name, reply.text)
                assert (await caller.get(f"{path}/text")).status_code in (404, 405, 422)
        await work_off(app, own_state)
        assert (await caller.get("/v1/collections")).json() == {"collections": []}
    assert _outside(tmp_path) == before


async def test_what_callers_send_begins_no_line_of_the_log(own_state: State, app: FastAPI) -> None:
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(JsonLines())
    ours = logging.getLogger("upheld")
    level = ours.level
    ours.addHandler(handler)
    ours.setLevel(logging.DEBUG)
    try:
        async with client(app, await new_key(own_state)) as caller:
            for value in LINES:
                await ask(caller, value)
                await caller.get(f"/v1/{quote(value)}")
                await caller.put(f"{DOCUMENTS}/a", content=b"x", params={"name": value})
                sent = quote(value)
                await caller.get("/v1/jobs", headers={"X-Request-Id": sent, "User-Agent": sent})
    finally:
        ours.removeHandler(handler)
        ours.setLevel(level)
    lines = written.getvalue().split("\n")[:-1]
    assert len(lines) >= 4 * len(LINES)
    for line in lines:
        told = json.loads(line)
        assert told["message"] != "forged"
        assert not any(value in line for value in (*LINES, "Set-Cookie", "forged"))


def _outside(folder: Path) -> list[Path]:
    """All files but those of the service's own storage."""
    return sorted(each for each in folder.rglob("*") if "kb" not in each.parts)

"""Pages of the web as documents, fetched by a job from addresses that are not ours."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path

import pytest
from fastapi import FastAPI

from tests.integration.places import Place
from tests.integration.service.serving import (
    ask,
    client,
    new_key,
    running,
    service_settings,
    work_off,
)
from tests.servers.postgres import State
from tests.servers.site import Resource, running_site
from upheld.edge.web.fetch import Fetcher

pytestmark = pytest.mark.real
PAGE = "<html><body><article><p>The lighthouse opens at nine every day.</p></article></body></html>"
TOWER = "/v1/collections/staff/documents/tower"


@pytest.fixture
async def app(own_state: State, tmp_path: Path) -> AsyncIterator[FastAPI]:
    async with running(service_settings(own_state, Place(str(tmp_path)))) as it:
        yield it


async def test_a_page_is_fetched_and_cited(own_state: State, app: FastAPI) -> None:
    with running_site({"/tower": Resource(PAGE)}, ()) as site:
        fetch = Fetcher(allow=frozenset({ip_network("127.0.0.0/8")}), ports=frozenset({site.port}))
        app.state.service = replace(app.state.service, fetch=fetch)
        async with client(app, await new_key(own_state)) as caller:
            reply = await caller.put(TOWER, json={"url": f"{site.url}/tower"})
            assert reply.status_code == 202
            await work_off(app, own_state)
            assert (await caller.get(TOWER)).json()["status"] == "ready"
            answer = (await ask(caller, "When does the lighthouse open?")).json()
            assert answer["sources"][0]["uri"] == f"{site.url}/tower"
            await caller.put(TOWER, json={"url": f"{site.url}/gone"})
            await work_off(app, own_state)
            document = (await caller.get(TOWER)).json()
            assert (document["status"], "404" in document["error"]) == ("failed", True)
        await fetch.close()


@pytest.mark.parametrize("missing", ["protego", "httpx2"])
async def test_without_the_extra_a_page_is_refused_at_once(
    own_state: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    for name in (missing, "upheld.edge.web.fetch"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with monkeypatch.context() as without:
        without.setitem(sys.modules, missing, None)
        life = running(service_settings(own_state, Place(str(tmp_path))))
        app = await life.__aenter__()
    async with client(app, await new_key(own_state)) as caller:
        reply = await caller.put(TOWER, json={"url": "https://example.org/tower"})
        assert (reply.status_code, reply.json()["code"]) == (501, "missing_extra")
        assert "upheld[web]" in reply.json()["help"]
        assert (await caller.get(TOWER)).status_code == 404
        assert (await caller.get("/v1/jobs")).json() == {"jobs": []}
    await life.__aexit__(None, None, None)


async def test_our_own_network_is_not_fetched(own_state: State, app: FastAPI) -> None:
    with running_site({"/tower": Resource(PAGE)}, ()) as site:
        async with client(app, await new_key(own_state)) as caller:
            await caller.put(TOWER, json={"url": f"{site.url}/tower"})
            await work_off(app, own_state)
            assert (await caller.get(TOWER)).json()["status"] == "failed"
        assert site.asked == []


NO_ADDRESSES: tuple[object, ...] = (
    {"url": "file:///etc/passwd"},
    {"url": 1},
    {},
    [],
    {"url": "http://a", "x": 1},
)


async def test_what_is_no_address_is_refused(own_state: State, app: FastAPI) -> None:
    async with client(app, await new_key(own_state)) as caller:
        for body in NO_ADDRESSES:
            reply = await caller.put(TOWER, json=body)
            assert (reply.status_code, reply.json()["code"]) == (400, "usage")
        app.state.service = replace(app.state.service, fetch=None)
        reply = await caller.put(TOWER, json={"url": "https://example.org"})
        assert (reply.status_code, reply.json()["code"]) == (501, "missing_extra")

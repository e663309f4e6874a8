"""A browser's login: a key becomes a cookie that scripts cannot read and other sites cannot use."""

from __future__ import annotations

from collections.abc import AsyncIterator
from http.cookies import SimpleCookie
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI

from tests.integration.places import Place
from tests.integration.service.people import new_tenant
from tests.integration.service.queueing import now
from tests.integration.service.serving import client, give, new_key, running, service_settings
from tests.servers.postgres import State
from upheld_service.db import keys
from upheld_service.db.database import admin_session
from upheld_service.db.keys import KeyScope
from upheld_service.db.sessions import hash_of

pytestmark = pytest.mark.real
OURS = {"X-Upheld-Request": "1"}


@pytest.fixture
async def app(own_state: State, tmp_path: Path) -> AsyncIterator[FastAPI]:
    settings = service_settings(own_state, Place(str(tmp_path)))
    async with running(settings) as started:
        yield started


async def logged_in(app: FastAPI, key: object) -> tuple[httpx2.AsyncClient, SimpleCookie]:
    """A browser with nothing but the cookie."""
    async with client(app, key) as caller:  # type: ignore[arg-type]
        reply = await caller.post("/v1/session")
    assert reply.status_code == 200, reply.text
    cookie = SimpleCookie(reply.headers["set-cookie"])
    browser = client(app)
    browser.headers["Cookie"] = f"upheld_session={cookie['upheld_session'].value}"
    return browser, cookie


async def test_a_key_becomes_a_cookie_with_its_scopes_and_labels(
    own_state: State, app: FastAPI
) -> None:
    owner = await new_key(own_state, tenant="museum")
    key = await new_key(own_state, tenant="museum", scopes=[KeyScope.READ], labels=["it"])
    async with client(app, owner) as caller:
        await give(caller, "pay", "It is secret.", "hr")
        await give(caller, "menu", "It is soup.", "it")
    browser, cookie = await logged_in(app, key)
    async with browser:
        sent = cookie["upheld_session"]
        assert (sent["httponly"], sent["samesite"], sent["secure"]) == (True, "strict", "")
        assert key.get_secret_value() not in sent.value
        who = (await browser.get("/v1/session")).json()
        assert (who["scopes"], who["labels"], who["dev"]) == (["read"], ["it"], False)
        assert who["expires_at"] is not None
        listed = (await browser.get("/v1/collections/staff/documents")).json()["documents"]
        assert [each["id"] for each in listed] == ["menu"]
        refused = await browser.delete("/v1/collections/staff", headers=OURS)
        assert (refused.status_code, refused.json()["code"]) == (403, "not_allowed")
        assert "scope" in refused.json()["detail"]


async def test_other_sites_cannot_use_the_cookie(own_state: State, app: FastAPI) -> None:
    browser, _ = await logged_in(app, await new_key(own_state))
    async with browser:
        for headers in (
            {},  # a form of another port has the cookie, but not the header
            OURS | {"Sec-Fetch-Site": "cross-site"},
            OURS | {"Sec-Fetch-Site": "same-site"},
            OURS | {"Origin": "http://evil.example"},
        ):
            reply = await browser.delete("/v1/collections/staff", headers=headers)
            assert (reply.status_code, "Another site" in reply.json()["detail"]) == (403, True)
        reply = await browser.get("/v1/collections", headers={"Sec-Fetch-Site": "cross-site"})
        assert reply.status_code == 403
        ours = OURS | {"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"}
        reply = await browser.delete("/v1/collections/staff", headers=ours)
        assert reply.status_code == 404
        assert (await browser.post("/v1/session", headers=OURS)).status_code == 403


@pytest.mark.parametrize("how", ["logout", "revoked", "expired", "forged"])
async def test_a_session_ends(own_state: State, app: FastAPI, how: str) -> None:
    key = await new_key(own_state)
    browser, cookie = await logged_in(app, key)
    async with browser:
        assert (await browser.get("/v1/collections")).status_code == 200
        if how == "logout":
            reply = await browser.delete("/v1/session", headers=OURS)
            assert reply.status_code == 204
            assert "Max-Age=0" in reply.headers["set-cookie"]
        elif how == "revoked":
            async with admin_session(own_state.owner) as admin:
                await keys.revoke(admin, key.get_secret_value().split("_")[1])
        elif how == "expired":
            now(own_state, "UPDATE sessions SET expires_at = now() - interval '1 second'")
        else:
            stored = hash_of(cookie["upheld_session"].value).hex()
            browser.headers["Cookie"] = f"upheld_session={stored}"
        reply = await browser.get("/v1/collections")
        assert (reply.status_code, reply.json()["code"]) == (401, "unknown_caller")


async def test_over_https_the_cookie_is_for_https_alone(own_state: State, tmp_path: Path) -> None:
    public = service_settings(own_state, Place(str(tmp_path)), public_url="https://a.example")
    async with running(public) as app:
        _, cookie = await logged_in(app, await new_key(own_state))
        assert cookie["upheld_session"]["secure"] is True


async def test_in_dev_nobody_logs_in_and_no_other_site_gets_in(
    own_state: State, tmp_path: Path
) -> None:
    tenant = await new_tenant(own_state.owner)
    settings = service_settings(own_state, Place(str(tmp_path)))
    async with running(settings, dev=tenant) as app, client(app) as caller:
        assert (await caller.get("/v1/session")).json()["dev"] is True
        reply = await caller.post("/v1/session")
        assert (reply.status_code, "set-cookie" in reply.headers) == (200, False)
        for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "http://evil.example"}):
            reply = await caller.post("/v1/session", headers=headers)
            assert reply.status_code == 403

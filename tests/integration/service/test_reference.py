"""`/docs` in a real browser: it shows every route, and loads nothing but itself."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fastapi import FastAPI
from playwright.async_api import async_playwright

from tests.integration.engine.test_bench_page import FLAGS
from tests.integration.places import Place
from tests.integration.service.listening import listening
from tests.integration.service.serving import client, running, service_settings
from tests.servers.postgres import State
from upheld_service.http.reference import page

pytestmark = pytest.mark.real
HOSTILE = '<script>alert(1)</script>"onload="x'


@pytest.fixture
async def app(state: State, tmp_path: Path) -> AsyncIterator[FastAPI]:
    async with running(service_settings(state, Place(str(tmp_path)))) as it:
        yield it


class Loads(HTMLParser):
    """Everything in a page that could make a browser ask for something."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        named = ("src", "href", "srcset", "action", "data", "poster", "background", "ping")
        self.addresses += [value or "" for name, value in attrs if name in named]
        assert not [name for name, _ in attrs if name.startswith("on")]


async def test_the_page_has_no_address_of_anybody_else(app: FastAPI) -> None:
    async with client(app) as anyone:
        reply = await anyone.get("/docs")
        assert reply.status_code == 200
        assert (await anyone.get("/redoc")).status_code == 404
    assert reply.headers["content-security-policy"].startswith("default-src 'none'")
    seen = Loads()
    seen.feed(reply.text)
    assert not seen.tags & {"script", "link", "iframe", "img", "object", "embed", "form", "base"}
    assert all(each == "openapi.json" or each.startswith("#") for each in seen.addresses)
    assert "url(" not in reply.text
    assert "@import" not in reply.text
    for path, methods in app.openapi()["paths"].items():
        for method in methods:
            assert f"<code>{method.upper()} {path}</code>" in reply.text
    for link in {each[1:] for each in seen.addresses if each.startswith("#")}:
        assert f'id="{link}"' in reply.text


def test_words_of_the_document_are_no_markup() -> None:
    operation = {
        "summary": HOSTILE,
        "description": HOSTILE,
        "tags": [HOSTILE],
        "parameters": [{"name": HOSTILE, "in": HOSTILE, "description": HOSTILE}],
        "responses": {"200": {"description": HOSTILE, "content": {HOSTILE: {"schema": {}}}}},
    }
    made = page(
        {
            "info": {"title": HOSTILE, "version": HOSTILE, "summary": HOSTILE},
            "paths": {HOSTILE: {"get": operation}},
            "components": {"schemas": {HOSTILE: {"description": HOSTILE}}},
        }
    )
    seen = Loads()
    seen.feed(made)
    assert "script" not in seen.tags


async def test_a_browser_without_a_network_shows_it(state: State, tmp_path: Path) -> None:
    chromium = shutil.which("chromium")
    assert chromium is not None
    asked: list[str] = []
    said: list[str] = []
    async with (
        listening(service_settings(state, Place(str(tmp_path)))) as (_, url),
        async_playwright() as driver,
    ):
        browser = await driver.chromium.launch(executable_path=chromium, args=FLAGS)
        shown = await browser.new_page()
        shown.on("request", lambda request: asked.append(request.url))
        shown.on("console", lambda message: said.append(message.text))
        await shown.route(lambda address: not address.startswith(url), lambda route: route.abort())
        await shown.goto(f"{url}/docs")
        assert await shown.locator("h3 code").count() > 20
        assert await shown.get_by_text("POST /v1/answers", exact=True).is_visible()
        await shown.locator("details").first.locator("summary").click()
        assert await shown.locator("details[open] pre").first.is_visible()
        await browser.close()
    assert {each for each in asked if each != f"{url}/favicon.ico"} == {f"{url}/docs"}
    assert said == []

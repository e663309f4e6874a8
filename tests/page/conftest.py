"""A real service with PostgreSQL and the models that are shipped, and a browser."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.integration.places import Place
from tests.integration.service.listening import listening
from tests.integration.service.serving import new_key, service_settings
from tests.page.visiting import FLAGS, Served, Visitor
from tests.servers.postgres import new_state, running_postgres
from upheld._internal.loop_thread import LoopThread

CHROMIUM = shutil.which("chromium")


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The service at an address, with its worker; each test has a tenant of its own."""
    loop, stack = LoopThread(), AsyncExitStack()
    with running_postgres() as postgres:
        state = new_state(postgres)
        place = Place(str(tmp_path_factory.mktemp("kb")))
        settings = service_settings(state, place, local_models=True)

        async def start() -> str:
            _, url = await stack.enter_async_context(listening(settings, works=True))
            return url

        def key() -> str:
            made = loop.run(new_key(state, tenant=f"tenant-{uuid4().hex[:8]}"))
            return made.get_secret_value()

        try:
            yield Served(loop.run(start()), key)
        finally:
            loop.run(stack.aclose())
            loop.stop()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def visit(served: Served, chromium: Browser) -> Iterator[Callable[..., Visitor]]:
    """Open the page as somebody; at the end, nothing may have been complained about."""
    visitors: list[Visitor] = []

    def open_page(key: str | None = None, **look: Any) -> Visitor:
        visitors.append(Visitor(chromium, served, key or served.new_key(), **look))
        return visitors[-1]

    yield open_page
    for each in visitors:
        each.leave()

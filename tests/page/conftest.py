"""A real service with PostgreSQL and the models that are shipped, and a browser."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
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
from upheld_service.db.dev_postgres import PrivatePostgres

CHROMIUM = shutil.which("chromium")


@pytest.fixture(scope="session")
def postgres() -> Iterator[PrivatePostgres]:
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def loop() -> Iterator[LoopThread]:
    """Services run beside the browser, whose calls block."""
    started = LoopThread()
    yield started
    started.stop()


@contextmanager
def serving(
    loop: LoopThread, postgres: PrivatePostgres, folder: Path, **more: object
) -> Iterator[Served]:
    """A service at an address, with its worker; each key is of a tenant of its own."""
    stack, state = AsyncExitStack(), new_state(postgres)
    settings = service_settings(state, Place(str(folder)), **more)

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


@pytest.fixture(scope="session")
def served(
    loop: LoopThread, postgres: PrivatePostgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """The service that most tests share; it quotes, as there is no language model."""
    with serving(loop, postgres, tmp_path_factory.mktemp("kb"), local_models=True) as started:
        yield started


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[Callable[..., Visitor]]:
    """Open the page of a service; at the end, nothing may have been complained about."""
    visitors: list[Visitor] = []

    def visit(at: Served, key: str | None = None, **look: Any) -> Visitor:
        visitors.append(Visitor(chromium, at, key or at.new_key(), **look))
        return visitors[-1]

    yield visit
    for each in visitors:
        each.leave()


@pytest.fixture
def visit(served: Served, open_page: Callable[..., Visitor]) -> Callable[..., Visitor]:
    """Open the page of the shared service."""

    def visit(key: str | None = None, **look: Any) -> Visitor:
        return open_page(served, key, **look)

    return visit

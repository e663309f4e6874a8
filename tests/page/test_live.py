"""An answer while it is written: sentences come as they are verified, and can be stopped."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.integration.service.test_first_sentence import FIRST, SECOND, slow_model
from tests.page.conftest import serving
from tests.page.visiting import Visitor
from tests.servers.llama import MODEL, llama_server
from upheld._internal.loop_thread import LoopThread
from upheld_service.db.dev_postgres import PrivatePostgres

__all__ = ["llama_server"]  # the fixture
pytestmark = pytest.mark.real
QUESTION = "When does the lighthouse open?"
PICTURES = os.environ.get("PAGE_PICTURES")


def test_a_sentence_is_shown_before_the_next_is_written(
    loop: LoopThread,
    postgres: PrivatePostgres,
    tmp_path: Path,
    open_page: Callable[..., Visitor],
) -> None:
    writing = slow_model()
    model = loop.run(writing.__aenter__())
    with serving(loop, postgres, tmp_path, llm_url=model.url, llm_model="m") as served:
        visitor = open_page(served)
        page = visitor.page
        served.give(visitor.key, {"rota.txt": f"{FIRST} {SECOND}".encode()})
        visitor.enter("/")
        page.get_by_label("Your question").fill(QUESTION)
        page.keyboard.press("Enter")
        claims = page.locator(".claim")
        expect(claims).to_have_count(1)  # the model waits before it writes the second
        expect(claims).to_contain_text(FIRST)
        expect(page.locator(".steps")).to_contain_text("Searched the documents")
        expect(page.locator("[aria-live]")).to_contain_text(f"Sentence 1, supported: {FIRST}")
        expect(page.locator("mark")).to_have_text(FIRST)  # its source is open already
        if PICTURES:
            page.wait_for_timeout(300)
            page.screenshot(path=f"{PICTURES}/live-1440-light.png")
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_text("You stopped it.")).to_be_visible()
        expect(claims).to_have_count(1)

        async def go_on() -> None:
            model.go_on.set()

        loop.run(go_on())
        page.get_by_role("button", name="Ask again").click()
        page.wait_for_url("**/read/default/*")
        expect(claims).to_have_count(2)
        expect(claims.last).to_contain_text(SECOND)
        expect(page.locator("[aria-live]")).to_contain_text("The answer is complete: 2 supported")
        visitor.leave()
    loop.run(writing.__aexit__(None, None, None))


@pytest.mark.timeout(600)
def test_a_language_model_writes(
    loop: LoopThread,
    postgres: PrivatePostgres,
    tmp_path: Path,
    llama_server: str,
    open_page: Callable[..., Visitor],
) -> None:
    model = {
        "llm_url": llama_server,
        "llm_model": MODEL,
        "answer_tokens": 40,
        "answer_seconds": 200,
    }
    with serving(loop, postgres, tmp_path, **model) as served:
        visitor = open_page(served)
        page = visitor.page
        served.give(visitor.key, {"rota.txt": f"{FIRST} {SECOND}".encode()})
        visitor.enter("/")
        page.get_by_label("Your question").fill(QUESTION)
        page.keyboard.press("Enter")
        page.wait_for_url("**/read/default/*", timeout=200_000)
        page.locator(".steps summary").click()
        expect(page.locator(".steps")).to_contain_text("Wrote a draft")
        expect(page.get_by_text("Method rag")).to_be_visible()
        visitor.leave()

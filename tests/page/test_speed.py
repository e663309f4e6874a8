"""Long answers and long documents stay quick; alone, as the clock is looked at."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.documents import make_pdf
from tests.page.samples import FILES
from tests.page.visiting import Served, Visitor

pytestmark = [pytest.mark.real, pytest.mark.alone]
LONGEST_TASK_MS = 100
PAGES = 300


def test_two_hundred_sentences_scroll_and_select(
    served: Served, visit: Callable[..., Visitor]
) -> None:
    visitor = visit()
    page = visitor.page
    served.give(visitor.key, {"birds.md": FILES["birds.md"]()})
    answer = copy.deepcopy(served.ask(visitor.key, "When do swifts return?"))
    claim = answer["claims"][0]
    twice = [*claim["citations"][:1], {**claim["citations"][0], "start": 0, "end": 10}]
    answer["claims"] = [
        {**claim, "text": f"{n}. {claim['text']}", "citations": twice} for n in range(200)
    ]
    body = json.dumps(answer)
    page.route(
        "**/v1/answers/*", lambda route: route.fulfill(body=body, content_type="application/json")
    )
    visitor.enter(f"/read/default/{answer['id']}")
    expect(page.locator(".claim")).to_have_count(200)
    page.wait_for_load_state("networkidle")
    page.evaluate(
        """() => {
            window.longTasks = [];
            new PerformanceObserver((list) => {
                window.longTasks.push(...list.getEntries().map((each) => each.duration));
            }).observe({type: 'longtask'});
        }"""
    )
    for _ in range(30):
        page.keyboard.press("j")
    page.mouse.move(400, 500)
    for _ in range(30):
        page.mouse.wheel(0, 900)
    page.locator(".claim").nth(180).get_by_role("button").click()
    page.wait_for_timeout(500)
    tasks = page.evaluate("window.longTasks")
    assert max(tasks, default=0) <= LONGEST_TASK_MS


def test_a_long_document_opens_at_its_page(served: Served, visit: Callable[..., Visitor]) -> None:
    visitor = visit()
    page = visitor.page
    pages = [[f"Room {n} has {n} chairs.", "It is quiet."] for n in range(1, PAGES + 1)]
    served.give(visitor.key, {"rooms.pdf": make_pdf(pages), "birds.md": FILES["birds.md"]()})
    first = served.ask(visitor.key, "How many chairs does room 12 have?")
    with served.client(visitor.key) as caller:
        whole = caller.get("/v1/collections/default/documents/rooms/text").json()
    start = whole["text"].index("Room 287 has")
    answer = copy.deepcopy(first)
    claim = copy.deepcopy(first["claims"][0])
    for citation in (*claim["citations"], *claim["verdict"]["evidence_for"]):
        citation |= {"document_id": "rooms", "document_version": whole["version"]}
        citation |= {"start": start, "end": start + 20, "page": 287}
    answer["claims"] = [first["claims"][0], claim]
    body = json.dumps(answer)
    page.route(
        "**/v1/answers/*", lambda route: route.fulfill(body=body, content_type="application/json")
    )
    visitor.enter(f"/read/default/{answer['id']}")
    page.locator(".rectangle").first.wait_for()
    began = time.monotonic()
    page.keyboard.press("j")
    expect(page.locator(".paper img")).to_have_attribute("alt", "Page 287 of the document")
    page.locator(".rectangle").first.wait_for()
    assert time.monotonic() - began < 1

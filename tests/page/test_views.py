"""Every view, light and dark, on a phone and on a desk: accessible, and nothing sticks out."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.page.samples import FILES
from tests.page.visiting import Served, Visitor

pytestmark = pytest.mark.real
AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
# Together the two of the gate have both widths and both schemes.
LONG = pytest.mark.campaign
LOOKS = [
    pytest.param(1440, "light"),
    pytest.param(390, "dark"),
    pytest.param(1440, "dark", marks=LONG),
    pytest.param(390, "light", marks=LONG),
]
QUESTION = "How many visitors did the lighthouse have in 2025?"
ANSWER = (
    "The lighthouse opens at nine in the morning. [1] The tower is 60 metres high. [1] Visitors "
    "climb 199 steps to the gallery. [1] Dogs are welcome on the gallery."
)
SOURCE = (
    "The lighthouse opens at nine in the morning and closes at six in the evening. The tower is 42 "
    "metres high. Visitors climb 199 steps to the gallery."
)
# Pictures for docs/page.md: PAGE_PICTURES=folder.
PICTURES = os.environ.get("PAGE_PICTURES")


class Views:
    """Looks at views one after the other, and says what is wrong with each."""

    def __init__(self, visitor: Visitor, look: str) -> None:
        self.visitor, self.page, self.look = visitor, visitor.page, look
        self.faults: list[str] = []

    def see(self, name: str) -> None:
        self.page.evaluate("document.fonts.ready")
        self.page.wait_for_timeout(300)  # what moves has arrived
        self.faults += [f"{name}: {each}" for each in violations(self.page)]
        if self.visitor.overflow() > 0:
            self.faults.append(f"{name}: {self.visitor.overflow()} pixels too wide")
        if PICTURES:
            self.page.screenshot(path=f"{PICTURES}/{name}-{self.look}.png")


def violations(page: Page) -> list[str]:
    """What axe-core finds serious or critical; run outside of the page's policy."""
    found: dict[str, Any] = page.evaluate(
        "async () => await axe.run(document, {resultTypes: ['violations']})"
    )
    return [
        f"{each['id']} {[node['target'] for node in each['nodes']][:3]}"
        for each in found["violations"]
        if each["impact"] in ("serious", "critical")
    ]


@pytest.fixture(scope="module")
def library(served: Served) -> tuple[str, dict[str, Any]]:
    """A key whose collection has four documents, and an answer."""
    key = served.new_key()
    served.give(key, {name: make() for name, make in FILES.items()})
    return key, served.ask(key, QUESTION)


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_every_view(
    library: tuple[str, dict[str, Any]], visit: Callable[..., Visitor], width: int, scheme: str
) -> None:
    key, answer = library
    # Of a service that is asked who is there, the browser reports the first 401 as an error.
    visitor = visit(
        key, width=width, scheme=scheme, height=900 if width > 500 else 844, expected=("401",)
    )
    views, page = Views(visitor, f"{width}-{scheme}"), visitor.page
    page.add_init_script(path=AXE)
    page.goto("/")
    page.get_by_label("Your key").wait_for()
    views.see("login")
    visitor.enter("/")
    page.get_by_label("Your question").fill(QUESTION)
    views.see("ask")
    page.goto(f"/read/default/{answer['id']}")
    page.locator(".claim").first.wait_for()
    page.keyboard.press("j")
    page.locator(".rectangle").first.wait_for()
    views.see("read")
    page.get_by_text("How sure is this?").click()
    page.get_by_role("button", name="Disagree").click()
    views.see("opinion")
    page.goto(f"/inside/default/{answer['id']}")
    page.locator(".waterfall").wait_for()
    views.see("inside")
    page.goto("/check")
    page.get_by_label("The answer", exact=True).fill(ANSWER)
    page.get_by_label("[1] Pasted text").fill(SOURCE)
    views.see("check")
    page.get_by_role("button", name="Check every sentence").click()
    page.locator(".claim").first.wait_for()
    page.keyboard.press("j")
    page.keyboard.press("j" if width < 500 else "k")
    views.see("checked")
    for path, name, wait in (
        ("/documents", "documents", ".document"),
        ("/documents/default/visit", "document", ".sheet"),
        ("/history", "history", ".past"),
        ("/review", "review", ".drawn"),
        ("/compare", "compare", ".compare-form"),
    ):
        page.goto(path)
        page.locator(wait).first.wait_for()
        views.see(name)
    page.goto("/documents")
    page.get_by_role("button", name="Delete birds").click()
    views.see("delete")
    assert views.faults == []


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_the_first_run(visit: Callable[..., Visitor], width: int, scheme: str) -> None:
    visitor = visit(width=width, scheme=scheme)
    views = Views(visitor, f"{width}-{scheme}")
    visitor.page.add_init_script(path=AXE)
    visitor.enter("/")
    visitor.page.get_by_text("Drop files here").wait_for()
    views.see("first-run")
    assert views.faults == []

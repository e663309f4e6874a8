"""Somebody who looks at the page, and what the browser has to say about it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2
from playwright.sync_api import Browser, ConsoleMessage, Page, Request

from upheld.ingest.read.pdf_positions import MarkedPage, Rectangle

FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Served:
    """A running service: its address, and new keys, each of a tenant of its own."""

    url: str
    new_key: Callable[[], str]

    def client(self, key: str) -> httpx2.Client:
        headers = {"Authorization": f"Bearer {key}"}
        return httpx2.Client(base_url=self.url, headers=headers, timeout=60)

    def give(
        self, key: str, files: dict[str, bytes], collection: str = "default", seconds: float = 60
    ) -> None:
        """Upload files, and wait until all of them are read."""
        with self.client(key) as caller:
            path = f"/v1/collections/{collection}/documents"
            for name, content in files.items():
                reply = caller.put(
                    f"{path}/{name.rpartition('.')[0]}",
                    params={"name": name},
                    content=content,
                    headers={"Content-Type": "application/octet-stream"},
                )
                assert reply.status_code == 202, reply.text
            deadline = time.monotonic() + seconds
            while any(each["status"] == "pending" for each in _listed(caller, path)):
                assert time.monotonic() < deadline
                time.sleep(0.1)

    def ask(self, key: str, question: str) -> dict[str, Any]:
        with self.client(key) as caller:
            reply = caller.post("/v1/answers", json={"question": question})
            assert reply.status_code == 200, reply.text
            answer: dict[str, Any] = reply.json()
            return answer


def _listed(caller: httpx2.Client, path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = caller.get(path, params={"limit": 100}).json()["documents"]
    return found


class Visitor:
    """A browser window, logged in with a key; complaints and foreign requests are remembered."""

    def __init__(
        self,
        browser: Browser,
        served: Served,
        key: str,
        *,
        width: int = 1440,
        height: int = 900,
        scheme: Any = "light",
        expected: tuple[str, ...] = (),
    ) -> None:
        self.served, self.key = served, key
        self.complaints: list[str] = []
        self.foreign: list[str] = []
        self._expected = expected  # parts of complaints that a test provokes
        self._context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, base_url=served.url
        )
        self.page: Page = self._context.new_page()
        self.page.set_default_timeout(30_000)
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.page.on("request", self._watch)
        self.page.on("popup", lambda popup: self.foreign.append(popup.url))

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _watch(self, request: Request) -> None:
        if request.url.startswith("blob:"):
            return
        if urlsplit(request.url).netloc != urlsplit(self.served.url).netloc:
            self.foreign.append(request.url)

    def log_in(self) -> None:
        """By the form, as people do; the browser itself reports the first 401."""
        self.page.goto("/")
        self.page.get_by_label("Your key").fill(self.key)
        self.page.get_by_role("button", name="Log in").click()
        self.page.get_by_role("navigation", name="Views").wait_for()
        self.complaints = [each for each in self.complaints if "401" not in each]

    def enter(self, path: str) -> None:
        """With a session that exists already."""
        headers = {"Authorization": f"Bearer {self.key}"}
        assert self._context.request.post("/v1/session", headers=headers).ok
        self.page.goto(path)
        self.page.get_by_role("navigation", name="Views").wait_for()

    def overflow(self) -> int:
        """How many pixels the page is wider than its window."""
        width: int = self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        return width

    def leave(self) -> None:
        """Close the window; nothing may have been complained about, or asked of other origins."""
        self._context.close()  # before its service ends; a second time does nothing
        unexpected = [
            each for each in self.complaints if not any(part in each for part in self._expected)
        ]
        assert not unexpected, unexpected
        assert not self.foreign, self.foreign


def on_paper(page: Page) -> MarkedPage:
    """The rectangles as they are on the screen, as shares of the page's picture."""
    boxes = page.evaluate(
        """() => {
            const paper = document.querySelector('.paper img').getBoundingClientRect();
            return [...document.querySelectorAll('.rectangle')].map((each) => {
                const box = each.getBoundingClientRect();
                return [(box.left - paper.left) / paper.width, (box.top - paper.top) / paper.height,
                        (box.right - paper.left) / paper.width,
                        (box.bottom - paper.top) / paper.height];
            });
        }"""
    )
    number = int(page.locator(".pager span").inner_text().split()[1])
    return MarkedPage(number - 1, 1, 1, tuple(Rectangle(*each) for each in boxes))

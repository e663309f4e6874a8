"""What lies under the drawn rectangles is the quote: read again from the PDF by its coordinates."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.documents import make_pdf
from tests.page.samples import FILES, report_pdf
from tests.page.visiting import Served, Visitor
from tests.pdf_letters import under
from tests.unit.ingest.test_read_pdf_positions import drawn
from upheld.ingest.read.pdf_positions import MarkedPage, Rectangle

pytestmark = pytest.mark.real
WORDS = (
    "The office of the first affluent official offers fine coffee to the staff",
    "and keeps a file of all flights that were confirmed on time.",
)


def pdfs() -> dict[str, bytes]:
    """Two columns, broken words, turned and cropped pages, and text over several pages."""
    turned = {
        f"turned-{angle}-{'cropped' if crop else 'whole'}.pdf": drawn(angle, crop)
        for angle in (0, 90, 180, 270)
        for crop in (False, True)
    }
    long = make_pdf([[f"{line} ({number})" for line in WORDS * 3] for number in range(4)])
    return {**turned, "long.pdf": long, "report.pdf": report_pdf()}


def spans(text: str, count: int) -> Iterator[tuple[int, int]]:
    """Spans by lot that begin and end at words."""
    lot = random.Random(7)  # the same spans each time
    begins = [at for at in range(len(text)) if at == 0 or text[at - 1].isspace()]
    ends = [at for at in range(1, len(text) + 1) if at == len(text) or text[at].isspace()]
    for _ in range(count):
        start = lot.choice(begins)
        later = [end for end in ends if start + 4 < end <= start + 300]
        if later and not text[start].isspace():
            yield start, lot.choice(later)


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


def shown(page: Page) -> list[MarkedPage]:
    """The rectangles of a quote on all of its pages."""
    page.locator(".rectangle").first.wait_for()
    marked = [on_paper(page)]
    if page.get_by_text("The quote goes over 2 pages").count():
        page.get_by_role("button", name="Next page").click()
        expect(page.locator(".paper img")).to_have_attribute(
            "alt", f"Page {marked[0].page + 2} of the document"
        )
        page.locator(".rectangle").first.wait_for()
        marked.append(on_paper(page))
    return marked


@pytest.mark.parametrize("each", [2, pytest.param(6, marks=pytest.mark.campaign)])
def test_quotes_are_marked_where_they_are(
    served: Served, visit: Callable[..., Visitor], each: int
) -> None:
    visitor, files = visit(), pdfs()
    page = visitor.page
    served.give(visitor.key, {**files, "birds.md": FILES["birds.md"]()})
    answer = copy.deepcopy(served.ask(visitor.key, "When do swifts return?"))
    model, quotes = answer["claims"][0], []
    for name in files:
        id = name.removesuffix(".pdf")
        with served.client(visitor.key) as caller:
            whole = caller.get(f"/v1/collections/default/documents/{id}/text").json()
        for start, end in spans(whole["text"], each):
            quotes.append((name, whole["text"][start:end]))
            answer["claims"].append(_cites(model, id, whole["version"], start, end))
    answer["claims"] = answer["claims"][len(answer["claims"]) - len(quotes) :]
    body = json.dumps(answer)
    page.route(
        "**/v1/answers/*", lambda route: route.fulfill(body=body, content_type="application/json")
    )
    visitor.enter(f"/read/default/{answer['id']}")
    wrong = []
    for number, (name, quote) in enumerate(quotes):
        page.locator(".claim").nth(number).get_by_role("button").press("Enter")
        page.get_by_role("complementary", name=f"Sources of sentence {number + 1}").wait_for()
        found = under(files[name], shown(page))
        if sorted(found) != sorted("".join(quote.split()).replace("-", "")):
            wrong.append((name, quote, found))
    assert wrong == []
    assert len(quotes) >= 10 * each - 2


def _cites(model: dict[str, Any], id: str, version: str, start: int, end: int) -> dict[str, Any]:
    place = {
        "document_id": id,
        "document_version": version,
        "start": start,
        "end": end,
        "page": None,
    }
    citation = {**model["citations"][0], **place, "title": id, "passage_id": id}
    verdict = {**model["verdict"], "evidence_for": [citation]}
    return {**model, "text": f"{id} {start}", "citations": [citation], "verdict": verdict}

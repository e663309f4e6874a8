"""What lies under the drawn rectangles is the quote: read again from the PDF by its coordinates."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.documents import make_pdf
from tests.page.conftest import serving
from tests.page.samples import FILES, report_pdf
from tests.page.visiting import Served, Visitor, on_paper
from tests.pdf_letters import under
from tests.real_pdfs import PACKAGES, is_quote, original
from tests.real_pdfs import quotes as drawn_quotes
from tests.unit.ingest.test_read_pdf_positions import drawn
from upheld._internal.loop_thread import LoopThread
from upheld.ingest.read import read
from upheld.ingest.read.pdf_positions import MarkedPage
from upheld.types import content_hash
from upheld_service.db.dev_postgres import PrivatePostgres

pytestmark = pytest.mark.real
Quote = tuple[str, str, int, int]  # the file, the words, and where they begin and end
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


@pytest.mark.parametrize("each", [1, pytest.param(6, marks=pytest.mark.campaign)])
def test_quotes_are_marked_where_they_are(
    served: Served, visit: Callable[..., Visitor], each: int
) -> None:
    visitor, files = visit(), pdfs()
    served.give(visitor.key, {**files, "birds.md": FILES["birds.md"]()})
    quotes = []
    for name, data in files.items():
        text = read(data, name).text
        quotes += [(name, text[start:end], start, end) for start, end in spans(text, each)]
    wrong = [
        (name, quote, found)
        for (name, quote, *_), found in zip(quotes, marked(visitor, files, quotes), strict=True)
        if sorted(found) != sorted("".join(quote.split()).replace("-", ""))
    ]
    assert wrong == []
    assert len(quotes) >= 10 * each - 2


@pytest.mark.campaign
@pytest.mark.timeout(1200)
def test_quotes_of_real_pdfs_are_marked_where_they_are(
    loop: LoopThread,
    postgres: PrivatePostgres,
    tmp_path: Path,
    open_page: Callable[..., Visitor],
) -> None:
    files = {f"{package}.pdf": original(package) for package in PACKAGES}
    with serving(loop, postgres, tmp_path) as served:
        visitor = open_page(served)
        served.give(visitor.key, {**files, "birds.md": FILES["birds.md"]()}, seconds=600)
        quotes = []
        for name, data in files.items():
            document = read(data, name)
            quotes += [(name, document.text[s:e], s, e) for s, e in drawn_quotes(document)]
        found = marked(visitor, files, quotes)
        visitor.leave()
    wrong = [
        (name, quote, letters)
        for (name, quote, *_), letters in zip(quotes, found, strict=True)
        if not is_quote(letters, quote)
    ]
    assert wrong == []
    assert len(quotes) == 50


def marked(visitor: Visitor, files: dict[str, bytes], quotes: Sequence[Quote]) -> list[str]:
    """The letters under the rectangles of each quote, in an answer that has them all."""
    page, served = visitor.page, visitor.served
    answer = copy.deepcopy(served.ask(visitor.key, "When do swifts return?"))
    model = answer["claims"][0]
    answer["claims"] = [
        _cites(model, name.removesuffix(".pdf"), content_hash(read(files[name], name).text), *span)
        for name, _, *span in quotes
    ]
    body = json.dumps(answer)
    page.route(
        "**/v1/answers/*", lambda route: route.fulfill(body=body, content_type="application/json")
    )
    visitor.enter(f"/read/default/{answer['id']}")
    found = []
    for number, (name, *_) in enumerate(quotes):
        page.locator(".claim").nth(number).get_by_role("button").press("Enter")
        page.get_by_role("complementary", name=f"Sources of sentence {number + 1}").wait_for()
        found.append(under(files[name], shown(page)))
    return found


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

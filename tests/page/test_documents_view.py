"""Documents: errors that say what to do, labels, passages, reading again, and collections."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.page.samples import FILES
from tests.page.visiting import Served, Visitor

pytestmark = pytest.mark.real


def _drop(page: Page, name: str, content: bytes) -> None:
    file: FilePayload = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    page.get_by_label("Files to add").set_input_files([file])


def test_what_cannot_be_read_says_why_and_what_to_do(visit: Callable[..., Visitor]) -> None:
    visitor = visit()
    page = visitor.page
    visitor.enter("/documents")
    _drop(page, "broken.pdf", b"%PDF-1.7 and then nothing of the kind")
    upload = page.get_by_role("list", name="Uploads").get_by_role("listitem")
    expect(upload).to_contain_text("Failed", timeout=60_000)
    expect(upload.get_by_role("alert")).to_contain_text("save it again")
    expect(page.locator(".document.failed")).to_contain_text("could not be read")
    page.get_by_role("button", name="Remove broken.pdf from this list").click()
    expect(upload).to_have_count(0)


def test_labels_passages_and_reading_again(visit: Callable[..., Visitor]) -> None:
    visitor = visit()
    page = visitor.page
    visitor.enter("/documents")
    page.get_by_text("Who may see what you add").click()
    page.get_by_label("Labels, separated by commas").fill("staff, board ")
    _drop(page, "Vögel der Insel.md", FILES["birds.md"]())
    document = page.locator(".document.ready")
    expect(document.locator(".tag")).to_have_text(["board", "staff"], timeout=60_000)
    with page.expect_response(lambda reply: reply.request.method == "PUT") as sent:
        page.get_by_role("button", name="Read Vogel-der-Insel.md again").click()
    assert sent.value.status == 202
    page.goto("/documents/default/Vogel-der-Insel.md")  # it may still be read
    expect(page.get_by_role("heading", level=1)).to_have_text("Vogel-der-Insel.md")
    expect(page.locator(".passage").first).to_have_attribute("data-number", "1")
    expect(page.locator(".passage .heading").first).to_have_text("Birds of the island")
    expect(page.get_by_text("staff")).to_be_visible()
    expect(page.get_by_text("characters in 1 passage.")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the original").click()
    assert download.value.suggested_filename == "Vögel der Insel.md"


def test_pages_of_a_pdf_are_turned(served: Served, visit: Callable[..., Visitor]) -> None:
    visitor = visit()
    page = visitor.page
    served.give(visitor.key, {"report.pdf": FILES["report-2025.pdf"]()})
    visitor.enter("/documents/default/report")
    page.get_by_role("tab", name="Pages").click()
    expect(page.get_by_role("img", name="Page 1 of the document")).to_be_visible()
    page.get_by_role("button", name="Next page").click()
    expect(page.get_by_role("img", name="Page 2 of the document")).to_be_visible()
    expect(page.get_by_role("button", name="Next page")).to_be_disabled()


def test_collections_are_made_chosen_and_deleted(visit: Callable[..., Visitor]) -> None:
    visitor = visit(expected=("404",))  # a look at the list of a collection that is gone
    page = visitor.page
    visitor.enter("/documents")
    page.get_by_role("button", name="New collection").click()
    page.get_by_label("Name").fill("handbooks")
    page.keyboard.press("Enter")
    page.wait_for_url("**/documents/handbooks")
    for name in ("birds.md", "keeper.docx"):
        _drop(page, name, FILES[name]())
    expect(page.locator(".document.ready")).to_have_count(2, timeout=60_000)
    page.get_by_role("link", name="Ask", exact=True).click()
    expect(page.get_by_role("combobox", name="In", exact=True)).to_have_value("handbooks")
    page.goto("/documents/handbooks")
    page.get_by_role("button", name="Delete the collection").click()
    page.get_by_role("button", name="Delete all").click()
    expect(page.get_by_text("There is nothing in “handbooks” yet.")).to_be_visible(timeout=60_000)

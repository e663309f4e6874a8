"""From an empty page to an answer, its sources, its history and its end."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.page.samples import FILES, report_pdf
from tests.page.visiting import Served, Visitor, on_paper
from tests.pdf_letters import under

pytestmark = pytest.mark.real
QUESTION = "How many prisms does the Fresnel lens have?"


def test_from_an_empty_page_to_an_answer_and_its_end(
    served: Served, visit: Callable[..., Visitor]
) -> None:
    visitor = visit(expected=("404",))  # the last look at what was deleted
    page = visitor.page
    visitor.log_in()
    expect(page.get_by_role("heading", level=1)).to_contain_text("See at a glance")
    _upload(page)
    _ask(page)
    _walk(page)
    _judge(visitor)
    _find_again_and_delete(page)


def _upload(page: Page) -> None:
    files = [
        {"name": name, "mimeType": "application/octet-stream", "buffer": make()}
        for name, make in FILES.items()
    ]
    page.get_by_label("Files to add").set_input_files(files)  # type: ignore[arg-type]
    uploads = page.get_by_role("list", name="Uploads")
    expect(uploads.get_by_text("Ready")).to_have_count(len(files), timeout=60_000)


def _ask(page: Page) -> None:
    page.get_by_label("Your question").fill(QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_url("**/read/default/*")
    steps = page.locator(".steps")
    steps.locator("summary").click()
    expect(steps).to_contain_text("Searched the documents")
    expect(steps.locator("time").last).to_contain_text("s")
    expect(page.locator(".answer-line")).to_contain_text("answers your question")
    expect(page.locator(".claim.supported").first).to_contain_text("672")


def _walk(page: Page) -> None:
    """`j` and `k` move the selection and the focus; the source is open at the exact words."""
    count = page.locator(".claim").count()
    page.keyboard.press("k")
    page.keyboard.press("j")
    for _ in range(count):
        page.keyboard.press("k")
    first = page.locator(".claim").first
    expect(first.get_by_role("button")).to_be_focused()
    expect(first.get_by_role("button")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("complementary")).to_contain_text("Skerry Light: report 2025")
    for number in range(count):
        claim = page.locator(".claim").nth(number)
        expect(claim.get_by_role("button")).to_have_attribute("aria-pressed", "true")
        page.get_by_role("complementary", name=f"Sources of sentence {number + 1}").wait_for()
        text = claim.locator(".sentence").inner_text()
        page.locator(".rectangle").first.wait_for()
        assert under(report_pdf(), [on_paper(page)]) == "".join(text.split())
        page.keyboard.press("j")
    page.get_by_text("How sure is this?").click()
    expect(page.get_by_role("complementary")).to_contain_text("quoted, so there is nothing")
    page.get_by_role("button", name="Disagree").click()
    page.get_by_label("Why you disagree").fill("I counted 671.")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Thank you, it is saved")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("complementary")).to_have_count(0)


def _judge(visitor: Visitor) -> None:
    """A randomly drawn claim is judged, and the label is there to calibrate with."""
    page = visitor.page
    page.get_by_role("link", name="Judge a random sentence").click()
    expect(page.get_by_text("Do the marked words say this?")).to_be_visible()
    expect(page.locator(".mark.supported")).to_have_count(1)  # of the name of the page alone
    page.keyboard.press("y")
    expect(page.get_by_text("Thank you, counted. 1 sentence judged")).to_be_visible()
    with visitor.served.client(visitor.key) as caller:
        counts = caller.get("/v1/collections/default/reviews").json()
    assert (counts["judged"], counts["skipped"]) == (1, 0)


def _find_again_and_delete(page: Page) -> None:
    page.get_by_role("navigation", name="Views").get_by_role("link", name="History").click()
    page.get_by_label("Search the history").fill("prisms")
    page.keyboard.press("Enter")
    page.get_by_role("link", name=QUESTION).click()
    expect(page.locator(".claim").first).to_contain_text("672")
    answer = page.url
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Documents").click()
    page.get_by_role("button", name="Delete report-2025.pdf").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_role("button", name="Delete report-2025.pdf")).to_have_count(
        0, timeout=60_000
    )
    page.goto(answer)
    expect(page.get_by_role("heading", name="This answer is gone")).to_be_visible()


def test_an_invented_sentence_is_marked(visit: Callable[..., Visitor]) -> None:
    visitor = visit()
    page = visitor.page
    visitor.enter("/check")
    page.get_by_label("The answer", exact=True).fill(
        "The lamp \N{BIRD} was lit in 1848. [1] It was paid for by the queen of Spain. [1]"
    )
    page.get_by_label("[1] Pasted text").fill(
        "\N{BIRD}\N{BIRD} Skerry Light has a lamp. The lamp \N{BIRD} was lit in 1848. "
        "It is seen from afar."
    )
    page.get_by_role("button", name="Check every sentence").click()
    claims = page.locator(".claim")
    expect(claims).to_have_count(2)
    expect(claims.first).to_have_class("claim supported selected")
    expect(claims.last).to_have_class("claim unsupported")
    expect(claims.last).to_contain_text("Not supported.")
    # Offsets count code points: each bird is two units of a script's string.
    expect(page.locator("mark")).to_have_text("The lamp \N{BIRD} was lit in 1848.")
    assert "/v1/verify" not in page.url
    page.get_by_role("button", name="Change the text").click()
    expect(page.get_by_label("The answer", exact=True)).not_to_be_empty()


def test_a_question_without_an_answer_says_what_was_searched(
    served: Served, visit: Callable[..., Visitor]
) -> None:
    visitor = visit()
    served.give(visitor.key, {"birds.md": FILES["birds.md"]()})
    visitor.enter("/")
    visitor.page.get_by_label("Your question").fill("Who is the mayor of Paris?")
    visitor.page.get_by_role("button", name="Ask").click()
    told = visitor.page.get_by_role("region", name="No answer")
    expect(told).to_contain_text("What was searched")
    expect(told).to_contain_text("Who is the mayor of Paris?")


def test_a_stream_that_is_cut_keeps_what_was_shown(
    served: Served, visit: Callable[..., Visitor]
) -> None:
    visitor = visit()
    page = visitor.page
    served.give(visitor.key, {"birds.md": FILES["birds.md"]()})
    question = "When do swifts return?"
    with served.client(visitor.key) as caller:
        asked = {"question": question, "stream": True}
        whole = caller.post("/v1/answers", json=asked).text
    cut = whole.partition("event: final")[0]
    visitor.enter("/")
    page.route(
        "**/v1/answers",
        lambda route: route.fulfill(body=cut, content_type="text/event-stream"),
        times=1,
    )
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    expect(page.get_by_text("The connection broke.")).to_be_visible()
    expect(page.locator(".claim").first).to_contain_text("first week of May")
    page.get_by_role("button", name="Try again").click()
    page.wait_for_url("**/read/default/*")
    expect(page.locator(".claim").first).to_contain_text("first week of May")


def test_without_a_document_at_hand_there_is_an_example(visit: Callable[..., Visitor]) -> None:
    visitor = visit()
    page = visitor.page
    visitor.enter("/")
    page.get_by_role("button", name="begin with an example").click()
    expect(page.get_by_label("Your question")).not_to_be_empty(timeout=60_000)
    page.get_by_role("button", name="Ask").click()
    page.wait_for_url("**/read/default/*")
    expect(page.locator(".claim.supported").first).to_be_visible()
    expect(page.locator("mark").first).to_be_visible()


def test_a_session_that_has_ended_leads_back_to_the_login(visit: Callable[..., Visitor]) -> None:
    visitor = visit(expected=("401",))
    page = visitor.page
    visitor.enter("/check")
    page.context.clear_cookies()
    page.get_by_role("link", name="History").click()
    expect(page.get_by_label("Your key")).to_be_visible()
    page.get_by_label("Your key").fill("uph_wrong")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_contain_text("This key is not valid.")
    page.get_by_label("Your key").fill(visitor.key)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="History")).to_be_visible()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_label("Your key")).to_be_visible()


def test_light_and_dark(visit: Callable[..., Visitor]) -> None:
    visitor = visit(scheme="dark")
    page = visitor.page
    visitor.enter("/check")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    dark = page.evaluate(ground)
    page.get_by_role("button", name="Light colours").click()
    assert page.evaluate(ground) != dark
    page.reload()
    expect(page.get_by_role("button", name="Dark colours")).to_be_visible()
    assert page.evaluate(ground) != dark

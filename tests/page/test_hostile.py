"""Hostile texts in documents, answers, titles, labels and names are shown, and do nothing."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.page.hostile import TEXTS
from tests.page.samples import FILES
from tests.page.visiting import Served, Visitor

pytestmark = pytest.mark.real
# Elements that the page itself never makes.
FOREIGN = "iframe, object, embed, video, audio, math, base, form[action], style, marquee, template"


def inert(page: Page) -> None:
    assert page.locator(FOREIGN).count() == 0
    assert page.locator("script:not([src^='/assets/'])").count() == 0
    assert page.locator("[onerror], [onload], [onclick], [onfocus], [ontoggle]").count() == 0
    addresses = page.evaluate(
        "[...document.querySelectorAll('[href], [src]')]"
        ".map((each) => each.href?.baseVal ?? each.href ?? each.src)"
    )
    own = page.evaluate("location.origin")
    for each in addresses:
        assert each.startswith((own, "blob:", "https://outside.test/")), each


def test_there_are_three_hundred() -> None:
    assert len(set(TEXTS)) >= 300


def _hostile_answer(model: dict[str, Any], texts: list[str]) -> dict[str, Any]:
    """An answer in which every text of others is hostile: one sentence for each."""
    answer = copy.deepcopy(model)
    answer["question"], answer["method"], answer["pipeline"] = texts[0], texts[1], texts[2]
    answer["degraded"] = texts[:20]
    claim = model["claims"][0]
    citation = claim["citations"][0]
    answer["claims"] = []
    for number, text in enumerate(texts):
        other = texts[-number - 1]
        said = {
            **citation,
            "quote": text,
            "title": other,
            "uri": text,
            "heading_path": [text, other],
        }
        if number % 3 == 0:
            said |= {"uri": "https://outside.test/" + text, "document_id": text}
        verdict = {
            **claim["verdict"],
            "support": ("supported", "unsupported", "contradicted", "not_checked")[number % 4],
            "reason": text,
            "checked_by": other,
            "evidence_for": [said],
            "evidence_against": [said | {"start": 1}],
        }
        answer["claims"].append({**claim, "text": text, "citations": [said], "verdict": verdict})
    quote = answer["claims"][0]["citations"][0]
    answer["conflicts"] = [{"claim": text, "one": quote, "other": quote} for text in texts[:10]]
    answer["trace"] = [{**answer["trace"][0], "stage": text, "note": text} for text in texts[:20]]
    return answer


def test_in_answers(served: Served, visit: Callable[..., Visitor]) -> None:
    visitor = visit(expected=("404", "422"))  # documents by hostile ids do not exist
    page = visitor.page
    served.give(visitor.key, {"birds.md": FILES["birds.md"]()})
    model = served.ask(visitor.key, "When do swifts return?")
    answer = _hostile_answer(model, list(TEXTS))
    body = json.dumps(answer)
    page.route(
        "**/v1/answers/*", lambda route: route.fulfill(body=body, content_type="application/json")
    )
    visitor.enter(f"/read/default/{answer['id']}")
    expect(page.locator(".claim")).to_have_count(len(TEXTS))
    inert(page)
    for number in range(0, len(TEXTS), 25):
        page.locator(".claim").nth(number).get_by_role("button").press("Enter")
        page.get_by_role("tab").last.click()
        inert(page)
    outside = page.locator("a.external")
    page.locator(".claim").nth(3).get_by_role("button").press("Enter")
    expect(outside.first).to_have_attribute("rel", "noreferrer noopener")
    expect(outside.first).to_contain_text("opens another site")
    assert visitor.overflow() <= 0
    page.set_viewport_size({"width": 390, "height": 844})
    assert visitor.overflow() <= 0
    page.goto(f"/inside/default/{answer['id']}")
    expect(page.locator(".waterfall li")).to_have_count(20)
    inert(page)


def test_in_documents_names_labels_and_history(
    served: Served, visit: Callable[..., Visitor]
) -> None:
    visitor = visit()
    page = visitor.page
    text = "\n\n".join(TEXTS)
    served.give(visitor.key, {"birds.md": FILES["birds.md"](), "hostile.txt": text.encode()})
    with served.client(visitor.key) as caller:
        path = "/v1/collections/default/documents"
        for number, name in enumerate(TEXTS[::15]):
            shown = "".join(each for each in name if each.isprintable() and each not in "/\\")[:150]
            label = shown.replace(",", "")[:60].strip() or "x"
            reply = caller.put(
                f"{path}/d{number}",
                params={"name": shown + ".txt", "label": label},
                content=b"Nothing.",
                headers={"Content-Type": "text/plain"},
            )
            assert reply.status_code == 202, reply.text
        for question in TEXTS[::50]:
            caller.post("/v1/answers", json={"question": question[:4000]})
    visitor.enter("/documents/default/hostile")
    expect(page.locator(".sheet")).to_contain_text("<script>alert(1)</script>")
    inert(page)
    page.goto("/documents")
    expect(page.locator(".document")).to_have_count(len(TEXTS[::15]) + 2)
    inert(page)
    assert visitor.overflow() <= 0
    page.goto("/history")
    expect(page.locator(".past").first).to_be_visible()
    inert(page)

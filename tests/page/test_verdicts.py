"""Verdicts that quotes alone never have: contradicted, fixed, changed since, in conflict."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.page.samples import FILES
from tests.page.visiting import Served, Visitor

pytestmark = pytest.mark.real
QUESTION = "When does the lighthouse open?"


def _claim(text: str, support: str, reason: str, **more: Any) -> dict[str, Any]:
    quotes = {"evidence_for": [], "evidence_against": [], **more}
    citations = quotes.pop("citations", [])
    verdict = {"support": support, "reason": reason, "probability": 0.88, "cause": None}
    verdict |= {"checked_by": "v", **quotes}
    place = {"start": 0, "end": len(text), "relevance": None}
    return {"text": text, "citations": citations, "verdict": verdict, **place}


def _answer(real: dict[str, Any]) -> dict[str, Any]:
    """The sources of a real answer under sentences of our own."""
    cited = [each for claim in real["claims"] for each in claim["citations"]]
    nine = next(each for each in cited if "nine" in each["quote"])
    ten = next(each for each in cited if "ten" in each["quote"])
    wrong = nine | {"support": "unsupported"}
    old = ten | {"document_version": "0" * 32}
    answer = copy.deepcopy(real)
    first = [nine["passage_id"], ten["passage_id"]]  # whichever the answer quoted first
    answer["sources"].sort(key=lambda each: [*first, each["id"]].index(each["id"]))
    answer["claims"] = [
        _claim("Opening hours", "not_checkworthy", "a heading"),
        _claim("It opens at ten.", "supported", "", citations=[wrong], evidence_for=[ten]),
        _claim("It opens at eight.", "contradicted", "a source says otherwise",
               citations=[ten], evidence_against=[nine]),
        _claim("It opens.", "supported", "", citations=[old], evidence_for=[old]),
        _claim("Es öffnet.", "not_checked", "the verifier reads English only"),
    ]  # fmt: skip
    answer["conflicts"] = [{"claim": "When it opens", "one": nine, "other": ten}]
    answer["guarantee"] = {"alpha": 0.1, "delta": 0.05, "threshold": 0.9, "fitted_on": "x"}
    return answer


@pytest.fixture
def visitor(served: Served, visit: Callable[..., Visitor]) -> Visitor:
    opened = visit()
    served.give(opened.key, {name: make() for name, make in FILES.items()})
    answer = _answer(served.ask(opened.key, QUESTION))
    body = json.dumps(answer)
    opened.page.route(
        "**/v1/answers/*", lambda route: route.fulfill(body=body, content_type="application/json")
    )
    opened.enter(f"/read/default/{answer['id']}")
    opened.page.locator(".claim").first.wait_for()
    return opened


def test_each_verdict_has_a_shape_and_a_reason(visitor: Visitor) -> None:
    page = visitor.page
    claims, sources = page.locator(".claim"), page.get_by_role("complementary")
    shapes = {claims.nth(n).locator(".mark").inner_html() for n in (0, 1, 2, 4)}
    assert len(shapes) == 4
    expect(claims.nth(2)).to_contain_text("Contradicted. A source says otherwise.")
    expect(claims.nth(4)).to_contain_text("Not checked. The verifier reads English only.")

    claims.nth(1).get_by_role("button").click()  # it cites one source, and the words are in another
    expect(claims.nth(1).locator("del")).to_have_text("1")
    expect(claims.nth(1)).to_contain_text("The answer cited source 1; the words are in 2.")
    expect(sources).to_contain_text("The answer does not cite this place")
    expect(page.locator("mark.for")).to_have_text("The lighthouse opens at ten in the morning.")
    page.get_by_role("tab", name="Cited elsewhere 1").click()
    expect(page.locator(".rectangle.cited").first).to_be_visible()
    page.get_by_text("How sure is this?").click()
    expect(sources).to_contain_text("Of 100 sentences marked like this, about 88 hold.")
    expect(sources).to_contain_text("At most 10 of 100 sentences marked as supported are not")

    page.keyboard.press("j")
    expect(page.get_by_role("tab", name="Against 1")).to_have_attribute("data-state", "active")
    expect(page.locator(".rectangle.against").first).to_be_visible()

    page.keyboard.press("j")  # nothing is marked in a text that is another one by now
    expect(sources).to_contain_text("The document has changed since.")
    expect(page.locator("mark, .rectangle")).to_have_count(0)


def test_sources_that_disagree_are_side_by_side(visitor: Visitor) -> None:
    page = visitor.page
    conflict = page.get_by_role("region", name="Conflicts")
    expect(conflict.get_by_role("figure")).to_have_count(2)
    left, right = (conflict.get_by_role("figure").nth(n).bounding_box() for n in (0, 1))
    assert left is not None
    assert right is not None
    assert left["x"] + left["width"] <= right["x"]
    page.keyboard.press("Escape")
    conflict.get_by_text("Show it in the document").last.click()
    expect(conflict.locator("mark")).to_have_text("The lighthouse opens at ten in the morning.")


def test_an_answer_is_taken_along_with_its_sources(visitor: Visitor) -> None:
    page = visitor.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy as Markdown").click()
    expect(page.get_by_text("Markdown copied")).to_be_visible()
    text = page.evaluate("navigator.clipboard.readText()")
    assert "It opens at ten.[^1]" in text
    assert "[^1]: Visit Skerry Light, " in text
    assert f"<{page.url}>" in text
    page.get_by_role("button", name="Copy as JSON").click()
    expect(page.get_by_text("JSON copied")).to_be_visible()
    assert json.loads(page.evaluate("navigator.clipboard.readText()"))["question"] == QUESTION

"""The page: it needs nothing but itself, and text of others stays text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from tests.unit.page_run import answer, outcome, passage, questions, run
from upheld.types import Status, Support
from upheld_lab.bench.page.browse import Came, browser, came
from upheld_lab.bench.page.depends import facts, flat
from upheld_lab.bench.page.html import page
from upheld_lab.bench.page.run_data import Cut, Run, fair_cut
from upheld_lab.bench.page.run_report import run_report
from upheld_lab.bench.runs.records import Outcome, Scores

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    '"><svg onload=alert(3)>',
    "{{ 7 * 7 }} ${alert(4)} $x$ <!-- ]]>",
)
SCORES: Scores = {
    "correct": 1.0,
    "gold_f1": 0.5,
    "shown": 1.0,
    "wrong_if_shown": 0.0,
    "confidence": 1.0,
    "seconds": 1.5,
    "completions": 2.0,
    "completion_tokens": 30.0,
}


class Elements(HTMLParser):
    """What a browser would see: elements with their attributes, and the text of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.lasttag == "script" and data.strip():
            self.scripts[-1] += data


def rendered(made: Run) -> str:
    cut = fair_cut(made)
    return page(cut, run_report(cut))


def hostile_run() -> Run:
    """Every text that a stranger may have written is an attack."""
    first, second, third, fourth = HOSTILE
    asked = [replace(each, text=first, answers=(second,)) for each in questions(2, set=third)]
    source = passage("port", text=second, title=first)
    variants = ("rag", f"upheld:{fourth}")
    outcomes = []
    for each in asked:
        for variant in variants:
            said = answer(each.text, variant, first, source=source, conflict=True)
            trace = tuple(replace(event, stage=second) for event in said.trace)
            said = replace(said, trace=trace, degraded=(third,))
            outcomes.append(outcome(each, variant, said))
    made = run(asked, {name: [SCORES, SCORES] for name in variants}, suite=first, llm=second)
    return replace(made, outcomes=tuple(outcomes))


@pytest.fixture(scope="module")
def hostile_page() -> str:
    return rendered(hostile_run())


def test_text_of_others_stays_text(hostile_page: str) -> None:
    seen = Elements(hostile_page)
    assert [tag for tag, _ in seen.found if tag == "img"] == []
    assert [tag for tag, _ in seen.found].count("script") == 2
    handlers = [name for _, attributes in seen.found for name in attributes if name[:2] == "on"]
    assert handlers == []
    data = json.loads(seen.scripts[0])  # whole: nothing in it ended the element
    assert data["questions"][0]["text"] == HOSTILE[0]
    assert data["sources"]["port"]["text"] == HOSTILE[1]


def test_templates_in_text_are_not_filled_in(hostile_page: str) -> None:
    assert "{{ 7 * 7 }}" in hostile_page


@pytest.fixture(scope="module")
def plain_page() -> str:
    rows = {"rag": [SCORES] * 3, "upheld": [SCORES] * 3}
    return rendered(run(questions(3), rows))


def test_only_its_own_script_may_run_and_nothing_may_be_fetched(plain_page: str) -> None:
    seen = Elements(plain_page)
    policy = next(
        attributes["content"] or ""
        for tag, attributes in seen.found
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    digest = base64.b64encode(hashlib.sha256(seen.scripts[1].encode()).digest()).decode()
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{digest}'" in policy
    fetched = [
        (tag, attributes[name])
        for tag, attributes in seen.found
        for name in ("src", "href", "xlink:href", "action", "data")
        if (attributes.get(name) or "#")[:1] != "#"
    ]
    assert fetched == [("link", "data:,")]
    assert not re.search(r"url\((?!#)|@import", plain_page)


def test_a_page_without_texts_has_the_figures_alone(plain_page: str) -> None:
    cut = fair_cut(run(questions(3), {"rag": [SCORES] * 3, "upheld": [SCORES] * 3}))
    made = page(cut, run_report(cut), texts=False)
    assert "<table" in made
    assert "<svg" in made
    assert Elements(made).scripts == []
    assert not any(asked.text in made for asked in cut.questions)
    assert all(asked.text in plain_page for asked in cut.questions)


def bold_run(count: int) -> Run:
    """A run in which one method is right on every question, and the other on none."""
    right, wrong = SCORES, {**SCORES, "correct": 0.0}
    return run(questions(count), {"rag": [wrong] * count, "upheld": [right] * count})


def test_of_few_questions_nothing_is_called_better() -> None:
    sure, few = rendered(bold_run(20)), rendered(bold_run(19))
    assert '<span class="verdict">surely better</span>' in sure
    assert '<span class="sign good">▲</span>' in sure
    assert '<span class="verdict">too few</span>' in few
    assert '<span class="sign "> (too few)</span>' in few
    assert "fewer than 20 questions were compared" in few
    for claim in ("surely better</span>", "▲</span>", "sign good", "sign bad"):
        assert claim not in few


def test_the_same_run_gives_the_same_page(plain_page: str) -> None:
    rows = {"rag": [SCORES] * 3, "upheld": [SCORES] * 3}
    assert rendered(run(questions(3), rows)) == plain_page


def test_plots_take_the_colours_of_the_page_and_share_no_names(plain_page: str) -> None:
    svgs = re.findall(r"<svg .*?</svg>", plain_page, re.DOTALL)
    assert len(svgs) == 6  # two qualities against cost and time; coverage; stages
    assert all("var(--ink)" in svg or "var(--quiet)" in svg for svg in svgs)
    assert all('role="img"' in svg for svg in svgs)
    names = re.findall(r'\bid="([^"]*)"', plain_page)
    assert len(names) == len(set(names))


def test_a_run_without_gold_has_a_page_too() -> None:
    made = rendered(run(questions(2), {"rag": [{"shown": 1.0, "seconds": 1.0}] * 2}))
    assert "Questions" in made
    assert "plot-stages" in made


def test_a_cut_run_says_so() -> None:
    made = rendered(run(questions(3), {"rag": [SCORES] * 3, "upheld": [SCORES] * 2}))
    assert "all methods have finished" in " ".join(made.split())


def test_the_browser_has_claims_quotes_and_gold() -> None:
    asked = questions(1, gold=frozenset({"port"}), answerable=True)
    shown = browser(fair_cut(run(asked, {"rag": [SCORES]}))).questions[0]
    assert (shown.gold, shown.gold_rank, shown.answers) == (("port",), 2, ("35 minutes",))
    (claim,) = shown.given[0].claims
    assert (claim.text, claim.support, claim.marks) == ("It takes 35 minutes.", "supported", (1,))
    (quote,) = claim.quotes  # cited and upholding: told once
    assert (quote.source, quote.says) == (1, "for")


@pytest.mark.parametrize(
    ("scores", "is_what"),
    [
        ({"shown": 1.0, "wrong_if_shown": 0.0}, Came.RIGHT),
        ({"shown": 1.0, "wrong_if_shown": 1.0}, Came.WRONG),
        ({"shown": 0.0, "wrong_if_shown": 1.0}, Came.SILENT),
        ({"shown": 1.0, "wrong_if_shown": None}, Came.UNJUDGED),
    ],
)
def test_what_came_of_it(scores: Scores, is_what: Came) -> None:
    (asked,) = questions(1)
    made = outcome(asked, "rag")
    assert came(made, scores) is is_what
    assert came(Outcome(asked.id, "rag", None, "LLMError: gone", 0.1), scores) is Came.FAILED
    assert made.answer is not None
    failed = replace(made, answer=replace(made.answer, status=Status.FAILED))
    assert came(failed, scores) is Came.FAILED


def test_an_answer_that_ended_in_an_error_is_shown_as_one() -> None:
    made = run(questions(1), {"rag": [{"shown": 0.0}]})
    broken = replace(made.outcomes[0], answer=None, error="LLMError: gone")
    given = browser(fair_cut(replace(made, outcomes=(broken,)))).questions[0].given[0]
    assert (given.came, given.text) == (Came.FAILED, "LLMError: gone")


def test_unsupported_claims_keep_their_reason() -> None:
    made = run(questions(1), {"upheld": [SCORES]})
    (asked,) = made.questions
    doubted = outcome(asked, "upheld", answer(asked.text, "upheld", support=Support.UNSUPPORTED))
    cut: Cut = fair_cut(replace(made, outcomes=(doubted,)))
    (claim,) = browser(cut).questions[0].given[0].claims
    assert (claim.support, claim.reason) == ("unsupported", "the source says so")


def test_what_figures_depend_on_stands_in_the_heading() -> None:
    manifest: dict[str, Any] = {
        "split": "test",
        "llm": None,
        "models": {"embedder": "words", "grader": None},
        "commit": "0123456789abcdef",
        "machine": {"processor": "A processor", "cores": 2},
        "variants": ["rag", "upheld"],
    }
    told = dict(facts(manifest))
    assert told["language model"] == "none: sentences are quoted"
    assert (told["commit"], told["machine"]) == ("0123456789ab", "A processor")
    assert "grader" not in told
    assert dict(flat(manifest))["machine.cores"] == "2"
    assert dict(flat(manifest))["variants"] == "rag, upheld"

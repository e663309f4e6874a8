"""The report page in a real browser: no complaint, every plot drawn, and the browser of answers."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.unit.lab.test_page_html import HOSTILE, hostile_run
from tests.unit.page_run import answer, outcome, questions, run
from upheld_lab.bench.page.html import page
from upheld_lab.bench.page.run_data import Run, fair_cut
from upheld_lab.bench.page.run_report import run_report
from upheld_lab.bench.runs.records import Scores

CHROMIUM = shutil.which("chromium")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the path: `make servers`"),
]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


class Opened:
    """A page and everything that the browser had to say about it."""

    def __init__(self, browser: Browser, file: Path, width: int = 1280) -> None:
        self.complaints: list[str] = []
        self.asked_for: list[str] = []
        self.page: Page = browser.new_page(viewport={"width": width, "height": 900})
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.page.on("request", lambda request: self.asked_for.append(request.url))
        self.page.goto(file.as_uri())

    def shown(self) -> int:
        return self.page.locator("#list li:visible").count()


def scored(shown: int, wrong: int, seconds: float) -> Scores:
    return {
        "correct": float(not wrong),
        "gold_f1": 0.5 + 0.5 * (not wrong),
        "shown": float(shown),
        "wrong": float(shown and wrong),
        "wrong_if_shown": float(wrong),
        "confidence": 0.5,
        "seconds": seconds,
        "completions": 2.0,
        "completion_tokens": 40.0,
    }


def small_run() -> Run:
    """Six questions of two sets; rag is wrong on two, upheld silent on one."""
    asked = [*questions(4, "short", gold=frozenset({"port"})), *questions(2, "hops")]
    fates = {
        "rag": [(1, 0), (1, 1), (1, 1), (1, 0), (1, 0), (1, 0)],
        "upheld": [(1, 0), (0, 1), (1, 0), (1, 0), (1, 0), (1, 0)],
    }
    rows = {
        variant: [scored(*fate, seconds=1 + at / 10) for at, fate in enumerate(each)]
        for variant, each in fates.items()
    }
    made = run(asked, rows)
    silent = outcome(asked[1], "upheld", answer(asked[1].text, "upheld", None))
    said = {(each.question, each.variant): each for each in (*made.outcomes, silent)}
    return replace(made, outcomes=tuple(said.values()))


def written(folder: Path, made: Run) -> Path:
    cut = fair_cut(made)
    file = folder / "report.html"
    file.write_text(page(cut, run_report(cut)), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("run"), small_run())


def test_it_opens_without_a_complaint_and_asks_for_nothing(chromium: Browser, report: Path) -> None:
    opened = Opened(chromium, report)
    assert opened.complaints == []
    assert [url for url in opened.asked_for if not url.startswith(("file:", "data:"))] == []


def test_every_plot_is_drawn(chromium: Browser, report: Path) -> None:
    all_drawn(Opened(chromium, report))


def all_drawn(opened: Opened) -> None:
    """Two qualities against cost and time, coverage, and stages."""
    plots = opened.page.locator("figure svg").all()
    assert len(plots) == 6
    for plot in plots:
        box = plot.bounding_box()
        assert box is not None
        assert box["width"] > 200
        assert box["height"] > 100
        assert plot.locator("path").count() > 5
        assert plot.locator("text").count() > 3


def test_questions_are_filtered_by_set_by_fate_and_by_words(
    chromium: Browser, report: Path
) -> None:
    opened = Opened(chromium, report)
    see = opened.page
    assert opened.shown() == 6
    see.select_option("#by-set", "hops")
    assert opened.shown() == 2
    see.select_option("#by-set", "")
    see.select_option("#by-came", "wrong")
    assert opened.shown() == 2
    see.select_option("#by-variant", label="upheld")
    assert opened.shown() == 0
    see.select_option("#by-came", "silent")
    assert opened.shown() == 1
    assert "short/1" in see.locator("#detail .meta").inner_text()
    assert "The sources do not say." in see.locator("#detail .card").nth(1).inner_text()
    see.select_option("#by-came", "differ")
    assert opened.shown() == 2
    see.select_option("#by-came", "")
    see.fill("#by-text", "crossing 3")
    assert opened.shown() == 1
    assert see.locator("#count").inner_text() == "1 of 6"
    assert opened.complaints == []


def test_answers_stand_side_by_side_with_verdicts_and_sources(
    chromium: Browser, report: Path
) -> None:
    see = Opened(chromium, report).page
    cards = see.locator("#detail .card")
    assert [card.locator("h4").inner_text().split()[0] for card in cards.all()] == ["rag", "upheld"]
    first = cards.first
    assert "✓ supported" in first.locator(".claims .supported").inner_text()
    first.get_by_text("1 source").click()
    source = first.locator("details details").first
    assert "★ gold" in source.inner_text()
    source.locator("summary").click()
    assert source.locator("mark").inner_text() == "The ferry takes 35 minutes in calm weather."


def test_keys_step_through_questions_and_the_address_follows(
    chromium: Browser, report: Path
) -> None:
    opened = Opened(chromium, report)
    see = opened.page
    see.keyboard.press("j")
    see.keyboard.press("j")
    assert "short/2" in see.locator("#detail .meta").inner_text()
    see.keyboard.press("k")
    assert see.url.endswith("#q=short%2F1")
    see.keyboard.press("/")
    see.keyboard.type("short/0")
    assert opened.shown() == 1
    again = chromium.new_page()
    again.goto(f"{report.as_uri()}#q=short%2F3")
    assert "short/3" in again.locator("#detail .meta").inner_text()


def test_one_set_of_the_table_at_a_time(chromium: Browser, report: Path) -> None:
    see = Opened(chromium, report).page
    assert see.locator("[data-table]:visible").count() == 1
    see.get_by_role("button", name="hops 2").first.click()
    assert see.locator("[data-table]:visible").get_attribute("data-table") == "hops"


def test_it_fits_a_phone(chromium: Browser, report: Path) -> None:
    see = Opened(chromium, report, width=390).page
    assert see.evaluate("document.documentElement.scrollWidth") <= 390


def test_hostile_text_does_nothing(chromium: Browser, tmp_path: Path) -> None:
    opened = Opened(chromium, written(tmp_path, hostile_run()))
    assert opened.complaints == []
    assert opened.page.locator("#detail h3").inner_text() == HOSTILE[0]
    assert opened.page.locator("#detail img, #detail script, #detail svg").count() == 0


@pytest.mark.campaign
def test_the_tiny_suite_from_the_command_to_the_page(chromium: Browser, tmp_path: Path) -> None:
    asked = ["run", "--suite", "tiny", "--writer", "quote", "--limit", "1", "--out", "tiny"]
    for words in ([*asked, "--cache", "cache"], ["report", "tiny"]):
        command = [sys.executable, "-m", "upheld", "bench", *words]
        subprocess.run(command, check=True, cwd=tmp_path, capture_output=True)
    opened = Opened(chromium, tmp_path / "tiny" / "report.html")
    assert opened.complaints == []
    all_drawn(opened)
    lines = (tmp_path / "tiny" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    assert opened.shown() == len(lines) > 6

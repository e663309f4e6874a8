"""Hand-made runs for the tests of pages: what each variant said, and how it was scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from upheld.types import (
    Answer,
    Citation,
    Claim,
    Conflict,
    Event,
    Passage,
    Status,
    Support,
    Usage,
    Verdict,
)
from upheld_lab.bench.page.run_data import Run
from upheld_lab.bench.runs.records import Outcome, Scored
from upheld_lab.bench.suites.suite import Asked

MANIFEST: dict[str, Any] = {
    "commit": "0123456789abcdef+changes",
    "date": "2026-01-02T03:04:05+00:00",
    "command": "upheld bench run --suite harbour --out DIR",
    "machine": {"system": "Linux x86_64", "processor": "A processor", "cores": 2, "features": []},
    "python": "3.11.2",
    "versions": {"upheld": "0.1.0"},
    "suite": "harbour",
    "split": "test",
    "seed": 0,
    "models": {"embedder": "words", "grader": None, "verifier": "checks"},
    "llm": None,
    "scored_by": {"scorer": None, "verifier": "checks", "prices": None},
}
PORT = "The ferry takes 35 minutes in calm weather."
TIDE = "The tide table of 1931 names the ferry's crossing as 50 minutes."


def passage(id: str, text: str = PORT, title: str = "The ferry") -> Passage:
    return Passage(id, text, id, "v", 0, len(text), title, f"https://harbour.example/{id}")


def cited(of: Passage, words: str, support: Support = Support.SUPPORTED) -> Citation:
    start = of.text.index(words)
    return Citation(of.id, of.document_id, "v", start, start + len(words), words, support)


def answer(
    question: str,
    method: str,
    claim: str | None = "It takes 35 minutes.",
    *,
    support: Support = Support.SUPPORTED,
    source: Passage | None = None,
    conflict: bool = False,
) -> Answer:
    """One claim with one source, or silence."""
    of = source or passage("port")
    trace = (
        Event(2, 1, "search", 0.1, 0.2),
        Event(3, 1, "write", 0.3, 0.5),
        Event(1, None, method, 0.0, 1.0),
    )
    if claim is None:
        text = "The sources do not say."
        return Answer("id", question, Status.ABSTAINED, method, text, trace=trace)
    citation = Citation(of.id, of.document_id, "v", 0, len(of.text), of.text, support)
    verdict = Verdict(support, 0.9, (citation,), (), "tests", "the source says so")
    tide = passage("tide", TIDE, "Tides")
    conflicts = (Conflict(claim, citation, cited(tide, "50 minutes")),) if conflict else ()
    return Answer(
        "id",
        question,
        Status.ANSWERED,
        method,
        f"{claim} [1]",
        (Claim(claim, (citation,), verdict),),
        (of, tide) if conflict else (of,),
        conflicts,
        usage=Usage(1, 1, 300, 100, 20),
        trace=trace,
    )


def outcome(asked: Asked, variant: str, given: Answer | None = None, **more: Any) -> Outcome:
    made = given or answer(asked.text, variant.partition(":")[0])
    return Outcome(asked.id, variant, made, None, 1.0, found=("tide", "port"), **more)


def run(
    questions: Sequence[Asked],
    scores: Mapping[str, Sequence[Mapping[str, float | None]]],
    **facts: Any,
) -> Run:
    """Scores by variant, in the order of the questions; the answers are all the same."""
    pairs = [
        (asked, variant, dict(row))
        for variant, rows in scores.items()
        for asked, row in zip(questions, rows, strict=False)
    ]
    return Run(
        MANIFEST | {"variants": list(scores)} | facts,
        tuple(questions),
        tuple(outcome(asked, variant) for asked, variant, _ in pairs),
        tuple(Scored(asked.id, asked.set, variant, row) for asked, variant, row in pairs),
    )


def questions(count: int, set: str = "short", **more: Any) -> list[Asked]:
    return [
        Asked(f"{set}/{number}", set, f"How long is crossing {number}?", ("35 minutes",), **more)
        for number in range(count)
    ]

"""Every question with the answers of all variants side by side, as data for the page's browser."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from upheld.types import Claim, Status, Support
from upheld_lab.bench.page.run_data import Cut
from upheld_lab.bench.runs.records import Outcome, Scores
from upheld_lab.bench.suites.suite import Asked


class Came(StrEnum):
    """What came of a question, in a word."""

    RIGHT = "right"
    WRONG = "wrong"
    SILENT = "silent"
    FAILED = "failed"
    UNJUDGED = "unjudged"  # nobody noted what is right


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a source: what it says to the claim, and its number among the answer's sources."""

    source: int | None
    words: str
    says: str  # "cited", "for", "against"


@dataclass(frozen=True, slots=True)
class Said:
    """A claim with its verdict and the words it rests on."""

    text: str
    support: Support
    probability: float | None
    reason: str
    marks: tuple[int, ...]  # numbers of the sources it cites
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """What one variant made of a question."""

    came: Came
    status: str
    text: str  # where there are no claims: why not
    claims: tuple[Said, ...]
    conflicts: tuple[tuple[str, str], ...]
    sources: tuple[str, ...]  # ids, in the order of their numbers
    notes: tuple[str, ...]
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Page:
    """A source, kept once however often it is cited."""

    title: str
    uri: str
    text: str
    document: str  # methods may cite a part of a passage: gold is known by its document, too


@dataclass(frozen=True, slots=True)
class Browsed:
    """A question, what people noted about it, and what came of it, in the order of variants."""

    id: str
    set: str
    text: str
    answers: tuple[str, ...]
    answerable: bool | None
    gold: tuple[str, ...]
    planted: tuple[str, ...]
    gold_rank: int | None  # of the first gold passage in a plain search
    given: tuple[Given, ...]


@dataclass(frozen=True, slots=True)
class Browser:
    """All that the browser shows."""

    variants: tuple[str, ...]
    sources: Mapping[str, Page]
    questions: tuple[Browsed, ...]


def browser(cut: Cut) -> Browser:
    """In the order in which the questions were asked."""
    sources = {
        passage.id: Page(passage.title, passage.uri, passage.text, passage.document_id)
        for outcome in cut.outcomes.values()
        if outcome.answer is not None
        for passage in outcome.answer.sources
    }
    questions = tuple(_browsed(cut, asked) for asked in cut.questions)
    return Browser(cut.variants, dict(sorted(sources.items())), questions)


def came(outcome: Outcome, scores: Scores) -> Came:
    """What the scores say, in one word."""
    if outcome.answer is None or outcome.answer.status is Status.FAILED:
        return Came.FAILED
    if scores.get("shown") != 1:
        return Came.SILENT
    wrong = scores.get("wrong_if_shown")
    if wrong is None:
        return Came.UNJUDGED
    return Came.WRONG if wrong else Came.RIGHT


def _browsed(cut: Cut, asked: Asked) -> Browsed:
    outcomes = [cut.outcomes[asked.id, variant] for variant in cut.variants]
    answers = asked.answers or tuple(part[0] for part in asked.parts if part)
    if asked.gold_text is not None:
        answers = (asked.gold_text.reference,)
    if asked.yes is not None:
        answers = ("yes" if asked.yes else "no",)
    found = outcomes[0].found
    rank = next((at for at, id in enumerate(found, start=1) if id in asked.gold), None)
    return Browsed(
        asked.id, asked.set, asked.text, answers, asked.answerable, tuple(sorted(asked.gold)),
        tuple(sorted(asked.false_passages)), rank,
        tuple(_given(each, cut.scores[asked.id, each.variant]) for each in outcomes),
    )  # fmt: skip


def _given(outcome: Outcome, scores: Scores) -> Given:
    answer = outcome.answer
    known = {name: value for name, value in scores.items() if value is not None}
    if answer is None:
        return Given(came(outcome, scores), "error", outcome.error or "", (), (), (), (), known)
    numbers = {passage.id: at for at, passage in enumerate(answer.sources, start=1)}
    return Given(
        came(outcome, scores),
        answer.status.value,
        "" if answer.claims else answer.text,
        tuple(_said(claim, numbers) for claim in answer.claims),
        tuple((each.one.quote, each.other.quote) for each in answer.conflicts),
        tuple(numbers),
        answer.degraded,
        known,
    )


def _said(claim: Claim, numbers: Mapping[str, int]) -> Said:
    verdict = claim.verdict
    says: dict[tuple[int | None, str], str] = {}  # what a verdict says of words counts last
    for said, citations in (
        ("cited", claim.citations),
        ("for", verdict.evidence_for),
        ("against", verdict.evidence_against),
    ):
        for each in citations:
            says[numbers.get(each.passage_id), each.quote] = said
    marks = dict.fromkeys(numbers.get(each.passage_id) for each in claim.citations)
    return Said(
        claim.text,
        verdict.support,
        verdict.probability,
        verdict.reason,
        tuple(number for number in marks if number is not None),
        tuple(Quote(number, words, said) for (number, words), said in says.items()),
    )

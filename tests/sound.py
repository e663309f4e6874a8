"""What every answer must be, whatever happened on the way to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from upheld.run.budget import Budget
from upheld.types import Answer, Citation, Claim, Event, Passage, Status

Texts = Mapping[str, str]  # canonical texts by document id

_MARKS = re.compile(r"(?: ((?:\[\d+\])+))?(?: |$)")
_MARK = re.compile(r"\[(\d+)\]")


def assert_sound(answer: Answer, texts: Texts, budget: Budget) -> None:
    """Exact spans, valid marks, a budget that was kept, a whole trace, and a status that fits."""
    assert isinstance(answer.status, Status)
    assert_spans(answer, texts)
    assert_marks(answer)
    assert_budget(answer, budget)
    assert_trace(answer.trace)
    assert bool(answer.claims) == (answer.status in (Status.ANSWERED, Status.PARTIAL))
    if answer.status in (Status.PARTIAL, Status.FAILED):
        assert any("budget" in label for label in answer.degraded), answer.degraded


def assert_spans(answer: Answer, texts: Texts) -> None:
    """Every quote stands in its document, inside its passage, where it says."""
    sources = {source.id: source for source in answer.sources}
    for source in answer.sources:
        assert texts[source.document_id][source.start : source.end] == source.text
    for claim in answer.claims:
        for citation in _pointed_at(claim):
            _assert_exact(citation, sources[citation.passage_id], texts)
    for conflict in answer.conflicts:
        for side in (conflict.one, conflict.other):
            assert texts[side.document_id][side.start : side.end] == side.quote


def _pointed_at(claim: Claim) -> Iterable[Citation]:
    verdict = claim.verdict
    return (*claim.citations, *verdict.evidence_for, *verdict.evidence_against)


def _assert_exact(citation: Citation, source: Passage, texts: Texts) -> None:
    assert citation.document_version == source.document_version
    assert source.start <= citation.start < citation.end <= source.end
    assert texts[citation.document_id][citation.start : citation.end] == citation.quote


def assert_marks(answer: Answer) -> None:
    """Claims stand in the text where they say, each with the numbers of what it cites after it."""
    if not answer.claims:
        assert answer.text
        return
    numbers = {source.id: number for number, source in enumerate(answer.sources, start=1)}
    end = 0
    for claim in answer.claims:
        assert (end, answer.text[claim.start : claim.end]) == (claim.start, claim.text)
        marks = _MARKS.match(answer.text, claim.end)
        assert marks is not None, answer.text[claim.end :]
        told = [int(each) for each in _MARK.findall(marks[1] or "")]
        assert told == sorted({numbers[each.passage_id] for each in claim.citations})
        end = marks.end()
    assert end == len(answer.text)


def assert_budget(answer: Answer, budget: Budget) -> None:
    """Not one call or token more than was allowed; what the trace tells adds up to what is told."""
    used = answer.usage
    assert budget.llm_calls is None or used.requests <= budget.llm_calls
    assert budget.tokens is None or used.tokens <= budget.tokens
    for name in ("requests", "completions", "prompt_tokens", "completion_tokens", "searches"):
        assert getattr(used, name) == sum(getattr(each.usage, name) for each in answer.trace)


def assert_trace(events: Iterable[Event]) -> None:
    """Every step that was begun has ended, inside the step that it belongs to."""
    steps = {event.id: event for event in events}
    assert sorted(steps) == list(range(1, len(steps) + 1))  # one that is open would be missing
    for step in steps.values():
        assert step.seconds >= 0
        if step.parent is not None:
            whole = steps[step.parent]
            assert whole.id < step.id
            assert whole.start <= step.start
            assert step.start + step.seconds <= whole.start + whole.seconds + 1e-6

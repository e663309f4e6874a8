"""Where the time of a run went, by stage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from upheld.types import Event
from upheld_lab.bench.page.run_data import Cut


def stage_seconds(cut: Cut) -> Mapping[str, Mapping[str, float]]:
    """By variant: seconds a question of each stage's own work.

    What has no time of its own is left out. Steps that run side by side count in full
    each, so the sum is work done, and may exceed the time that a caller waits.
    """
    told: dict[str, Mapping[str, float]] = {}
    for variant in cut.variants:
        traces = [
            outcome.answer.trace
            for asked in cut.questions
            if (outcome := cut.outcomes[asked.id, variant]).answer and not outcome.untimed
        ]
        work: defaultdict[str, float] = defaultdict(float)
        for trace in traces:
            for stage, spent in own_seconds(trace).items():
                work[stage] += spent
        if work:
            told[variant] = {stage: spent / len(traces) for stage, spent in work.items()}
    return told


def own_seconds(events: Sequence[Event]) -> Mapping[str, float]:
    """By stage: the time of its events in which none of their children was under way."""
    own: defaultdict[str, float] = defaultdict(float)
    for event in events:
        inside = [
            (max(child.start, event.start), min(_end(child), _end(event)))
            for child in events
            if child.parent == event.id
        ]
        own[event.stage] += event.seconds - _covered(inside)
    return own


def _end(event: Event) -> float:
    return event.start + event.seconds


def _covered(spans: Iterable[tuple[float, float]]) -> float:
    """The length of a union of spans: children may run side by side."""
    covered, until = 0.0, float("-inf")
    for start, end in sorted(spans):
        covered += max(0.0, end - max(start, until))
        until = max(until, end)
    return covered

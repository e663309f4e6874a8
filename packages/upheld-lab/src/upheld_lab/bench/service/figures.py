"""The arithmetic of the service bench, and what each of its numbers must not pass."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from upheld_lab.bench.report import Row

ALLOWED_SECONDS = 0.005  # what HTTP may cost whatever it carries
OK, TOO_MANY = 200, 429


@dataclass(frozen=True, slots=True)
class Replied:
    """One request as its caller saw it: when its reply came, after how long, counted in seconds."""

    status: int
    seconds: float
    at: float  # since the load began


@dataclass(frozen=True, slots=True)
class Bar:
    """What a number must keep to: at most so much, or at least."""

    limit: float
    at_least: bool = False

    def holds(self, value: float) -> bool:
        return value >= self.limit if self.at_least else value <= self.limit

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.limit:g}"


BARS = {
    "verify_added_p50_ratio": Bar(1.25),
    "answers_over_path": Bar(1.10),
    "overload_goodput": Bar(0.9, at_least=True),
    "reject_p95_ms": Bar(50),
    "cpu_per_request_ratio": Bar(1.15),
    "memory_growth": Bar(0.05),
    "first_sentence_share": Bar(0.6),
    "claims_revised": Bar(0.05),
}


def judged(bars: dict[str, float]) -> list[Row]:
    """Each number beside what it must keep to."""
    return [
        {"bar": name, "measured": value, "needs": str(BARS[name]), "holds": BARS[name].holds(value)}
        for name, value in bars.items()
    ]


def added_ratio(over_http: float, in_process: float) -> float:
    """`http <= 1.25 x in process + 5 ms`, as one number that is to be at most 1.25."""
    return (over_http - ALLOWED_SECONDS) / in_process


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of the values do not pass (nearest rank)."""
    return float(np.quantile(values, share, method="inverted_cdf"))


def goodput(replies: Sequence[Replied], begin: float, end: float) -> float:
    """Good replies a second that came between two moments."""
    good = [each for each in replies if each.status == OK and begin <= each.at < end]
    return len(good) / (end - begin)


def reject_p95(replies: Sequence[Replied]) -> float:
    """Seconds until those who are told to come back know it; infinite where nobody was told."""
    waits = [each.seconds for each in replies if each.status == TOO_MANY]
    return percentile(waits, 0.95) if waits else float("inf")


def unexpected(replies: Sequence[Replied]) -> int:
    """Replies that are neither an answer nor the caller's own limit."""
    return sum(each.status not in (OK, TOO_MANY) for each in replies)


def median_ratio(ones: Sequence[float], others: Sequence[float]) -> float:
    """The others over the ones, by medians."""
    return statistics.median(others) / statistics.median(ones)

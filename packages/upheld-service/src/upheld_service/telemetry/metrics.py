"""Prometheus metrics: every label is one of a few words, and none names a tenant.

What was missing from an answer is mapped to a few kinds, because labels must be bounded.
"""

from __future__ import annotations

import os
import time
from collections import Counter as Counted
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from upheld.check import CheckedAnswer
from upheld.methods.registry import METHODS
from upheld.types import Answer, Claim, Event, Status, Support
from upheld_service.telemetry.stalls import LATE_SECONDS

OTHER = "other"

# By the beginning of an entry of `Answer.degraded`; the rest may contain user text.
KINDS: tuple[tuple[str, str], ...] = (
    ("no embedder", "embedder"),
    ("the embedder failed", "embedder"),
    ("no grader", "grader"),
    ("the grader failed", "grader"),
    ("the relevance of claims is not known", "grader"),
    ("claims were not checked", "verifier"),
    ("the judge did not answer", "judge"),
    ("no language model", "llm"),
    ("the budget ended the run", "budget"),
    ("a call was skipped", "budget"),
    ("no guarantee", "guarantee"),
    ("the call cache", "call_cache"),
    ("search engines did not answer", "web"),
    ("the fallback search", "fallback_search"),
)


def kind_of(label: str) -> str:
    """Return the part that was missing; `other` for anything else."""
    return next((kind for start, kind in KINDS if label.startswith(start)), OTHER)


# From a BM25 search on a warm index to an answer of a slow model.
SECONDS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)


# Of the event loop: from what a call of `/healthz` notices to what blocks every request.
LAGS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
LAG_SECONDS = 60.0


@dataclass(slots=True)
class LongestLag:
    """The longest lag of this minute and the one before."""

    clock: Callable[[], float] = time.monotonic
    _began: float = float("-inf")
    _before: float = 0.0
    _now: float = 0.0

    def with_(self, seconds: float) -> float:
        now = self.clock()
        if now - self._began >= LAG_SECONDS:
            self._before = self._now if now - self._began < 2 * LAG_SECONDS else 0.0
            self._began, self._now = now, 0.0
        self._now = max(self._now, seconds)
        return max(self._before, self._now)


class Metrics:
    """The counters of one process, or of all that share `PROMETHEUS_MULTIPROC_DIR`."""

    def __init__(self) -> None:
        # They add one series for each of ours, and are of no use here.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        own = CollectorRegistry()
        self._registry = own
        self._requests = Counter(
            "upheld_http_requests", "Requests.", ("method", "route", "status"), registry=own
        )
        self._request_seconds = Histogram(
            "upheld_http_request_seconds",
            "Seconds until the last byte of a reply.",
            ("route",),
            buckets=SECONDS,
            registry=own,
        )
        self._in_progress = Gauge(
            "upheld_requests_in_progress",
            "Requests in progress.",
            multiprocess_mode="livesum",
            registry=own,
        )
        self._waiting = Gauge(
            "upheld_requests_waiting",
            "Requests in the queue.",
            multiprocess_mode="livesum",
            registry=own,
        )
        self._loop_lag = Histogram(
            "upheld_event_loop_lag_seconds",
            "Lag of the event loop, at every heartbeat.",
            buckets=LAGS,
            registry=own,
        )
        self._loop_stalls = Counter(
            "upheld_event_loop_stall_seconds",
            "Seconds in which the event loop was blocked, in stalls of over 0.1 s.",
            registry=own,
        )
        self._longest_lag = Gauge(
            "upheld_event_loop_longest_lag_seconds",
            "The longest lag of the event loop in the last minute or two.",
            multiprocess_mode="livemax",
            registry=own,
        )
        self._lags = LongestLag()
        self._answers = Counter("upheld_answers", "Answers.", ("method", "status"), registry=own)
        self._claims = Counter("upheld_claims", "Claims by verdict.", ("support",), registry=own)
        self._streamed = Counter(
            "upheld_streamed_claims",
            "Claims sent before their answer was complete, and those of them that changed.",
            ("state",),
            registry=own,
        )
        self._degraded = Counter(
            "upheld_degraded",
            "Entries of `degraded` in answers, by what was missing.",
            ("kind",),
            registry=own,
        )
        self._stage_seconds = Histogram(
            "upheld_stage_seconds",
            "Seconds of a stage, including nested stages.",
            ("stage",),
            buckets=SECONDS,
            registry=own,
        )
        self._stage_errors = Counter(
            "upheld_stage_errors", "Stages that failed.", ("stage",), registry=own
        )
        self._usage = {
            name: Counter(f"upheld_{metric}", told, registry=own)
            for name, metric, told in (
                ("requests", "llm_requests", "Requests to the language model."),
                (
                    "completions",
                    "llm_completions",
                    "Completions, including those from the call cache.",
                ),
                (
                    "cached_completions",
                    "llm_cached_completions",
                    "Completions from the call cache.",
                ),
                ("prompt_tokens", "llm_prompt_tokens", "Prompt tokens, including cached ones."),
                ("cached_tokens", "llm_cached_tokens", "Prompt tokens from the server's cache."),
                ("completion_tokens", "llm_completion_tokens", "Completion tokens."),
                (
                    "pairs_checked",
                    "pairs_checked",
                    "Pairs of texts that the verifier and the grader scored.",
                ),
                ("searches", "searches", "Searches of the index and the web."),
            )
        }
        self._begin_at_zero()

    def _begin_at_zero(self) -> None:
        """Create all series at zero: one that begins with its first event shows no rise."""
        for support in Support:
            self._claims.labels(support.value)
        for state in ("early", "revised"):
            self._streamed.labels(state)
        for method in METHODS:
            for status in Status:
                self._answers.labels(method, status.value)
        for kind in {OTHER, *(kind for _, kind in KINDS)}:
            self._degraded.labels(kind)

    # --- recording -------------------------------------------------------------------------------

    def event(self, event: Event) -> None:
        """Record an event of a run (a `Listener`); stage names are ours, so they are few."""
        self._stage_seconds.labels(event.stage).observe(event.seconds)
        if event.error is not None:
            self._stage_errors.labels(event.stage).inc()
        for name, counter in self._usage.items():
            if count := getattr(event.usage, name):
                counter.inc(count)

    def answered(self, answer: Answer) -> None:
        """Record an answer that a caller gets."""
        method = answer.method if answer.method in METHODS else OTHER
        self._answers.labels(method, answer.status.value).inc()
        self._judged(answer.claims, answer.degraded)

    def streamed(self, early: int, revised: int) -> None:
        """Record how many claims of an answer were sent early, and how many of them changed."""
        self._streamed.labels("early").inc(early)
        self._streamed.labels("revised").inc(revised)

    def checked(self, checked: CheckedAnswer) -> None:
        """Record a check of an answer written elsewhere."""
        self._judged(checked.claims, checked.degraded)

    def load(self, in_progress: int, waiting: int) -> None:
        """Record the load of the service: for `Admission(changed=…)`."""
        self._in_progress.set(in_progress)
        self._waiting.set(waiting)

    def lag(self, seconds: float) -> None:
        """Record the lag of the event loop: for `stalls.watched`."""
        self._loop_lag.observe(seconds)
        if seconds >= LATE_SECONDS:
            self._loop_stalls.inc(seconds)
        self._longest_lag.set(self._lags.with_(seconds))

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Record a request that has ended; `route` is the template, never the path."""
        self._requests.labels(method, route, str(status)).inc()
        self._request_seconds.labels(route).observe(seconds)

    def _judged(self, claims: tuple[Claim, ...], degraded: tuple[str, ...]) -> None:
        for support, count in Counted(claim.verdict.support for claim in claims).items():
            self._claims.labels(support.value).inc(count)
        for kind in {kind_of(label) for label in degraded}:
            self._degraded.labels(kind).inc()

    # --- reading ---------------------------------------------------------------------------------

    def text(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        registry = self._registry
        if folder := os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
            _forget_dead(Path(folder))
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)


def _forget_dead(folder: Path) -> None:
    """Remove the gauges of killed processes; their counters stay."""
    for file in folder.glob("gauge_live*.db"):
        process = int(file.stem.rpartition("_")[2])
        try:
            os.kill(process, 0)  # only tests whether it exists
        except ProcessLookupError:
            mark_process_dead(process)  # type: ignore[no-untyped-call]
        except PermissionError:
            continue  # it exists, under another user

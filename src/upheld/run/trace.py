"""The run: its trace, its budget and the best draft so far, held in a context variable.

with start_run(budget) as run:
    draft = await method(question)      # stages call `span(...)`, which finds the run
run.events, run.meter.used
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from typing import Any, Protocol, TypeVar, cast

from upheld._internal.cache import run_cache
from upheld._internal.otel import OtelSpan, OtelTracer, otel_span
from upheld.errors import UpheldError
from upheld.run.budget import Budget, Meter
from upheld.types import Claim, Draft, Event, Usage

T = TypeVar("T")
Score = tuple[float, ...]  # compared as tuples; larger is better
Listener = Callable[[Event], None]
# Called with the stage of a step, the step if it has ended, and what it found.
News = Callable[[str, Event | None, Mapping[str, Any]], None]
Wrote = Callable[[str], None]
OnClaim = Callable[[Claim], Awaitable[None]]


def heard_by(*listeners: Listener | None) -> Listener:
    """Combine listeners into one that calls each of them; None is skipped."""

    def tell(event: Event) -> None:
        for listener in listeners:
            if listener is not None:
                listener(event)

    return tell


@dataclass(slots=True)
class Span:
    """A step in progress; becomes an `Event` when it ends."""

    id: int
    parent: int | None
    stage: str
    start: float
    usage: Usage = Usage()
    note: str = ""
    found: Mapping[str, Any] = field(default_factory=dict)  # for `Run.news`; not in the trace


class Watch(Protocol):
    """Shows the progress of a run; called on the run's event loop, so it must be quick.

    Unlike a listener, it is called when a step begins, and with text that is not checked yet.

    Example::

        class Print:
            def began(self, stage: str) -> None:
                print(stage)

            def wrote(self, text: str) -> None: ...

        kb.ask("When does the lighthouse open?", options=AskOptions(watch=Print()))
    """

    def began(self, stage: str) -> None:
        """Called when a stage begins."""
        ...

    def wrote(self, text: str) -> None:
        """Called with all text (JSON) that the language model has written so far in one call."""
        ...


@dataclass(slots=True)
class Run:
    """The state of answering one question: trace, budget, best draft and cached results."""

    budget: Budget = Budget()
    tracer: OtelTracer | None = None
    listener: Listener | None = None  # called when a step ends, for progress and streaming
    watch: Watch | None = None
    news: News | None = None  # called with what steps found, for those who look on
    announced: Callable[[Draft], None] | None = None  # called with claims that begin the answer
    meter: Meter = field(init=False)
    events: list[Event] = field(default_factory=list, init=False)
    best: Draft | None = field(default=None, init=False)
    best_score: Score = field(default=(), init=False)
    degraded: list[str] = field(default_factory=list, init=False)
    known: dict[Hashable, Any] = field(default_factory=dict, init=False)  # results of this run
    _in_progress: dict[Hashable, asyncio.Lock] = field(default_factory=dict, init=False)
    _next_id: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.meter = Meter(self.budget)

    def offer(self, draft: Draft, score: Score = ()) -> bool:
        """Store the draft as the best one and return True, unless its score is lower."""
        if self.best is not None and score < self.best_score:
            return False
        self.best, self.best_score = draft, score
        return True

    def announce(self, draft: Draft) -> None:
        """Say that the answer begins with these claims, while the rest is still being written."""
        if self.announced is not None:
            self.announced(draft)

    def tell(self, stage: str, **found: Any) -> None:
        """Say what a step found after it has ended."""
        if self.news is not None:
            self.news(stage, None, found)

    async def once(self, key: Hashable, work: Callable[[], Awaitable[T]]) -> T:
        """Return the cached result for the key, or do the work and cache its result.

        Concurrent callers with the same key wait for the first one. Failures are not cached: the
        next caller tries again.
        """
        async with self._in_progress.setdefault(key, asyncio.Lock()):
            if key not in self.known:
                self.known[key] = await work()
            return cast("T", self.known[key])

    def degrade(self, what: str, error: UpheldError | None = None) -> None:
        """Record in the answer's `degraded` that a part was missing and how it was replaced.

        The first line of `error`, if given, is appended as the reason.
        """
        if error is not None:
            what = f"{what}: {error.first_line}"
        if what not in self.degraded:
            self.degraded.append(what)

    def open_span(self, stage: str, parent: int | None) -> Span:
        self._next_id += 1
        if self.watch is not None:
            self.watch.began(stage)
        return Span(self._next_id, parent, stage, self.meter.clock() - self.meter.started)

    def close_span(self, span: Span, error: BaseException | None) -> None:
        seconds = self.meter.clock() - self.meter.started - span.start
        told = None if error is None else _public(error)
        event = Event(
            span.id, span.parent, span.stage, span.start, seconds, span.usage, told, span.note
        )
        self.events.append(event)
        if self.listener is not None:
            self.listener(event)
        if self.news is not None:
            self.news(span.stage, event, span.found)


def _public(error: BaseException) -> str:
    """Describe an error for the trace.

    Only Upheld's own messages are included: others may contain paths and addresses.
    """
    kind = type(error).__name__
    return f"{kind}: {error}"[:300] if isinstance(error, UpheldError) else kind


_run: ContextVar[Run | None] = ContextVar("upheld_run", default=None)
_span: ContextVar[int | None] = ContextVar("upheld_span", default=None)
_wrote: ContextVar[Wrote | None] = ContextVar("upheld_wrote", default=None)


def current_run() -> Run:
    """Return the current run; outside of one, a new run without limits, so that stages work."""
    return _run.get() or Run()


@contextmanager
def start_run(
    budget: Budget | None = None,
    *,
    tracer: OtelTracer | None = None,
    listener: Listener | None = None,
    watch: Watch | None = None,
    news: News | None = None,
) -> Iterator[Run]:
    """Start a run and make it the current one inside the `with` block."""
    run = Run(budget or Budget(), tracer, listener, watch, news)
    run_token, span_token = _run.set(run), _span.set(None)
    try:
        with run_cache():
            yield run
    finally:
        _run.reset(run_token)
        _span.reset(span_token)
        run.known.clear()  # it holds texts, and a leftover timer may keep the run alive for longer


@contextmanager
def shadow_of(run: Run) -> Iterator[None]:
    """Let the block share a run's budget and cached results, but record nothing in its trace."""
    shadow = Run(run.budget)
    shadow.meter, shadow.known, shadow._in_progress = run.meter, run.known, run._in_progress
    token = _run.set(shadow)
    try:
        yield
    finally:
        _run.reset(token)


@contextmanager
def reading_along(wrote: Wrote) -> Iterator[None]:
    """Call `wrote` with the text so far while a language model writes in the block."""
    token = _wrote.set(wrote)
    try:
        yield
    finally:
        _wrote.reset(token)


def those_reading_along() -> Wrote | None:
    """Return what to call with the text that a language model writes; None if nobody reads."""
    watch, along = current_run().watch, _wrote.get()
    if watch is None or along is None:
        return along if watch is None else watch.wrote

    def both(text: str) -> None:
        watch.wrote(text)
        along(text)

    return both


@contextmanager
def span(stage: str, note: str = "") -> Iterator[Span]:
    """Record the block as a step of the current run, with its time, usage and error."""
    run = current_run()
    step = run.open_span(stage, _span.get())
    step.note = note
    token = _span.set(step.id)
    error: BaseException | None = None
    try:
        with otel_span(run.tracer, f"upheld.{stage}") as otel:
            try:
                yield step
            except BaseException as exc:
                error = exc
                raise
            finally:
                if otel is not None:
                    _describe(otel, step)
    finally:
        _span.reset(token)
        run.close_span(step, error)


def _describe(otel: OtelSpan, step: Span) -> None:
    """Set the usage of a step as attributes of its OpenTelemetry span.

    The names begin with `upheld.`: under `gen_ai.usage` sums would count the usage twice.
    """
    for each in fields(step.usage):
        if count := getattr(step.usage, each.name):
            otel.set_attribute(f"upheld.{each.name}", count)

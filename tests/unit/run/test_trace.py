"""The run: a tree of events with usage and errors, the best offer, the bridge to OpenTelemetry."""

from __future__ import annotations

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from upheld._internal.concurrency import together
from upheld.errors import LLMError
from upheld.run.trace import Run, current_run, span, start_run
from upheld.types import Draft, Event, Question, Usage


async def step(name: str) -> None:
    with span(name) as in_progress:
        in_progress.usage = Usage(searches=1)


async def test_events_form_a_tree_also_across_tasks() -> None:
    with start_run() as run, span("outer"):
        await together(step("left"), step("right"))
    by_stage = {event.stage: event for event in run.events}
    assert by_stage["left"].parent == by_stage["right"].parent == by_stage["outer"].id
    assert by_stage["outer"].parent is None
    assert by_stage["left"].usage == Usage(searches=1)
    assert all(event.seconds >= 0 and event.start >= 0 for event in run.events)


def test_a_failed_step_is_recorded_and_the_error_goes_on() -> None:
    with start_run() as run, pytest.raises(ValueError, match="no"), span("bad"):
        raise ValueError("no")
    assert run.events[0].error == "ValueError"  # the words of others may be a path or an address


def test_a_failed_step_of_ours_is_recorded_with_its_message() -> None:
    with start_run() as run, pytest.raises(LLMError), span("bad"):
        raise LLMError("it refused", detail="http://10.0.0.5/v1", address="http://10.0.0.5/v1")
    assert run.events[0].error == "LLMError: it refused"


def test_listeners_hear_of_each_event_as_it_ends() -> None:
    heard: list[Event] = []
    with start_run(listener=heard.append), span("a"), span("b"):
        pass
    assert [event.stage for event in heard] == ["b", "a"]


def test_the_best_offer_is_kept_and_never_falls() -> None:
    run, question = Run(), Question("q")
    good, bad, equal = Draft(question), Draft(question, notes=("bad",)), Draft(question)
    assert run.offer(good, (1.0, 0.5))
    assert not run.offer(bad, (1.0, 0.4))
    assert run.offer(equal, (1.0, 0.5))
    assert run.best is equal


def test_outside_a_run_a_stage_still_works() -> None:
    with span("alone"):
        assert current_run().events == []


def test_runs_do_not_see_each_other() -> None:
    with start_run() as one, span("one"):
        pass
    with start_run() as other:
        pass
    assert len(one.events) == 1
    assert other.events == []


def test_steps_become_opentelemetry_spans_when_a_tracer_is_given() -> None:
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    with start_run(tracer=provider.get_tracer("upheld")), span("outer"), span("write") as step:
        step.usage = Usage(requests=1, prompt_tokens=7, completion_tokens=3)
    inner, outer = kept.get_finished_spans()
    assert (inner.name, outer.name) == ("upheld.write", "upheld.outer")
    assert inner.parent is not None
    assert inner.parent.span_id == outer.context.span_id
    assert inner.attributes is not None
    assert dict(inner.attributes) == {
        "upheld.requests": 1,
        "upheld.prompt_tokens": 7,
        "upheld.completion_tokens": 3,
    }


def test_spans_say_how_a_step_failed_but_not_in_its_words() -> None:
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    tracer = provider.get_tracer("upheld")
    with pytest.raises(ValueError, match="words"), start_run(tracer=tracer), span("write"):
        raise ValueError("words of a document")
    (failed,) = kept.get_finished_spans()
    assert failed.attributes is not None
    assert failed.attributes["error.type"] == "ValueError"
    assert failed.status.status_code is StatusCode.ERROR
    assert "words" not in failed.to_json()

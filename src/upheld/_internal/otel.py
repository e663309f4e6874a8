"""OpenTelemetry spans without private text: names, durations, usage and error types.

An error's message may contain a question, a document or a server's echo of them, so spans record
only the type of an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Protocol


class OtelSpan(Protocol):
    """The part of OpenTelemetry's span interface that Upheld uses."""

    def set_attribute(self, key: str, value: Any) -> object: ...
    def set_status(self, status: Any) -> object: ...


class OtelTracer(Protocol):
    """The part of OpenTelemetry's tracer interface that Upheld uses."""

    def start_as_current_span(
        self,
        name: str,
        /,
        *,
        kind: Any = ...,
        record_exception: bool = ...,
        set_status_on_exception: bool = ...,
    ) -> AbstractContextManager[OtelSpan]: ...


def otel_span(
    tracer: OtelTracer | None,
    name: str,
    attributes: Mapping[str, str | int | float] | None = None,
    *,
    to_a_server: bool = False,
) -> AbstractContextManager[OtelSpan | None]:
    """Record the `with` block as a span; do nothing without a tracer."""
    if tracer is None:
        return nullcontext()
    return _started(tracer, name, attributes or {}, to_a_server=to_a_server)


@contextmanager
def _started(
    tracer: OtelTracer,
    name: str,
    attributes: Mapping[str, str | int | float],
    *,
    to_a_server: bool,
) -> Iterator[OtelSpan]:
    from opentelemetry.trace import SpanKind, StatusCode  # installed, since there is a tracer

    with tracer.start_as_current_span(
        name,
        kind=SpanKind.CLIENT if to_a_server else SpanKind.INTERNAL,
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        for key, value in attributes.items():
            span.set_attribute(key, value)
        try:
            yield span
        except BaseException as error:
            span.set_attribute("error.type", type(error).__name__)
            span.set_status(StatusCode.ERROR)
            raise

"""OpenTelemetry spans of language model calls, by the GenAI conventions, without their text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from upheld._internal.otel import otel_span
from upheld.edge.openai.errors import Endpoint
from upheld.edge.openai.retry import Tally
from upheld.ports import Sampling
from upheld.run.trace import current_run


@contextmanager
def chat_span(endpoint: Endpoint, sampling: Sampling, tally: Tally) -> Iterator[None]:
    """Open one span around a call with all its retries; its usage is set at the end."""
    tracer = current_run().tracer
    asked = None if tracer is None else _asked(endpoint, sampling)
    with otel_span(tracer, f"chat {endpoint.model}", asked, to_a_server=True) as span:
        try:
            yield
        finally:
            if span is not None:
                usage = tally.usage
                span.set_attribute("gen_ai.usage.input_tokens", usage.prompt_tokens)
                span.set_attribute("gen_ai.usage.cache_read.input_tokens", usage.cached_tokens)
                span.set_attribute("gen_ai.usage.output_tokens", usage.completion_tokens)


def _asked(endpoint: Endpoint, sampling: Sampling) -> dict[str, str | int | float]:
    server = urlsplit(endpoint.base_url)
    asked: dict[str, str | int | float] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",  # the API; the actual provider is not known
        "gen_ai.request.model": endpoint.model,
        "gen_ai.request.max_tokens": sampling.max_tokens,
        "gen_ai.request.temperature": sampling.temperature,
        "gen_ai.request.choice.count": sampling.samples,
        "gen_ai.output.type": "json",
        "server.address": server.hostname or "",
    }
    if sampling.seed is not None:
        asked["gen_ai.request.seed"] = sampling.seed
    if server.port is not None:
        asked["server.port"] = server.port
    return asked

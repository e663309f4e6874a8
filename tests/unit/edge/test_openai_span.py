"""Calls of the language model are traced by the GenAI conventions, without a word of them."""

from __future__ import annotations

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from pydantic import BaseModel, SecretStr

from tests.servers.unruly import Handler, completion, in_turn, refused, unruly
from upheld.edge.openai.llm import OpenAILLM
from upheld.edge.openai.retry import Retry
from upheld.errors import LLMRejectedError
from upheld.ports import Message, Sampling
from upheld.run.calls import generate
from upheld.run.trace import start_run

SECRET, QUESTION, DOCUMENT = "sk-very-secret-0123456789", "Which colour?", "It is painted green."
USAGE = {
    "prompt_tokens": 11,
    "completion_tokens": 5,
    "total_tokens": 16,
    "prompt_tokens_details": {"cached_tokens": 4},
}


class Colour(BaseModel):
    name: str


async def traced(handler: Handler) -> tuple[list[ReadableSpan], int]:
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    async with unruly(handler) as server:
        llm = OpenAILLM(
            server.url, "small", SecretStr(SECRET), retry=Retry(first_pause=0.001, longest_pause=0)
        )
        messages = (Message("system", DOCUMENT), Message("user", QUESTION))
        sampling = Sampling(max_tokens=20, temperature=0.5, seed=3)
        try:
            with start_run(tracer=provider.get_tracer("upheld")):
                await generate(llm, "write", messages, Colour, sampling)
        finally:
            await llm.close()
            port = int(server.url.split(":")[2].split("/")[0])
            spans = list(kept.get_finished_spans())
            told = "".join(span.to_json() for span in spans)
            assert not any(word in told for word in (SECRET, QUESTION, DOCUMENT, "teal"))
    return spans, port


async def test_a_call_is_a_client_span_with_the_conventions_names() -> None:
    spans, port = await traced(
        in_turn(refused(503, "busy"), completion('{"name": "teal"}', usage=USAGE))
    )
    retry, call, stage = spans
    assert (retry.name, call.name, stage.name) == ("upheld.retry", "chat small", "upheld.write")
    assert call.kind is SpanKind.CLIENT
    assert call.parent is not None
    assert call.parent.span_id == stage.context.span_id
    assert dict(call.attributes or {}) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "small",
        "gen_ai.request.max_tokens": 20,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.choice.count": 1,
        "gen_ai.request.seed": 3,
        "gen_ai.output.type": "json",
        "gen_ai.usage.input_tokens": 11,
        "gen_ai.usage.cache_read.input_tokens": 4,
        "gen_ai.usage.output_tokens": 5,
        "server.address": "127.0.0.1",
        "server.port": port,
    }
    assert not any(key.startswith("gen_ai.") for key in stage.attributes or ())


async def test_a_refused_call_tells_its_kind_only() -> None:
    with pytest.raises(LLMRejectedError) as error:
        await traced(in_turn(refused(400, f"cannot read: {DOCUMENT}")))
    assert DOCUMENT in error.value.detail  # what must not reach the span, nor the message
    assert DOCUMENT not in str(error.value)


async def test_a_failed_call_is_an_error_of_its_type() -> None:
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    async with unruly(in_turn(refused(400, "no"))) as server:
        llm = OpenAILLM(server.url, "small")
        with (
            pytest.raises(LLMRejectedError),
            start_run(tracer=provider.get_tracer("upheld")),
        ):
            await generate(llm, "write", (Message("user", QUESTION),), Colour)
        await llm.close()
    call, stage = kept.get_finished_spans()
    for span in (call, stage):
        assert (span.attributes or {})["error.type"] == "LLMRejectedError"
        assert span.status.status_code is StatusCode.ERROR
        assert not span.status.description
        assert not span.events

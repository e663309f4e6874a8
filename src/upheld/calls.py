"""The one door between stages and ports: every call is reserved, traced, timed and settled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from upheld.concurrency import within
from upheld.errors import BudgetExceededError, LLMError
from upheld.ports import LLM, Embedder, Message, Output, Reply, Sampling
from upheld.trace import current_run, span
from upheld.types import Usage

if TYPE_CHECKING:
    from upheld.ports import Vector


async def generate(
    llm: LLM,
    stage: str,
    messages: Sequence[Message],
    output: type[Output],
    sampling: Sampling = Sampling(),
) -> Reply[Output]:
    """Ask the language model inside the run's budget and deadline."""
    meter = current_run().meter
    worst = llm.count_tokens(messages) + sampling.samples * sampling.max_tokens
    reservation = meter.reserve(calls=1, tokens=worst)
    used = Usage(requests=1)  # a call that fails or is cancelled has still been made
    with span(stage) as step:
        try:
            reply = await within(meter.seconds_left, llm.generate(messages, output, sampling))
            used = reply.usage
            return reply
        except TimeoutError as late:
            raise BudgetExceededError("time ran out while the language model wrote") from late
        except LLMError as error:
            used = error.usage if error.usage.requests else used
            raise
        finally:
            step.usage = used
            meter.settle(reservation, used)


async def embed_query(embedder: Embedder, text: str) -> Vector:
    """Embed one query inside the run's deadline."""
    with span("embed"):
        try:
            vectors = await within(current_run().meter.seconds_left, embedder.embed([text]))
        except TimeoutError as late:
            raise BudgetExceededError("time ran out while the query was embedded") from late
    vector: Vector = vectors[0]
    return vector

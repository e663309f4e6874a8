"""A served language model that is measured, or that writes training data.

Stages go on without a model that fails. Here that would count an outage as the model's answer.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager

from upheld.errors import LLMRejectedError, LLMUnavailableError, UpheldError
from upheld.ports import LLM, Message, Output, Reply, Sampling


class NotServedError(UpheldError):
    """The model that is measured cannot be asked."""


class Served:
    """An `LLM` around an `LLM`: raises `NotServedError`, which no stage catches, at an outage."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    @property
    def identity(self) -> str:
        return self._llm.identity

    async def generate(
        self, messages: Sequence[Message], output: type[Output], sampling: Sampling = Sampling()
    ) -> Reply[Output]:
        with _ending():
            return await self._llm.generate(messages, output, sampling)

    async def stream(
        self, messages: Sequence[Message], sampling: Sampling = Sampling()
    ) -> AsyncIterator[str]:
        with _ending():
            async for piece in self._llm.stream(messages, sampling):
                yield piece

    def count_tokens(self, messages: Sequence[Message]) -> int:
        return self._llm.count_tokens(messages)

    async def close(self) -> None:
        await self._llm.close()


@contextmanager
def _ending() -> Iterator[None]:
    try:
        yield
    except (LLMUnavailableError, LLMRejectedError) as error:
        raise NotServedError(
            f"The run has ended: {error.first_line}",
            help="Fix that, and run the same command again: lines that were written are kept.",
        ) from error

"""Replies kept for one question of one variant: taken up after a kill, it repeats no call.

Unlike the call cache, a reply is never used twice, so that a run costs and takes what it would
without; what it cost is kept with it, so that a run cut and resumed counts the same; and a reply
that did not fit its schema is kept too.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict
from pathlib import Path

from upheld.edge.call_cache import as_text, call_cache, call_key, from_text
from upheld.errors import LLMOutputError, LLMRejectedError, LLMUnavailableError
from upheld.ports import LLM, Message, Output, Reply, Sampling
from upheld.types import Usage, content_hash


class KeptCalls:
    """An `LLM` around an `LLM`: the n-th time that a call is made it has the n-th reply."""

    def __init__(self, llm: LLM, file: Path, question: str) -> None:
        self._llm = llm
        self._cache = call_cache(file)
        self._question = question
        self._made: Counter[str] = Counter()
        self.replayed = 0  # replies from before an interruption
        self.unavailable: LLMUnavailableError | None = None  # the last that came instead of a reply
        self.rejected: LLMRejectedError | None = None

    @property
    def identity(self) -> str:
        return self._llm.identity

    async def generate(
        self, messages: Sequence[Message], output: type[Output], sampling: Sampling = Sampling()
    ) -> Reply[Output]:
        call = f"{call_key(self.identity, messages, output, sampling)} {sampling.samples}"
        self._made[call] += 1
        key = content_hash(f"{self._question} {call} {self._made[call]}")
        if (kept := self._cache.get([key]).get(key)) is not None:
            self.replayed += 1
            return _again(kept, output)
        try:
            reply = await self._llm.generate(messages, output, sampling)
        except LLMOutputError as error:
            self._keep(key, {"error": error.args[0], "usage": asdict(error.usage)})
            raise
        except LLMUnavailableError as error:
            self.unavailable = error
            raise
        except LLMRejectedError as error:
            self.rejected = error
            raise
        samples = [as_text(each) for each in reply.generations]
        self._keep(key, {"samples": samples, "usage": asdict(reply.usage)})
        return reply

    def stream(
        self, messages: Sequence[Message], sampling: Sampling = Sampling()
    ) -> AsyncIterator[str]:
        return self._llm.stream(messages, sampling)

    def count_tokens(self, messages: Sequence[Message]) -> int:
        return self._llm.count_tokens(messages)

    async def close(self) -> None:
        await self._llm.close()

    def _keep(self, key: str, kept: dict[str, object]) -> None:
        # Not in a thread: the next call would go out before this reply is safe.
        self._cache.put({key: json.dumps(kept)})


def _again(text: str, output: type[Output]) -> Reply[Output]:
    """The reply, or the failure, as it was; with what it cost."""
    kept = json.loads(text)
    usage = Usage(**kept["usage"])
    if "error" in kept:
        failed = LLMOutputError(kept["error"])
        failed.usage = usage
        raise failed
    read_again = (from_text(each, output) for each in kept["samples"])
    return Reply(tuple(each for each in read_again if each is not None), usage)

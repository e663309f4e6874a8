"""A scripted language model that fulfils the port's contract."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from upheld._internal.cache import cached_in_run
from upheld._internal.concurrency import request_sent
from upheld.errors import LLMError, LLMOutputError
from upheld.ports import Generation, Message, Output, Reply, Sampling, Token
from upheld.types import Usage

Line = BaseModel | Mapping[str, Any] | str | LLMError
Script = Callable[[Sequence[Message], type[BaseModel] | None], Line] | Sequence[Line]

_PIECE = re.compile(r"\s*\S{1,4}|\s+")  # the tokens of this model


@dataclass(frozen=True, slots=True)
class Call:
    """The arguments of one call; `output` is None for a stream."""

    messages: tuple[Message, ...]
    output: type[BaseModel] | None
    sampling: Sampling


class FakeLLM:
    """Returns the lines of its script: a list, or a function of messages and output model.

    >>> llm = FakeLLM([{"claims": []}, LLMUnavailableError("down")])

    One line serves one sample. A line is a value, a mapping, raw text, or an error to raise; after
    the last line of a list, LLMOutputError is raised. `calls` records the arguments of each call.
    """

    def __init__(self, script: Script, *, latency: float = 0.0) -> None:
        self._say = script if callable(script) else _in_turn(iter(script))
        self._latency = latency
        self._seen: list[str] = []  # earlier prompts; shared prefixes count as cached
        self.calls: list[Call] = []

    @property
    def identity(self) -> str:
        return "fake"

    async def generate(
        self, messages: Sequence[Message], output: type[Output], sampling: Sampling = Sampling()
    ) -> Reply[Output]:
        texts = await self._speak(messages, output, sampling, sampling.samples)
        usage = self._usage(messages, texts)
        read: list[Generation[Output]] = []
        wrong: ValidationError | None = None
        for text in texts:
            try:
                value = output.model_validate_json(text)
            except ValidationError as error:
                wrong = error
                continue
            read.append(Generation(value, text, _tokens(text, sampling.logprobs)))
        if not read:
            failed = LLMOutputError(f"the script's line does not fit {output.__name__}")
            failed.usage = usage
            raise failed from wrong
        return Reply(tuple(read), usage)

    async def stream(
        self, messages: Sequence[Message], sampling: Sampling = Sampling()
    ) -> AsyncIterator[str]:
        (text,) = await self._speak(messages, None, sampling, 1)
        for piece in _PIECE.findall(text):
            yield piece

    def count_tokens(self, messages: Sequence[Message]) -> int:
        return sum(_pieces(each.content) + 1 for each in messages)

    async def close(self) -> None:
        """Do nothing: there are no resources."""

    async def _speak(
        self,
        messages: Sequence[Message],
        output: type[BaseModel] | None,
        sampling: Sampling,
        samples: int,
    ) -> list[str]:
        self.calls.append(Call(tuple(messages), output, sampling))
        request_sent()
        await asyncio.sleep(self._latency)
        lines = [self._say(messages, output) for _ in range(samples)]
        for line in lines:
            if isinstance(line, LLMError):
                line.usage = Usage(requests=1)
                raise line
        return ["".join(_PIECE.findall(_text(line))[: sampling.max_tokens]) for line in lines]

    def _usage(self, messages: Sequence[Message], texts: Sequence[str]) -> Usage:
        prompt = "\n".join(each.content for each in messages)
        shared = max((_prefix(prompt, seen) for seen in self._seen), key=len, default="")
        self._seen.append(prompt)
        return Usage(
            requests=1,
            completions=len(texts),
            prompt_tokens=self.count_tokens(messages),
            cached_tokens=_pieces(shared),
            completion_tokens=sum(map(_pieces, texts)),
        )


@cached_in_run(1_000)  # every prompt of a kind begins with the same rules
def _pieces(text: str) -> int:
    return len(_PIECE.findall(text))


def _prefix(one: str, other: str) -> str:
    """Return the common prefix of two texts; bisection is much faster than stepping."""
    same, beyond = 0, min(len(one), len(other)) + 1
    while beyond - same > 1:
        middle = (same + beyond) // 2
        if one.startswith(other[:middle]):
            same = middle
        else:
            beyond = middle
    return one[:same]


def _in_turn(
    lines: Iterator[Line],
) -> Callable[[Sequence[Message], type[BaseModel] | None], Line]:
    def say(messages: Sequence[Message], output: type[BaseModel] | None) -> Line:
        return next(lines, LLMOutputError("the script has no more lines"))

    return say


def _text(line: Line) -> str:
    match line:
        case BaseModel():
            return line.model_dump_json()
        case str():
            return line
        case Mapping():
            return json.dumps(line, ensure_ascii=False)
        case _:
            raise TypeError(f"not a line of a script: {line!r}")


def _tokens(text: str, alternatives: int) -> tuple[Token, ...]:
    if not alternatives:
        return ()
    others = tuple((f"<{n}>", -3.0 - n) for n in range(1, alternatives))
    return tuple(Token(piece, -0.1, ((piece, -0.1), *others)) for piece in _PIECE.findall(text))

"""Read a chat completion: values, tokens and usage."""

from __future__ import annotations

import string
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessage
from openai.types.chat.chat_completion import Choice
from pydantic import ValidationError

from upheld.edge.openai.errors import Endpoint
from upheld.edge.openai.schema_prompt import unfenced
from upheld.errors import LLMError, LLMOutputError, LLMRejectedError
from upheld.ports import Generation, Output, Token
from upheld.types import Usage

_CHEAP = (string.ascii_letters + string.whitespace).encode()


def read_choices(
    choices: Sequence[Choice], output: type[Output], endpoint: Endpoint
) -> tuple[Generation[Output], ...]:
    """Return the choices that fit the schema; raises the first error if none does."""
    read: list[Generation[Output]] = []
    errors: list[LLMError] = []
    for choice in choices:
        try:
            read.append(_read(choice, output, endpoint))
        except LLMError as error:
            errors.append(error)
    if not read:
        raise errors[0]
    return tuple(read)


def _read(choice: Choice, output: type[Output], endpoint: Endpoint) -> Generation[Output]:
    if choice.finish_reason == "content_filter" or choice.message.refusal:
        raise _refusal(choice.message.refusal, endpoint)
    text = unfenced(choice.message.content or "")
    try:
        value = output.model_validate_json(text)
    except ValidationError as error:
        if choice.finish_reason == "length":
            raise LLMOutputError(
                f"the model's output was cut off after {len(text)} characters",
                help="Allow it more tokens (max_tokens).",
            ) from endpoint.cause(error)
        told = endpoint.hide(error.errors(include_url=False)[0]["msg"])
        raise LLMOutputError(
            f"the model's output does not fit {output.__name__}: {told}",
            help="Does the server support response_format with json_schema?",
        ) from endpoint.cause(error)
    return Generation(value, text, _tokens(choice))


def pieces_of(chunk: ChatCompletionChunk, endpoint: Endpoint) -> list[str]:
    """Return the text that a chunk of a stream adds."""
    for choice in chunk.choices or ():
        if choice.finish_reason == "content_filter" or choice.delta.refusal:
            raise _refusal(choice.delta.refusal, endpoint)
    return [choice.delta.content for choice in chunk.choices or () if choice.delta.content]


async def whole(
    chunks: AsyncIterator[ChatCompletionChunk], wrote: Callable[[str], None]
) -> ChatCompletion | None:
    """Collect a stream of one choice into a completion; None if it had no events.

    `wrote` is called with the text so far, after every piece.
    """
    text, refusal, usage, last = "", "", None, None
    finish: Any = "stop"
    async for last in chunks:
        usage = last.usage or usage
        for choice in last.choices or ():
            finish = choice.finish_reason or finish
            refusal += choice.delta.refusal or ""
            if choice.delta.content:
                text += choice.delta.content
                wrote(text)
    if last is None:
        return None
    message = ChatCompletionMessage(role="assistant", content=text, refusal=refusal or None)
    only = Choice.model_construct(finish_reason=finish, index=0, message=message, logprobs=None)
    return ChatCompletion.model_construct(
        id=last.id,
        choices=[only],
        created=last.created,
        model=last.model,
        object="chat.completion",
        usage=usage,
    )


def _refusal(told: str | None, endpoint: Endpoint) -> LLMRejectedError:
    reason = endpoint.hide(told) if told else "its content filter blocked the reply"
    return LLMRejectedError(f"the model refused to answer: {reason}")


def used(completion: ChatCompletion, prompt_tokens: int) -> Usage:
    """Return the usage of a completion, as the server reports it where possible."""
    texts = [choice.message.content or "" for choice in completion.choices]
    told = reported(completion)
    if told is None:
        return estimated(prompt_tokens, texts)
    if len(texts) == 1:
        return told
    # llama.cpp reports the tokens of the first choice only: take the larger of its number and our
    # own count, which is exact if log probabilities were requested.
    counted = sum(len(_tokens(choice)) for choice in completion.choices)
    there = counted or sum(len(text.encode()) for text in texts) // 4
    return Usage(
        completions=len(texts),
        prompt_tokens=told.prompt_tokens,
        cached_tokens=told.cached_tokens,
        completion_tokens=max(told.completion_tokens, there),
    )


def reported(answer: ChatCompletion | ChatCompletionChunk) -> Usage | None:
    """Return the usage that the server reports, or None."""
    usage = answer.usage
    if usage is None:
        return None
    details = usage.prompt_tokens_details
    return Usage(
        completions=1,
        prompt_tokens=usage.prompt_tokens,
        cached_tokens=(details.cached_tokens or 0) if details else 0,
        completion_tokens=usage.completion_tokens,
    )


def estimated(prompt_tokens: int, texts: Sequence[str]) -> Usage:
    """Estimate the usage if a server reports none, or a stream was left early."""
    return Usage(
        completions=len(texts),
        prompt_tokens=prompt_tokens,
        completion_tokens=sum(most_tokens(text) for text in texts),
    )


def most_tokens(text: str) -> int:
    """Estimate an upper bound: two ASCII letters or spaces per token, or one other byte."""
    data = text.encode("utf-8", "surrogatepass")
    dear = len(data.translate(None, _CHEAP))
    return (len(data) - dear + 1) // 2 + dear


def _tokens(choice: Choice) -> tuple[Token, ...]:
    if choice.logprobs is None:
        return ()
    return tuple(
        Token(
            each.token,
            each.logprob,
            tuple((other.token, other.logprob) for other in each.top_logprobs or ()),
        )
        for each in choice.logprobs.content or ()
    )

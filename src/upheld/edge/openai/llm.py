"""Any OpenAI-compatible server as the port `LLM`: llama.cpp, vLLM, Ollama, OpenAI."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import openai
from openai import AsyncOpenAI, AsyncStream
from openai.types.chat import ChatCompletion
from openai.types.chat.chat_completion import Choice
from pydantic import BaseModel, SecretStr

from upheld._internal.concurrency import all_of, request_sent
from upheld.edge.openai.errors import Endpoint
from upheld.edge.openai.reply import (
    estimated,
    most_tokens,
    pieces_of,
    read_choices,
    reported,
    used,
    whole,
)
from upheld.edge.openai.retry import Retry, Tally
from upheld.edge.openai.schema_prompt import IGNORED, ignores_schema, with_schema
from upheld.edge.openai.span import chat_span
from upheld.edge.openai.strict_schema import strict_schema
from upheld.errors import BudgetExceededError, LLMError, LLMRejectedError
from upheld.ports import Message, Output, Reply, Sampling
from upheld.run.trace import current_run, those_reading_along
from upheld.types import Usage

if TYPE_CHECKING:
    import httpx2

_CONNECT_SECONDS = 5.0
_STALLED = "the language model stalled"  # key in `run.known`
_GRACE_SECONDS = 0.5  # so that the run's own deadline comes first, with its clearer error
_TOKENS_PER_MESSAGE = 8  # role and turn markers of the chat templates we know

# Parameters that newer OpenAI models rename, or do not accept.
_OTHERWISE: dict[str, str | None] = {"max_tokens": "max_completion_tokens", "temperature": None}
_LARGE = ("messages", "response_format")
_ABOUT_SCHEMA = re.compile(r"schema|response_format|grammar", re.IGNORECASE)


async def _tell_when_sent(request: httpx2.Request) -> None:
    async def trace(event: str, _about: object) -> None:
        if event.endswith("send_request_body.complete"):
            request_sent()

    request.extensions["trace"] = trace


class OpenAILLM:
    """A chat model behind the OpenAI API; one instance per endpoint, shared by all runs."""

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: SecretStr | None = None,
        *,
        concurrency: int = 8,
        timeout: float = 300.0,
        retry: Retry | None = None,
    ) -> None:
        self._endpoint = Endpoint(base_url, model, api_key)
        self._timeout = timeout
        self._retry = retry or Retry()
        self._slots = asyncio.Semaphore(concurrency)
        self._client = AsyncOpenAI(
            base_url=base_url,
            # Never None: the SDK would then send the user's OpenAI key to this server.
            api_key=api_key.get_secret_value() if api_key else "none",
            max_retries=0,
            http_client=openai.DefaultAsyncHttpxClient(event_hooks={"request": [_tell_when_sent]}),
        )
        # Learned from this server; each wrong guess costs one request.
        self._otherwise: dict[str, str | None] = {}
        self._most_choices: int | None = None
        self._takes_bounds = True
        self._streams = True
        self._ignores_schema = False

    @property
    def identity(self) -> str:
        return f"{self._endpoint.model} at {self._endpoint.shown}"

    def __repr__(self) -> str:
        return f"OpenAILLM({self.identity})"

    async def generate(
        self, messages: Sequence[Message], output: type[Output], sampling: Sampling = Sampling()
    ) -> Reply[Output]:
        tally = Tally(current_run().meter)
        try:
            with chat_span(self._endpoint, sampling, tally):
                choices = await self._shaped(messages, output, sampling, tally)
                return Reply(read_choices(choices, output, self._endpoint), tally.usage)
        except LLMError as error:
            error.usage = tally.usage
            raise
        finally:
            tally.release()

    async def stream(
        self, messages: Sequence[Message], sampling: Sampling = Sampling()
    ) -> AsyncIterator[str]:
        """Yield free text in pieces; its cost is charged to the run, as pieces carry no usage."""
        meter = current_run().meter
        tally = Tally(meter)
        arguments = self._arguments(messages, sampling)
        arguments |= {"stream": True, "stream_options": {"include_usage": True}}
        pieces: list[str] | None = None  # None until the server accepts the request
        usage: Usage | None = None
        try:
            async with self._slots:
                chunks = await self._complete(arguments, tally, held=True)
                assert isinstance(chunks, AsyncStream)
                pieces, chunk = [], None
                try:
                    async for chunk in chunks:
                        meter.check_time()
                        usage = reported(chunk) or usage
                        for piece in pieces_of(chunk, self._endpoint):
                            pieces.append(piece)
                            yield piece
                    if chunk is None:
                        raise ValueError("a stream without events")
                except (openai.OpenAIError, ValueError) as error:
                    if isinstance(error, openai.APITimeoutError):
                        current_run().known[_STALLED, id(self)] = True
                    raise self._endpoint.translate(error) from self._endpoint.cause(error)
                finally:
                    await chunks.close()
        finally:
            tally.release()
            if usage is None and pieces is not None:  # not reported, or the stream was left early
                usage = estimated(self.count_tokens(messages), ["".join(pieces)])
            meter.spend(tally.usage + (usage or Usage()))

    def count_tokens(self, messages: Sequence[Message]) -> int:
        """Estimate an upper bound without a tokenizer.

        Byte-level tokenizers never make more tokens than bytes, and come close to that on digits,
        symbols and rare scripts, so each such byte counts as one token. Words of ASCII letters have
        at least two bytes per token; only random letters have fewer. On English prose the estimate
        is about twice the true number.
        """
        return sum(most_tokens(each.content) + _TOKENS_PER_MESSAGE for each in messages)

    async def close(self) -> None:
        await self._client.close()

    # --- asking ----------------------------------------------------------------------------------

    def _arguments(self, messages: Sequence[Message], sampling: Sampling) -> dict[str, Any]:
        arguments: dict[str, Any] = {
            "model": self._endpoint.model,
            "messages": [{"role": each.role, "content": each.content} for each in messages],
            "max_tokens": sampling.max_tokens,
            "temperature": sampling.temperature,
        }
        if sampling.seed is not None:
            arguments["seed"] = sampling.seed
        if sampling.logprobs:
            arguments |= {"logprobs": True, "top_logprobs": sampling.logprobs}
        if sampling.top_k is not None:
            arguments["extra_body"] = {"top_k": sampling.top_k}
        return arguments

    async def _shaped(
        self, messages: Sequence[Message], output: type[BaseModel], sampling: Sampling, tally: Tally
    ) -> list[Choice]:
        """Return choices; if the server ignores the schema, those of a prompt that states it.

        That is remembered: later calls state the schema at once.
        """
        if self._ignores_schema:
            current_run().degrade(IGNORED)
            longer = with_schema(messages, output)
            tally.reserve(calls=0, tokens=self.count_tokens(longer) - self.count_tokens(messages))
            return await self._choices(longer, output, sampling, tally)
        choices = await self._choices(messages, output, sampling, tally)
        if not ignores_schema(choices, output):
            return choices
        self._ignores_schema = True
        current_run().degrade(IGNORED)
        longer = with_schema(messages, output)
        worst = self.count_tokens(longer) + sampling.samples * sampling.max_tokens
        try:
            tally.reserve(calls=1, tokens=worst)
        except BudgetExceededError:
            return choices  # an error for the caller, as any output that does not fit
        return await self._choices(longer, output, sampling, tally)

    async def _choices(
        self, messages: Sequence[Message], output: type[BaseModel], sampling: Sampling, tally: Tally
    ) -> list[Choice]:
        """Return as many choices as requested, in one request if possible, else in several."""
        arguments = self._arguments(messages, sampling) | {"response_format": output}
        samples = sampling.samples
        first = await self._sample(messages, arguments, samples, 0, tally)
        missing, batch = samples - len(first), len(first)
        if missing <= 0:
            return first[:samples]
        self._most_choices = batch
        starts = range(batch, samples, batch)
        tally.reserve(calls=len(starts), tokens=len(starts) * self.count_tokens(messages))
        more = await all_of(
            self._sample(messages, arguments, min(batch, samples - start), start, tally)
            for start in starts
        )
        return first + [choice for batch_of in more for choice in batch_of]

    async def _sample(
        self,
        messages: Sequence[Message],
        arguments: dict[str, Any],
        samples: int,
        start: int,
        tally: Tally,
    ) -> list[Choice]:
        if samples > 1:
            arguments = {**arguments, "n": min(samples, self._most_choices or samples)}
        if start and "seed" in arguments:  # the same seed would return the same sample
            arguments = {**arguments, "seed": arguments["seed"] + start}
        completion = await self._complete(arguments, tally)
        if not isinstance(completion, ChatCompletion) or not completion.choices:
            raise self._endpoint.translate(ValueError(str(completion)))
        tally.usage += used(completion, self.count_tokens(messages))
        return completion.choices

    async def _complete(
        self, arguments: dict[str, Any], tally: Tally, *, held: bool = False
    ) -> object:
        """Send with retries, and with other parameters if the server refuses these."""
        send = self._send_held if held else self._send
        while True:
            fitted = self._fitted(arguments)
            try:
                return await self._retry(partial(send, fitted), tally)
            except LLMRejectedError as error:
                if not self._learn(error.__cause__, fitted):
                    raise
            tally.reserve(calls=1)

    async def _send(self, arguments: dict[str, Any]) -> object:
        async with self._slots:
            return await self._send_held(arguments)

    async def _send_held(self, arguments: dict[str, Any]) -> object:
        run = current_run()
        if (_STALLED, id(self)) in run.known:  # a run waits only once for a server that stalls
            raise self._endpoint.late()
        seconds = min(self._timeout, max(0.0, run.meter.seconds_left) + _GRACE_SECONDS)
        timeout = openai.Timeout(seconds, connect=_CONNECT_SECONDS)
        try:
            # The SDK's timeout applies between bytes: a server that sends a few now and then would
            # never time out.
            async with asyncio.timeout(seconds):
                sent = await self._watched(arguments, timeout)
                if sent is None:
                    sent = await self._client.chat.completions.create(
                        **_untyped(arguments), timeout=timeout
                    )
        except openai.NotFoundError as error:
            known = await self._known_models()
            raise self._endpoint.unknown_model(error, known) from self._endpoint.cause(error)
        except (openai.APITimeoutError, TimeoutError) as error:
            run.known[_STALLED, id(self)] = True
            raise self._endpoint.late() from self._endpoint.cause(error)
        except (openai.OpenAIError, ValueError) as error:  # ValueError: a body that is not JSON
            raise self._endpoint.translate(error) from self._endpoint.cause(error)
        return sent

    async def _watched(self, arguments: dict[str, Any], limits: openai.Timeout) -> object:
        """Stream the reply to those who read along; None if it cannot be streamed."""
        wrote = those_reading_along()
        alone = arguments.get("n", 1) == 1 and not {"stream", "logprobs"} & arguments.keys()
        if wrote is None or not alone or not self._streams:
            return None
        streaming = {"stream": True, "stream_options": {"include_usage": True}}
        try:
            chunks = await self._client.chat.completions.create(
                **_untyped(arguments | streaming), timeout=limits
            )
        except (openai.BadRequestError, openai.UnprocessableEntityError):
            return None  # if the error is not about streaming, the next request will raise it
        try:
            completion = await whole(chunks, wrote)
        finally:
            await chunks.close()
        self._streams = completion is not None
        return completion

    async def _known_models(self) -> tuple[str, ...]:
        try:
            page = await self._client.models.list(timeout=_CONNECT_SECONDS)
        except (openai.OpenAIError, ValueError):
            return ()  # it only adds detail to an error that is raised anyway
        return tuple(model.id for model in getattr(page, "data", None) or ())[:10]

    # --- what a server teaches -------------------------------------------------------------------

    def _fitted(self, arguments: dict[str, Any]) -> dict[str, Any]:
        fitted = dict(arguments)
        for name, otherwise in self._otherwise.items():
            value = fitted.pop(name, None)
            if otherwise is not None and value is not None:
                fitted[otherwise] = value
        if "n" in fitted and self._most_choices is not None:
            fitted["n"] = min(fitted["n"], self._most_choices)
        if "response_format" in fitted:
            output: type[BaseModel] = fitted["response_format"]
            schema = strict_schema(output, bounded=self._takes_bounds)
            fitted["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": output.__name__, "strict": True, "schema": schema},
            }
        return fitted

    def _learn(self, refusal: BaseException | None, sent: dict[str, Any]) -> bool:
        """Return whether a refusal names a parameter that can be sent differently."""
        if not isinstance(refusal, openai.BadRequestError | openai.UnprocessableEntityError):
            return False
        if refusal.param in _OTHERWISE and refusal.param in sent:
            self._otherwise[refusal.param] = _OTHERWISE[refusal.param]
            return True
        about_n = refusal.param == "n" or re.search(r"\bn\b", refusal.message) is not None
        if about_n and sent.get("n", 1) > 1:
            self._most_choices = sent["n"] // 2
            return True
        if self._takes_bounds and _ABOUT_SCHEMA.search(f"{refusal.param} {refusal.message}"):
            self._takes_bounds = False
            return True
        return False


def _untyped(arguments: dict[str, Any]) -> dict[str, Any]:
    """Move the large parts of a request to `extra_body`, which the SDK does not validate.

    They are plain JSON already, and validation took as long as sending them: see
    docs/results/service.md.
    """
    small = dict(arguments)
    large = {name: small.pop(name) for name in _LARGE if name in small}
    return small | {"messages": (), "extra_body": small.get("extra_body", {}) | large}

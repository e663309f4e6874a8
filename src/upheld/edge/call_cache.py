"""The call cache: an `LLM` that wraps an `LLM` and caches replies on disk.

Each sample is stored under the hash of model, messages, output schema, sampling and the sample's
index; prompts themselves are not stored. Each tenant has a file of its own. Replies contain words
of documents: to erase a document, delete the tenant's folder here as well.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from weakref import WeakValueDictionary

from pydantic import BaseModel

from upheld._internal.disk_cache import DiskCache
from upheld.errors import LLMOutputError, UsageError
from upheld.ports import LLM, Generation, Message, Output, Reply, Sampling, Token
from upheld.run.trace import current_run
from upheld.types import Usage, content_hash


def call_key(
    identity: str, messages: Sequence[Message], output: type[BaseModel], sampling: Sampling
) -> str:
    """Hash everything that determines the samples of a call, except their number."""
    said = [[each.role, each.content] for each in messages]
    how = {**asdict(sampling), "samples": None}
    # Not sorted: the order of a schema's fields is the order in which they are decoded.
    return content_hash(json.dumps([identity, said, output.model_json_schema(), how]))


def call_cache(path: Path) -> DiskCache[str]:
    """Open the file of samples by key."""
    return DiskCache(path, "calls")


def as_text(generation: Generation[BaseModel] | None) -> str:
    """Serialise a sample; None is a sample that did not fit its schema."""
    if generation is None:
        return "null"
    return json.dumps([generation.text, [asdict(each) for each in generation.tokens]])


def from_text(text: str, output: type[Output]) -> Generation[Output] | None:
    """Parse a cached sample; raises ValueError, as pydantic does, if it does not fit the schema."""
    kept = json.loads(text)
    if kept is None:
        return None
    said, tokens = kept
    read = tuple(
        Token(each["text"], each["logprob"], tuple((t, p) for t, p in each["alternatives"]))
        for each in tokens
    )
    return Generation(output.model_validate_json(said), said, read)


_UNSAFE = re.compile(r"[^a-z0-9]+")


class CachedLLM:
    """Calls the model only for samples that are not cached yet.

    The same call returns the same samples again, at any temperature: to get different ones, ask for
    several at once. Streams and failed calls are not cached.
    """

    def __init__(self, llm: LLM, folder: Path | str, tenant: str) -> None:
        if not tenant:
            raise UsageError("a call cache belongs to a tenant, and none is named")
        self._llm = llm
        # The slug is for people; the hash distinguishes names that slugs or file systems do not.
        slug = _UNSAFE.sub("-", tenant.lower())[:40]
        self.path = Path(folder) / f"{slug}-{content_hash(tenant)}" / "calls.sqlite3"
        self._cache = call_cache(self.path)
        self._in_progress: WeakValueDictionary[object, asyncio.Lock] = WeakValueDictionary()

    @property
    def identity(self) -> str:
        return self._llm.identity

    async def generate(
        self, messages: Sequence[Message], output: type[Output], sampling: Sampling = Sampling()
    ) -> Reply[Output]:
        call = call_key(self.identity, messages, output, sampling)
        keys = [content_hash(f"{call} {index}") for index in range(sampling.samples)]
        # A caller with the same request at the same time waits for this reply instead of paying
        # twice.
        lock = self._in_progress.setdefault((asyncio.get_running_loop(), call), asyncio.Lock())
        async with lock:
            kept = await self._load(keys, output)
            missing = keys[len(kept) :]
            new: list[Generation[Output] | None] = []
            usage = Usage(completions=len(kept), cached_completions=len(kept))
            if missing:
                try:
                    reply = await self._llm.generate(messages, output, _rest(sampling, len(kept)))
                    new.extend(reply.generations[: len(missing)])
                    usage += reply.usage
                except LLMOutputError as error:
                    if not any(kept):
                        raise
                    usage += error.usage
                # Samples that did not fit are cached as such, so that a repeat does not draw them
                # again.
                new += [None] * (len(missing) - len(new))
                await self._store(missing, new)
        return Reply(tuple(each for each in (*kept, *new) if each is not None), usage)

    def stream(
        self, messages: Sequence[Message], sampling: Sampling = Sampling()
    ) -> AsyncIterator[str]:
        return self._llm.stream(messages, sampling)

    def count_tokens(self, messages: Sequence[Message]) -> int:
        return self._llm.count_tokens(messages)

    async def close(self) -> None:
        await self._llm.close()

    async def _load(
        self, keys: Sequence[str], output: type[Output]
    ) -> list[Generation[Output] | None]:
        """Return the cached samples, up to the first that is missing or no longer fits."""
        kept: list[Generation[Output] | None] = []
        try:
            found = await asyncio.to_thread(self._cache.get, keys)
            for key in keys:
                if key not in found:
                    break
                kept.append(from_text(found[key], output))
        except ValueError:
            pass  # a sample that no longer fits, and those after it, are requested again
        except OSError:
            current_run().degrade("the call cache cannot be read")
        return kept

    async def _store(
        self, keys: Sequence[str], generations: Sequence[Generation[BaseModel] | None]
    ) -> None:
        texts = {key: as_text(each) for key, each in zip(keys, generations, strict=True)}
        try:
            await asyncio.to_thread(self._cache.put, texts)
        except OSError:
            current_run().degrade("the call cache cannot be written")


def _rest(sampling: Sampling, kept: int) -> Sampling:
    """Ask for the samples that are not cached; the seed moves on, to get different ones."""
    seed = None if sampling.seed is None else sampling.seed + kept
    return replace(sampling, samples=sampling.samples - kept, seed=seed)

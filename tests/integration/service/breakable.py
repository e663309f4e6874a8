"""A service each of whose parts can be made to refuse, hang or die, and who knows what is true."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

import httpx2
import pytest
from fastapi import FastAPI
from pydantic import SecretStr

from tests.integration.places import Place
from tests.integration.service.serving import client, give, new_key, running, service_settings
from tests.integration.service.serving import work_off as work_off_jobs
from tests.servers.fault_proxy import Fault, FaultProxy, fault_proxy
from tests.servers.postgres import State
from tests.servers.seaweedfs import S3Server
from tests.servers.unruly import Request, Response, completion, unruly
from upheld.errors import ModelError
from upheld.ports import Judgement, Pair
from upheld.resources.open import Shared, open_shared
from upheld.retrieval.grade import Grade
from upheld.settings import Settings
from upheld.verification.verify import Verify
from upheld_lab.testing.fake_embedder import FakeEmbedder
from upheld_lab.testing.fake_entailment import ENTAILS, FakeEntailment
from upheld_lab.testing.fake_grader import FakeGrader
from upheld_service import resources as opened

if TYPE_CHECKING:
    from upheld.ports import Vectors

TEXT = "The lighthouse opens at nine. Visitors climb 199 steps. Dogs wait outside."
QUESTION = "When does the lighthouse open?"
QUOTE = "The lighthouse opens at nine."
PARAPHRASE = "At nine the lighthouse opens."  # only the model can tell that it is upheld
LIE = "The lighthouse opens at 10."


class Part(StrEnum):
    """What a request depends on."""

    LLM = "llm"
    STORE = "store"
    DATABASE = "database"
    VERIFIER = "verifier"
    EMBEDDER = "embedder"


class Breakable(Protocol):
    """A part under the test's hand; `struck` tells whether the fault was met."""

    @property
    def replies(self) -> int: ...

    @property
    def struck(self) -> bool: ...

    async def strike(self, fault: Fault, after: int = 0) -> None: ...

    async def heal(self) -> None: ...


@dataclass
class Breaking:
    """The same for a model inside the process: it fails at a call."""

    fault: Fault | None = None
    after: int = 0
    replies: int = 0
    struck: bool = False

    async def strike(self, fault: Fault, after: int = 0) -> None:
        self.fault, self.after, self.replies, self.struck = fault, after, 0, False

    async def heal(self) -> None:
        self.fault, self.replies, self.struck = None, 0, False

    async def met(self) -> bool:
        """Whether this call fails; one that hangs never comes back."""
        self.replies += 1
        if self.fault is None or self.replies <= self.after:
            return False
        self.struck = True
        if self.fault is Fault.HUNG:
            await asyncio.Event().wait()
        return True


@dataclass
class WatchedVerifier(FakeEntailment):
    """The shipped fake, with a record of what it has upheld."""

    breaking: Breaking = field(default_factory=Breaking)
    upheld: set[str] = field(default_factory=set)

    async def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        if await self.breaking.met():
            await super().judge(pairs[: len(pairs) // 2])  # it dies half way
            raise ModelError("the verifier is gone")
        given = await super().judge(pairs)
        self.upheld |= {
            pair.claim for pair, each in zip(pairs, given, strict=True) if each is ENTAILS
        }
        return given


@dataclass
class BreakableEmbedder(FakeEmbedder):
    """The shipped fake, at the test's hand."""

    breaking: Breaking = field(default_factory=Breaking)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        if await self.breaking.met():
            raise ModelError("the embedder is gone")
        return await super().embed(texts)


@dataclass(frozen=True, slots=True)
class World:
    """A running service with one document, a caller of it, and its parts."""

    app: FastAPI
    state: State
    caller: httpx2.AsyncClient
    verifier: WatchedVerifier
    parts: dict[Part, Breakable]

    async def cool(self) -> None:
        """Forget open indexes, so that the next request has to ask the store."""
        await self.app.state.service.tenant_indexes.close()

    async def work_off(self, *, seconds: float = 300.0) -> None:
        await work_off_jobs(self.app, self.state, seconds=seconds)


def written(request: Request) -> Response:
    """What the language model says of anything: a quote, a paraphrase and a lie."""
    claims = [{"sources": [1], "text": text} for text in (QUOTE, PARAPHRASE, LIE)]
    return completion(json.dumps({"claims": claims}))


@asynccontextmanager
async def world(
    state: State, s3: S3Server, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[World]:
    """A service of which every part can break, with a document that was read."""
    verifier, embedder = WatchedVerifier(), BreakableEmbedder()

    def shared(settings: Settings) -> Shared:
        return replace(
            open_shared(settings),
            verify=Verify(model=verifier),
            embedder=embedder,
            grade=Grade(grader=FakeGrader(), upper=1.0, lower=-1.0),
        )

    monkeypatch.setattr(opened, "open_shared", shared)
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(unruly(written))
        parts: dict[Part, Breakable] = {
            Part.VERIFIER: verifier.breaking,
            Part.EMBEDDER: embedder.breaking,
        }
        llm = await stack.enter_async_context(_before(model.url))
        database = await stack.enter_async_context(_before_database(state))
        store = await stack.enter_async_context(_before(s3.endpoint))
        parts |= {Part.LLM: llm, Part.DATABASE: database, Part.STORE: store}
        options = {**s3.storage_options, "endpoint": f"http://127.0.0.1:{store.port}"}
        settings = service_settings(
            state,
            Place(s3.new_prefix(), options),
            llm_url=f"http://127.0.0.1:{llm.port}/v1",
            llm_model="m",
        )
        name = urlsplit(state.service.get_secret_value())
        url = f"postgresql://{name.username}@127.0.0.1:{database.port}{name.path}"
        proxied = settings.model_copy(update={"database_url": SecretStr(url)})
        app = await stack.enter_async_context(running(proxied))
        caller = await stack.enter_async_context(client(app, await new_key(state)))
        made = World(app, state, caller, verifier, parts)
        await give(caller, "rota", TEXT)
        await made.work_off()
        yield made


@asynccontextmanager
async def _before(url: str) -> AsyncIterator[FaultProxy]:
    address = urlsplit(url)
    async with fault_proxy(
        partial(asyncio.open_connection, address.hostname, address.port)
    ) as proxy:
        yield proxy


@asynccontextmanager
async def _before_database(state: State) -> AsyncIterator[FaultProxy]:
    socket = state.server.socket / ".s.PGSQL.5432"
    async with fault_proxy(partial(asyncio.open_unix_connection, socket)) as proxy:
        yield proxy

"""Writes with an idempotency key: executed once; a repeat gets the first reply."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Header, Response
from fastapi.responses import JSONResponse

from upheld.errors import UpheldError
from upheld_service.auth.middleware import Principal
from upheld_service.db import idempotency
from upheld_service.db.database import Session
from upheld_service.db.idempotency import Claim, Replay
from upheld_service.http.deadline import STATE_SECONDS, at_most
from upheld_service.resources import Service

ABANDON_SECONDS = 0.3
REPLAYED = {"Idempotency-Replayed": "true"}
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        description="Within a day, the same request with the same key is carried out once.",
    ),
]


@dataclass(slots=True)
class Once:
    """The state of one request: an earlier reply, or the claim to execute it."""

    replay: Replay | None = None
    claim: Claim | None = None
    kept: bool = False

    async def keep(
        self, session: Session, *, status: int, body: Any, answer_id: str | None = None
    ) -> None:
        """Store the reply, if the transaction commits."""
        if self.claim is not None:
            await idempotency.finish(
                session, self.claim, status=status, body=body, answer_id=answer_id
            )
        self.kept = True


@asynccontextmanager
async def once(
    service: Service,
    caller: Principal,
    *,
    route: str,
    key: str | None,
    request: bytes,
    seconds: float = STATE_SECONDS,
) -> AsyncIterator[Once]:
    """Claim the key for the block; the claim is released if the block fails before `keep`.

    Waits for the database at most `seconds`.
    """
    if key is None:
        yield Once()
        return
    # Two API keys of a tenant may see different documents, so they share no replies.
    named = f"{caller.key}:{key}"

    async def begin() -> Claim | Replay:
        async with service.database.session(caller.tenant, labels=caller.labels) as session:
            return await idempotency.begin(session, route=route, key=named, request=request)

    begun = await at_most(min(seconds, STATE_SECONDS), begin())
    if isinstance(begun, Replay):
        yield Once(replay=begun)
        return
    this = Once(claim=begun)
    try:
        yield this
    except BaseException:
        if not this.kept:
            # Also if the client disconnected. If this fails, the claim expires by itself.
            with suppress(UpheldError):
                await asyncio.shield(at_most(ABANDON_SECONDS, _abandon(service, caller, begun)))
        raise


async def carry_out(
    service: Service,
    caller: Principal,
    change: Callable[[Session], Awaitable[Any]],
    *,
    route: str,
    key: str | None,
    request: bytes,
    status: int,
) -> Response:
    """Make a change and store its reply in one transaction; a repeat gets the first reply."""
    async with once(service, caller, route=route, key=key, request=request) as this:
        if this.replay is not None:
            return JSONResponse(this.replay.body, this.replay.status, REPLAYED)

        async def carried_out() -> Any:
            async with service.database.session(caller.tenant, labels=caller.labels) as session:
                body = await change(session)
                await this.keep(session, status=status, body=body)
                return body

        return JSONResponse(await at_most(STATE_SECONDS, carried_out()), status)


async def _abandon(service: Service, caller: Principal, claim: Claim) -> None:
    async with service.database.session(caller.tenant, labels=caller.labels) as session:
        await idempotency.abandon(session, claim)

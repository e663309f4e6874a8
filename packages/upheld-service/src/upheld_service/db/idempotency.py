"""Idempotency keys: a repeated write gets the first reply."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, and_, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert

from upheld.errors import ConflictError
from upheld_service.db.database import Session
from upheld_service.db.tables import idempotency_keys as kept

KEPT_FOR = timedelta(hours=24)
# Longer than any request may take: a claim older than this belongs to a killed process.
GIVEN_UP_AFTER = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to execute a request; end it with `finish` or `abandon`."""

    route: str
    key: str
    id: UUID


@dataclass(frozen=True, slots=True)
class Replay:
    """The reply to the first request."""

    status: int
    body: Any


async def begin(session: Session, *, route: str, key: str, request: bytes) -> Claim | Replay:
    """Claim a key, in a transaction of its own; a repeat gets the first reply.

    The same key with another request, or while the first is running, raises `ConflictError`.
    """
    digest, claim = hashlib.sha256(request).digest(), uuid4()
    new = insert(kept).values(
        tenant_id=session.tenant, route=route, key=key, request_hash=digest, claim=claim
    )
    given_up = and_(
        kept.c.status.is_(None),
        kept.c.request_hash == digest,
        kept.c.started_at < func.now() - GIVEN_UP_AFTER,
    )
    claimed = new.on_conflict_do_update(
        index_elements=["tenant_id", "route", "key"],
        set_={"claim": claim, "started_at": func.now()},
        where=given_up,
    ).returning(kept.c.claim)
    if (await session.sql.execute(claimed)).one_or_none() is not None:
        return Claim(route, key, claim)
    row = (await session.sql.execute(select(kept).where(_is(session, route, key)))).one_or_none()
    if row is None or (row.status is None and row.request_hash == digest):
        raise ConflictError("The first request with this idempotency key is still in progress.")
    if row.request_hash != digest:
        raise ConflictError(
            "This idempotency key was used for another request.",
            help="Use a new key for each request.",
        )
    return Replay(row.status, row.body)


async def finish(
    session: Session, claim: Claim, *, status: int, body: Any, answer_id: str | None = None
) -> None:
    """Store the reply; if it contains a stored answer, it is deleted with that answer."""
    change = update(kept).where(_mine(session, claim))
    await session.sql.execute(change.values(status=status, body=body, answer_id=answer_id))


async def abandon(session: Session, claim: Claim) -> None:
    """Release the claim of a failed request, so that it may be sent again."""
    await session.sql.execute(delete(kept).where(_mine(session, claim)))


async def sweep(session: Session) -> int:
    """Delete replies that are too old to be repeated; returns how many."""
    old = kept.c.started_at < func.now() - KEPT_FOR
    gone = await session.sql.execute(delete(kept).where(kept.c.tenant_id == session.tenant, old))
    return gone.rowcount


def _is(session: Session, route: str, key: str) -> ColumnElement[bool]:
    return and_(kept.c.tenant_id == session.tenant, kept.c.route == route, kept.c.key == key)


def _mine(session: Session, claim: Claim) -> ColumnElement[bool]:
    """Match the claim only if no other process has taken it over."""
    return and_(_is(session, claim.route, claim.key), kept.c.claim == claim.id)

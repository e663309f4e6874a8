"""Sessions of browsers: a random token in a cookie stands for a key, for some hours.

The token is not the key: who steals it loses it with the session, and the key stays secret. It
ends with the key, at its own time, or when its owner logs out.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, and_, delete, func, insert, select

from upheld_service.db.database import Database, Session
from upheld_service.db.keys import Key, key_of
from upheld_service.db.tables import sessions

LASTS = timedelta(hours=12)
MOST_OF_A_KEY = 50  # the oldest are ended
_TOKEN_BYTES = 32


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """A verified session: its key, the hash that names it, and when it ends."""

    key: Key
    hash: bytes
    expires_at: datetime


def hash_of(token: str) -> bytes:
    """Return the hash by which a session is stored."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


async def begin(session: Session, key_prefix: str) -> tuple[str, datetime]:
    """Start a session of a key; returns its token, which is not stored, and when it ends."""
    token, ends = secrets.token_urlsafe(_TOKEN_BYTES), datetime.now(UTC) + LASTS
    await session.sql.execute(
        insert(sessions).values(
            tenant_id=session.tenant, hash=hash_of(token), key_prefix=key_prefix, expires_at=ends
        )
    )
    own = _of_key(session, key_prefix)
    newest = select(sessions.c.hash).where(own).order_by(sessions.c.created_at.desc())
    extra = newest.offset(MOST_OF_A_KEY)
    await session.sql.execute(delete(sessions).where(own, sessions.c.hash.in_(extra)))
    return token, ends


async def verify(database: Database, token: str) -> BrowserSession | None:
    """Return the live session of a token, or None, without a reason."""
    # Looked up by hash: the time that takes tells nothing about a token that is not known.
    hashed = hash_of(token)
    row = await database.find_session(hashed)
    return None if row is None else BrowserSession(key_of(row), hashed, row.session_expires_at)


async def end(session: Session, hash: bytes) -> None:
    """End a session; one that has ended is ignored."""
    own = and_(sessions.c.tenant_id == session.tenant, sessions.c.hash == hash)
    await session.sql.execute(delete(sessions).where(own))


async def sweep(session: Session) -> None:
    """Delete sessions that have ended by themselves."""
    own = sessions.c.tenant_id == session.tenant
    await session.sql.execute(delete(sessions).where(own, sessions.c.expires_at < func.now()))


def _of_key(session: Session, key_prefix: str) -> ColumnElement[bool]:
    return and_(sessions.c.tenant_id == session.tenant, sessions.c.key_prefix == key_prefix)

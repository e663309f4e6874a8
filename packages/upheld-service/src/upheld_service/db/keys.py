"""API keys: created and revoked by an admin, verified for every request.

A key looks like `uph_PREFIX_SECRET`; we store the prefix and a hash.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid4

from pydantic import SecretStr
from sqlalchemy import Row, func, insert, select, update

from upheld.errors import NotFoundError
from upheld_service.db import audit
from upheld_service.db.database import AdminSession, Database
from upheld_service.db.tables import api_keys
from upheld_service.db.tenants import Tenant

SECRET_BYTES = 32  # 256 bits: a plain hash is enough, since it cannot be guessed
PREFIX_BYTES = 8  # identifies a key in lists and logs; reveals nothing about the secret
_SHAPE = re.compile(r"uph_([0-9a-f]{16})_([A-Za-z0-9_-]{43})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Token:
    """A parsed key: its prefix, and the hash of its secret."""

    prefix: str
    secret_hash: bytes


def new_token() -> SecretStr:
    """Make a new random key."""
    prefix, secret = secrets.token_hex(PREFIX_BYTES), secrets.token_urlsafe(SECRET_BYTES)
    return SecretStr(f"uph_{prefix}_{secret}")


def take_apart(text: str) -> Token:
    """Parse any text; a text that is not a key gets a prefix that no key has."""
    found = _SHAPE.fullmatch(text)
    prefix, secret = found.groups() if found else ("", text)
    return Token(prefix, hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest())


# Compared with the secret if there is no such key; no known text has this hash.
_NOBODY = secrets.token_bytes(32)
_SHOWN = [column for column in api_keys.c if column.name != "secret_hash"]


class KeyScope(StrEnum):
    """What a key may be used for."""

    ASK = "ask"
    VERIFY = "verify"
    READ = "read"  # documents, jobs and stored answers
    WRITE = "write"  # documents and jobs


@dataclass(frozen=True, slots=True)
class Key:
    """A key without its secret; `labels=None` sees every document of the tenant."""

    id: UUID
    tenant: UUID
    prefix: str
    scopes: frozenset[KeyScope]
    labels: frozenset[str] | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


async def add(
    admin: AdminSession,
    tenant: Tenant,
    *,
    scopes: Iterable[KeyScope],
    labels: Iterable[str] | None,
    expires_at: datetime | None,
) -> tuple[Key, SecretStr]:
    """Create a key; returns it with its secret, which is not stored and cannot be shown again."""
    token = new_token()
    parts = take_apart(token.get_secret_value())
    new = insert(api_keys).values(
        id=uuid4(),
        tenant_id=tenant.id,
        prefix=parts.prefix,
        secret_hash=parts.secret_hash,
        scopes=sorted(set(scopes)),
        labels=None if labels is None else sorted(set(labels)),
        expires_at=expires_at,
    )
    key = key_of((await admin.sql.execute(new.returning(*_SHOWN))).one())
    await audit.record_by_admin(admin, tenant.id, action="key.add", subject=key.prefix)
    return key, token


async def listed(admin: AdminSession, tenant: Tenant) -> list[Key]:
    """Return all keys of a tenant, including revoked ones, in order of creation."""
    of_tenant = select(*_SHOWN).where(api_keys.c.tenant_id == tenant.id)
    rows = await admin.sql.execute(of_tenant.order_by(api_keys.c.created_at))
    return [key_of(row) for row in rows]


async def revoke(admin: AdminSession, prefix: str) -> Key:
    """Revoke a key from the next request on; to revoke it twice changes nothing."""
    moment = func.coalesce(api_keys.c.revoked_at, func.now())
    change = update(api_keys).where(api_keys.c.prefix == prefix).values(revoked_at=moment)
    row = (await admin.sql.execute(change.returning(*_SHOWN))).one_or_none()
    if row is None:
        raise NotFoundError(
            f"There is no key {prefix}.", help="`upheld admin key list TENANT` shows them."
        )
    key = key_of(row)
    await audit.record_by_admin(admin, key.tenant, action="key.revoke", subject=prefix)
    return key


async def revoke_all(admin: AdminSession, tenant: Tenant) -> None:
    """Revoke every key of the tenant from the next request on."""
    live = update(api_keys).where(
        api_keys.c.tenant_id == tenant.id, api_keys.c.revoked_at.is_(None)
    )
    await admin.sql.execute(live.values(revoked_at=func.now()))


async def verify(database: Database, text: str) -> Key | None:
    """Return the valid key that this text is, or None, without a reason.

    Every text takes the same time: one look-up, one hash, one constant-time comparison.
    """
    token = take_apart(text)
    row = await database.find_key(token.prefix)
    kept = _NOBODY if row is None else row.secret_hash
    same = hmac.compare_digest(token.secret_hash, kept)
    if row is None or not (same and row.is_live):
        return None
    return key_of(row)


def key_of(row: Row[Any]) -> Key:
    """Return the key of a row that has its columns."""
    return Key(
        id=row.id,
        tenant=row.tenant_id,
        prefix=row.prefix,
        scopes=frozenset(map(KeyScope, row.scopes)),
        labels=None if row.labels is None else frozenset(row.labels),
        created_at=row.created_at,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
    )

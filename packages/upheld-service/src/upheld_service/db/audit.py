"""The audit log: entries are added and read, and no role may change one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from upheld_service.db.database import AdminSession, Session
from upheld_service.db.tables import audit_log

ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Entry:
    """One action; `detail` has ids and counts, never text of a document."""

    at: datetime
    actor: str
    action: str
    subject: str
    detail: Mapping[str, Any]


async def record(
    session: Session,
    *,
    actor: str,
    action: str,
    subject: str,
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Add an entry; it is stored if the transaction commits."""
    await _record(session.sql, session.tenant, actor, action, subject, detail or {})


async def record_by_admin(admin: AdminSession, tenant: UUID, *, action: str, subject: str) -> None:
    """Add an entry by an admin to the log of a tenant."""
    await _record(admin.sql, tenant, ADMIN, action, subject, {})


async def _record(
    sql: AsyncConnection,
    tenant: UUID,
    actor: str,
    action: str,
    subject: str,
    detail: Mapping[str, Any],
) -> None:
    entry = {"actor": actor, "action": action, "subject": subject, "detail": dict(detail)}
    await sql.execute(insert(audit_log).values(tenant_id=tenant, id=uuid4(), **entry))


async def listed(session: Session, *, limit: int) -> list[Entry]:
    """Return the tenant's latest entries, newest first."""
    shown = [audit_log.c[name] for name in ("at", "actor", "action", "subject", "detail")]
    own = select(*shown).where(audit_log.c.tenant_id == session.tenant)
    rows = await session.sql.execute(own.order_by(audit_log.c.at.desc()).limit(limit))
    return [Entry(**row._mapping) for row in rows]

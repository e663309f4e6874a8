"""Tenants, as `upheld admin` sees them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Row, func, select, text, update
from sqlalchemy.dialects.postgresql import insert

from upheld.errors import ConflictError, NotFoundError
from upheld.service.db import audit
from upheld.service.db.database import AdminSession
from upheld.service.db.tables import ended_tenants, tenants

_SHOWN = [column for column in tenants.c if column.name in ("id", "name", "created_at")]
_END = text("SELECT upheld_end_tenant(:id)")


@dataclass(frozen=True, slots=True)
class Tenant:
    """Somebody whose documents nobody else sees."""

    id: UUID
    name: str
    created_at: datetime


async def add(admin: AdminSession, name: str) -> Tenant:
    """A new tenant; names are taken once."""
    new = insert(tenants).values(id=uuid4(), name=name).on_conflict_do_nothing()
    row = (await admin.sql.execute(new.returning(*_SHOWN))).one_or_none()
    if row is None:
        raise ConflictError(f"There is already a tenant {name}.")
    tenant = _tenant(row)
    await audit.record_by_admin(admin, tenant.id, action="tenant.add", subject=name)
    return tenant


async def listed(admin: AdminSession) -> list[Tenant]:
    """All of them by name."""
    rows = await admin.sql.execute(select(*_SHOWN).order_by(tenants.c.name))
    return [_tenant(row) for row in rows]


async def named(admin: AdminSession, name: str) -> Tenant:
    """The tenant of a name."""
    found = (await admin.sql.execute(select(*_SHOWN).where(tenants.c.name == name))).one_or_none()
    if found is None:
        raise NotFoundError(
            f"There is no tenant {name}.", help="`upheld admin tenant list` shows them."
        )
    return _tenant(found)


async def end(admin: AdminSession, id: UUID) -> int:
    """Stop its jobs, and when none runs any more delete all of its rows; how many still run."""
    running = await admin.sql.execute(_END, {"id": id})
    return int(running.scalar_one())


async def ended(admin: AdminSession, name: str) -> list[UUID]:
    """Tenants of this name that were deleted."""
    of_name = select(ended_tenants.c.id).where(ended_tenants.c.name == name)
    return list((await admin.sql.execute(of_name.order_by(ended_tenants.c.ended_at))).scalars())


async def cleared(admin: AdminSession, id: UUID) -> None:
    """Note that nothing is left in the storage of a deleted tenant."""
    change = update(ended_tenants).where(ended_tenants.c.id == id)
    await admin.sql.execute(change.values(cleared_at=func.now()))


def _tenant(row: Row[Any]) -> Tenant:
    return Tenant(**row._mapping)

"""Tenants, for `upheld admin`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Row, func, select, text, update
from sqlalchemy.dialects.postgresql import insert

from upheld.errors import ConflictError, NotFoundError
from upheld_service.db import audit
from upheld_service.db.database import AdminSession
from upheld_service.db.tables import ended_tenants, tenants

_SHOWN = [column for column in tenants.c if column.name in ("id", "name", "created_at")]
_END = text("SELECT upheld_end_tenant(:id)")


@dataclass(frozen=True, slots=True)
class Tenant:
    """A customer whose documents no other tenant sees."""

    id: UUID
    name: str
    created_at: datetime


async def add(admin: AdminSession, name: str) -> Tenant:
    """Create a tenant; raises `ConflictError` if the name is taken."""
    new = insert(tenants).values(id=uuid4(), name=name).on_conflict_do_nothing()
    row = (await admin.sql.execute(new.returning(*_SHOWN))).one_or_none()
    if row is None:
        raise ConflictError(f"There is already a tenant {name}.")
    tenant = _tenant(row)
    await audit.record_by_admin(admin, tenant.id, action="tenant.add", subject=name)
    return tenant


async def listed(admin: AdminSession) -> list[Tenant]:
    """Return all tenants by name."""
    rows = await admin.sql.execute(select(*_SHOWN).order_by(tenants.c.name))
    return [_tenant(row) for row in rows]


async def named(admin: AdminSession, name: str) -> Tenant:
    """Return the tenant with a name; raises `NotFoundError` otherwise."""
    found = (await admin.sql.execute(select(*_SHOWN).where(tenants.c.name == name))).one_or_none()
    if found is None:
        raise NotFoundError(
            f"There is no tenant {name}.", help="`upheld admin tenant list` shows them."
        )
    return _tenant(found)


async def end(admin: AdminSession, id: UUID) -> int:
    """Stop its jobs; once none runs, delete all of its rows. Returns how many still run."""
    running = await admin.sql.execute(_END, {"id": id})
    return int(running.scalar_one())


async def ended(admin: AdminSession, name: str) -> list[UUID]:
    """Return the ids of deleted tenants with this name."""
    of_name = select(ended_tenants.c.id).where(ended_tenants.c.name == name)
    return list((await admin.sql.execute(of_name.order_by(ended_tenants.c.ended_at))).scalars())


async def cleared(admin: AdminSession, id: UUID) -> None:
    """Record that the storage of a deleted tenant is empty."""
    change = update(ended_tenants).where(ended_tenants.c.id == id)
    await admin.sql.execute(change.values(cleared_at=func.now()))


def _tenant(row: Row[Any]) -> Tenant:
    return Tenant(**row._mapping)

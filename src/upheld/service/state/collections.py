"""Collections of a tenant: a name is all there is to one."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from upheld.service.state.database import Session
from upheld.service.state.tables import collections


async def ensure(session: Session, name: str) -> None:
    """Make the collection if it is not there."""
    new = insert(collections).values(tenant_id=session.tenant, name=name)
    await session.sql.execute(new.on_conflict_do_nothing())


async def listed(session: Session) -> list[str]:
    """The tenant's collections by name."""
    own = select(collections.c.name).where(collections.c.tenant_id == session.tenant)
    return list((await session.sql.execute(own.order_by(collections.c.name))).scalars())

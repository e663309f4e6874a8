"""Collections of a tenant: a name that exists from its first document to its last."""

from __future__ import annotations

from sqlalchemy import and_, delete, select
from sqlalchemy.dialects.postgresql import insert

from upheld_service.db.answers import forget_unreachable
from upheld_service.db.database import Session
from upheld_service.db.tables import answers, collections, documents
from upheld_service.db.visible import may_see_collection, no_collection


async def ensure(session: Session, name: str) -> None:
    """Create the collection if it does not exist."""
    new = insert(collections).values(tenant_id=session.tenant, name=name)
    await session.sql.execute(new.on_conflict_do_nothing())


async def get(session: Session, name: str) -> None:
    """Raise `NotFoundError` unless the collection has a document that the caller may see."""
    own = select(collections.c.name).where(
        collections.c.tenant_id == session.tenant,
        collections.c.name == name,
        may_see_collection(collections.c.name, session),
    )
    if (await session.sql.execute(own)).one_or_none() is None:
        raise no_collection(name)


async def listed(session: Session) -> list[str]:
    """Return the names of the collections with a document that the caller may see."""
    own = select(collections.c.name).where(
        collections.c.tenant_id == session.tenant, may_see_collection(collections.c.name, session)
    )
    return list((await session.sql.execute(own.order_by(collections.c.name))).scalars())


async def end_if_empty(session: Session, name: str) -> bool:
    """Delete a collection without documents, and the answers that found nothing in it."""
    own = and_(collections.c.tenant_id == session.tenant, collections.c.name == name)
    # A concurrent upload waits here, and then creates the collection again.
    await session.sql.execute(select(collections.c.name).where(own).with_for_update())
    left = select(documents.c.id).where(
        documents.c.tenant_id == session.tenant, documents.c.collection == name
    )
    if (await session.sql.execute(left.limit(1))).first() is not None:
        await forget_unreachable(session, name)
        return False
    said = and_(answers.c.tenant_id == session.tenant, answers.c.collection == name)
    await session.sql.execute(delete(answers).where(said))
    return (await session.sql.execute(delete(collections).where(own))).rowcount == 1

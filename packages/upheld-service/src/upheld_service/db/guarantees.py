"""The guarantee of a collection: labels that wait for a job, and the result of the last ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, select, update
from sqlalchemy.dialects.postgresql import insert

from upheld.calibration.fitted import FittedGuarantee, guarantee_in
from upheld.errors import NotFoundError
from upheld_service.db.database import Session
from upheld_service.db.tables import collections, guarantees
from upheld_service.db.visible import may_see_collection, no_collection

Json = Mapping[str, Any]
_HOW = "POST labelled claims to it: docs/calibrate.md says how they are made."


@dataclass(frozen=True, slots=True)
class CollectionGuarantee:
    """The current guarantee of a collection; `told` says why there is none, if a fit failed."""

    fitted: FittedGuarantee | None
    told: str | None
    waits: bool


@dataclass(frozen=True, slots=True)
class Looked:
    """The row a job works on: labels to fit, or the last result; `revision` counts requests."""

    revision: int
    asked: Json | None
    told: str | None


async def ask(session: Session, collection: str, asked: Json) -> None:
    """Store labels to be fitted, replacing waiting ones; the present guarantee stays until then."""
    new = insert(guarantees).values(
        tenant_id=session.tenant, collection=collection, asked=dict(asked)
    )
    again = {"asked": new.excluded.asked, "revision": guarantees.c.revision + 1}
    await session.sql.execute(
        new.on_conflict_do_update(index_elements=["tenant_id", "collection"], set_=again)
    )


async def look(session: Session, collection: str) -> Looked | None:
    """Return the row; None if the guarantee or its collection was deleted."""
    shown = (guarantees.c.revision, guarantees.c.asked, guarantees.c.told)
    row = (await session.sql.execute(select(*shown).where(_is(session, collection)))).one_or_none()
    return None if row is None else Looked(*row)


async def finish(
    session: Session, collection: str, done: Looked, found: FittedGuarantee | str
) -> bool:
    """Store the guarantee, or why there is none; False if other labels were sent meanwhile.

    The previous guarantee is dropped in both cases: these labels are the newest evidence.
    """
    change = update(guarantees).where(
        _is(session, collection), guarantees.c.revision == done.revision
    )
    told, fitted = (found, None) if isinstance(found, str) else (None, found.model_dump_json())
    kept = change.values(asked=None, fitted=fitted, told=told)
    return (await session.sql.execute(kept)).rowcount == 1


async def current(session: Session, collection: str) -> CollectionGuarantee:
    """Return the guarantee of a collection; raises `NotFoundError` without a collection."""
    both = and_(
        guarantees.c.tenant_id == collections.c.tenant_id,
        guarantees.c.collection == collections.c.name,
    )
    waits = guarantees.c.asked.is_not(None).label("waits")
    query = (
        select(guarantees.c.fitted, guarantees.c.told, waits)
        .select_from(collections.outerjoin(guarantees, both))
        .where(
            collections.c.tenant_id == session.tenant,
            collections.c.name == collection,
            may_see_collection(collections.c.name, session),
        )
    )
    row = (await session.sql.execute(query)).one_or_none()
    if row is None:
        raise no_collection(collection)
    # Parsed like a file: invalid content is an error, not "no guarantee".
    fitted = (
        None if row.fitted is None else guarantee_in(row.fitted, f"What is stored for {collection}")
    )
    return CollectionGuarantee(fitted, row.told, row.waits)


async def get(session: Session, collection: str) -> tuple[FittedGuarantee, bool]:
    """Return the guarantee, and whether labels wait to replace it; raises if there is none."""
    found = await current(session, collection)
    if found.fitted is not None:
        return found.fitted, found.waits
    if found.waits:
        raise NotFoundError("The labels are not fitted yet.", help="GET /v1/jobs shows the job.")
    if found.told is not None:
        raise NotFoundError(f"Nothing could be certified. {found.told}", help=_HOW)
    raise NotFoundError(f"The collection {collection} has no guarantee.", help=_HOW)


async def forget(session: Session, collection: str) -> None:
    """Delete the guarantee and the labels that wait for one."""
    gone = await session.sql.execute(delete(guarantees).where(_is(session, collection)))
    if not gone.rowcount:
        raise NotFoundError(f"The collection {collection} has no guarantee.")


def _is(session: Session, collection: str) -> ColumnElement[bool]:
    return and_(guarantees.c.tenant_id == session.tenant, guarantees.c.collection == collection)

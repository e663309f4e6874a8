"""Documents of a tenant: what was given to us, and how far we are with it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert

from upheld.errors import NotFoundError
from upheld.service.db import answers
from upheld.service.db.database import Session
from upheld.service.db.tables import documents
from upheld.service.db.visible import may_give, may_see
from upheld.types import new_id

_HOLD_USAGE = text("SELECT pg_advisory_xact_lock(hashtextextended('usage ' || :tenant, 0))")
_USAGE = text("SELECT * FROM upheld_usage(:collection, :id)")
_SHOWN = [column for column in documents.c if column.name != "tenant_id"]
_ADD_HELP = "A key with labels replaces documents that it sees. POST …/documents adds a new one."


class DocumentStatus(StrEnum):
    """How far we are; a job moves a document on."""

    PENDING = "pending"
    READY = "ready"
    FAILED = "failed"
    DELETING = "deleting"


@dataclass(frozen=True, slots=True)
class Document:
    """A document's row; `revision` counts how often it was given, `version` names its text."""

    collection: str
    id: str
    status: DocumentStatus
    revision: int
    version: str | None
    labels: frozenset[str]
    origin: str
    error: str | None
    created_at: datetime
    updated_at: datetime
    upload: str | None = None  # where its bytes wait; None: they were read, or are to be fetched
    bytes: int = 0  # as it was sent; a page of the web counts with none until it was fetched


@dataclass(frozen=True, slots=True)
class Usage:
    """What a tenant has stored, over all of its collections and labels."""

    documents: int
    bytes: int


async def hold_usage(session: Session) -> None:
    """Whoever else would change what the tenant has stored waits until this transaction ends."""
    await session.sql.execute(_HOLD_USAGE, {"tenant": str(session.tenant)})


async def usage(session: Session, collection: str, id: str | None) -> Usage:
    """All documents of the tenant, whoever may see them, but for one that is to be replaced."""
    given = {"collection": collection, "id": id}
    count, size = (await session.sql.execute(_USAGE, given)).one()
    return Usage(int(count), int(size))


async def put(
    session: Session,
    collection: str,
    id: str,
    *,
    origin: str,
    labels: frozenset[str],
    upload: str | None = None,
    size: int = 0,
) -> Document:
    """A document to be read, new or again.

    A caller with labels replaces what it may see: an id that is taken by a document which it may
    not see, and an id that is free, are both a `NotFoundError`. New documents it gives with `add`.
    """
    may_give(labels, session.labels)
    seen = and_(_is(session, collection, id), _seen(session))
    held = select(documents.c.labels).where(seen).with_for_update()
    before = (await session.sql.execute(held)).scalar_one_or_none()
    if before is None and session.labels is not None:
        raise NotFoundError(f"There is no document {id}.", help=_ADD_HELP)
    given = {
        "origin": origin,
        "labels": sorted(labels),
        "status": DocumentStatus.PENDING,
        "upload": upload,
        "bytes": size,
    }
    key = {"tenant_id": session.tenant, "collection": collection, "id": id}
    again = {**given, "error": None, "updated_at": func.now(), "revision": documents.c.revision + 1}
    written = (
        insert(documents)
        .values(**key, **given)
        .on_conflict_do_update(
            index_elements=list(key), set_=again, where=may_see(documents.c.labels, session)
        )
        .returning(*_SHOWN)
    )
    document = _document((await session.sql.execute(written)).one_or_none(), id)
    if before is not None and frozenset(before) != labels:
        # Who was shown an answer from it may not be among those who may see it now.
        await answers.forget_citing(session, collection, [id])
    return document


async def add(
    session: Session,
    collection: str,
    *,
    origin: str,
    labels: frozenset[str],
    upload: str | None = None,
    size: int = 0,
) -> Document:
    """A new document to be read, under an id that nobody can have taken."""
    may_give(labels, session.labels)
    new = insert(documents).values(
        tenant_id=session.tenant,
        collection=collection,
        id=new_id(),
        origin=origin,
        labels=sorted(labels),
        status=DocumentStatus.PENDING,
        upload=upload,
        bytes=size,
    )
    return _document((await session.sql.execute(new.returning(*_SHOWN))).one(), "")


async def get(session: Session, collection: str, id: str) -> Document:
    """One document that the caller may see."""
    wanted = select(*_SHOWN).where(_is(session, collection, id), _seen(session))
    return _document((await session.sql.execute(wanted)).one_or_none(), id)


async def listed(
    session: Session,
    collection: str,
    *,
    limit: int,
    after: str = "",
    status: DocumentStatus | None = None,
) -> list[Document]:
    """Documents that the caller may see, by id; the next page begins `after` the last one."""
    query = select(*_SHOWN).where(
        documents.c.tenant_id == session.tenant,
        documents.c.collection == collection,
        documents.c.id > after,
        _seen(session),
    )
    if status is not None:
        query = query.where(documents.c.status == status)
    rows = await session.sql.execute(query.order_by(documents.c.id).limit(limit))
    return [_document(row, "") for row in rows]


async def finish(
    session: Session, document: Document, *, version: str, size: int | None = None
) -> bool:
    """It is in the index; False if it was given again meanwhile, or is to be deleted."""
    known = {} if size is None else {"bytes": size}
    return await _move(
        session,
        document,
        status=DocumentStatus.READY,
        version=version,
        error=None,
        upload=None,
        **known,
    )


async def fail(session: Session, document: Document, *, error: str) -> bool:
    """It could not be read; False if it was given again meanwhile, or is to be deleted."""
    return await _move(
        session, document, status=DocumentStatus.FAILED, error=error, upload=None, bytes=0
    )


async def condemn(session: Session, collection: str, id: str) -> Document:
    """Mark it for deletion; answers that quote it go at once."""
    change = update(documents).where(_is(session, collection, id), _seen(session))
    marked = change.values(status=DocumentStatus.DELETING, updated_at=func.now())
    document = _document((await session.sql.execute(marked.returning(*_SHOWN))).one_or_none(), id)
    await answers.forget_citing(session, collection, [id])
    return document


async def condemn_all(session: Session, collection: str) -> int:
    """Mark all documents of a collection that the caller may see; how many are new among them."""
    here = and_(
        documents.c.tenant_id == session.tenant,
        documents.c.collection == collection,
        _seen(session),
    )
    change = update(documents).where(here, documents.c.status != DocumentStatus.DELETING)
    marked = change.values(status=DocumentStatus.DELETING, updated_at=func.now())
    count = (await session.sql.execute(marked)).rowcount
    going = select(documents.c.id).where(here, documents.c.status == DocumentStatus.DELETING)
    await answers.forget_citing(session, collection, going)
    return count


async def waiting_upload(session: Session, collection: str, id: str) -> str | None:
    """Where bytes of a document wait that `put` will replace; it is held until then."""
    seen = and_(_is(session, collection, id), _seen(session))
    held = select(documents.c.upload).where(seen).with_for_update()
    return (await session.sql.execute(held)).scalar_one_or_none()


async def uploads(session: Session, collection: str) -> set[str]:
    """What waits in storage and is still wanted."""
    waiting = select(documents.c.upload).where(
        documents.c.tenant_id == session.tenant,
        documents.c.collection == collection,
        documents.c.upload.is_not(None),
    )
    return set((await session.sql.execute(waiting)).scalars())


async def forget(session: Session, document: Document) -> bool:
    """Its row goes, when its index is clean; False if it was given again meanwhile."""
    same = _same(session, document, DocumentStatus.DELETING)
    return (await session.sql.execute(delete(documents).where(same))).rowcount == 1


async def _move(session: Session, document: Document, **values: object) -> bool:
    change = update(documents).where(_same(session, document, DocumentStatus.PENDING))
    moved = await session.sql.execute(change.values(updated_at=func.now(), **values))
    return moved.rowcount == 1


def _is(session: Session, collection: str, id: str) -> ColumnElement[bool]:
    return and_(
        documents.c.tenant_id == session.tenant,
        documents.c.collection == collection,
        documents.c.id == id,
    )


def _same(session: Session, document: Document, status: DocumentStatus) -> ColumnElement[bool]:
    """Still as the job found it: a job may run twice, or beside somebody who gives it again."""
    return and_(
        _is(session, document.collection, document.id),
        documents.c.revision == document.revision,
        documents.c.status == status,
    )


def _seen(session: Session) -> ColumnElement[bool]:
    return may_see(documents.c.labels, session)


def _document(row: Row[Any] | None, id: str) -> Document:
    if row is None:
        raise NotFoundError(f"There is no document {id}.")
    values = dict(row._mapping)
    labels, status = frozenset(values.pop("labels")), DocumentStatus(values.pop("status"))
    return Document(labels=labels, status=status, **values)

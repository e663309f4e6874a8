"""Documents of a tenant: their rows and their ingestion status."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, delete, func, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert

from upheld.errors import NotFoundError
from upheld.types import new_id
from upheld_service.db import answers
from upheld_service.db.database import Session
from upheld_service.db.tables import documents
from upheld_service.db.visible import may_give, may_see

_HOLD_USAGE = text("SELECT pg_advisory_xact_lock(hashtextextended('usage ' || :tenant, 0))")
_USAGE = text("SELECT * FROM upheld_usage(:collection, :id)")
_HIDDEN = ("tenant_id", "page_starts")
_SHOWN: list[ColumnElement[Any]] = [
    *(column for column in documents.c if column.name not in _HIDDEN),
    func.cardinality(documents.c.page_starts).label("pages"),
]
_ORIGINAL_NONE = {"original": None, "original_type": None, "page_starts": None}
_ADD_HELP = (
    "A key with labels replaces only documents that it may see. Add new ones with POST …/documents."
)


class DocumentStatus(StrEnum):
    """The state of a document's ingestion; jobs change it."""

    PENDING = "pending"
    READY = "ready"
    FAILED = "failed"
    DELETING = "deleting"


@dataclass(frozen=True, slots=True)
class Document:
    """A document's row; `revision` counts its uploads, `version` names its text."""

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
    upload: str | None = None  # where its bytes are stored; None: already read, or a page to fetch
    bytes: int = 0  # as uploaded; 0 for a web page until it was fetched
    original: str | None = None  # where the bytes that were read are stored; None: nowhere
    original_type: str | None = None
    pages: int | None = None  # how many; None: the format has none


@dataclass(frozen=True, slots=True)
class Original:
    """The bytes of a document that was read: where they are, and where its pages begin."""

    name: str
    media_type: str
    page_starts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """What a tenant has stored, in all of its collections and labels."""

    documents: int
    bytes: int


async def hold_usage(session: Session) -> None:
    """Lock the tenant's usage until this transaction ends; other uploads wait."""
    await session.sql.execute(_HOLD_USAGE, {"tenant": str(session.tenant)})


async def usage(session: Session, collection: str, id: str | None) -> Usage:
    """Count all documents of the tenant, whoever may see them, except one to be replaced."""
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
    """Write the row of a document to be read, new or replaced.

    A caller with labels may only replace documents it sees: any other id, taken or free, raises
    `NotFoundError`, and new documents are created with `add`.
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
        **_ORIGINAL_NONE,  # it is of the text before, and perhaps for other labels
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
        # Callers who saw an answer from it may not be allowed to see it now.
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
    """Write the row of a new document to be read, under a new random id."""
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
    """Return one document that the caller may see; raises `NotFoundError` otherwise."""
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
    """Return documents that the caller may see, by id; pass the last id as `after` for more."""
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
    session: Session,
    document: Document,
    *,
    version: str,
    size: int | None = None,
    original: Original | None = None,
) -> bool:
    """Mark as ready; False if it was uploaded again meanwhile, or marked for deletion."""
    known: dict[str, object] = {} if size is None else {"bytes": size}
    if original is not None:
        pages = list(original.page_starts) or None
        known |= {"original": original.name, "original_type": original.media_type}
        known["page_starts"] = pages
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
    """Mark as failed; False if it was uploaded again meanwhile, or marked for deletion."""
    nothing: dict[str, object] = {"version": None, "upload": None, "bytes": 0}
    return await _move(session, document, status=DocumentStatus.FAILED, error=error, **nothing)


async def condemn(session: Session, collection: str, id: str) -> Document:
    """Mark for deletion, and delete answers that quote it at once."""
    change = update(documents).where(_is(session, collection, id), _seen(session))
    marked = change.values(status=DocumentStatus.DELETING, updated_at=func.now())
    document = _document((await session.sql.execute(marked.returning(*_SHOWN))).one_or_none(), id)
    await answers.forget_citing(session, collection, [id])
    return document


async def condemn_all(session: Session, collection: str) -> int:
    """Mark all documents of a collection that the caller may see; returns how many are new."""
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


async def stored_bytes(session: Session, collection: str, id: str) -> list[str]:
    """Return where the bytes of a document to be replaced are; locks its row."""
    seen = and_(_is(session, collection, id), _seen(session))
    held = select(documents.c.upload, documents.c.original).where(seen).with_for_update()
    row = (await session.sql.execute(held)).one_or_none()
    return [] if row is None else [name for name in row if name]


async def uploads(session: Session, collection: str) -> set[str]:
    """Return the names of bytes that are still to be read, and of originals."""
    names = select(documents.c.upload, documents.c.original).where(
        documents.c.tenant_id == session.tenant,
        documents.c.collection == collection,
        or_(documents.c.upload.is_not(None), documents.c.original.is_not(None)),
    )
    return {name for row in await session.sql.execute(names) for name in row if name}


async def page_starts(session: Session, collection: str, id: str) -> tuple[int, ...]:
    """Return the offset of each page in the text of a document; empty if it has no pages."""
    wanted = select(documents.c.page_starts).where(_is(session, collection, id), _seen(session))
    return tuple((await session.sql.execute(wanted)).scalar_one_or_none() or ())


async def forget(session: Session, document: Document) -> bool:
    """Delete the row, after its index entries; False if it was uploaded again meanwhile."""
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
    """Match the row only if unchanged: a job may run twice, or while it is uploaded again."""
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

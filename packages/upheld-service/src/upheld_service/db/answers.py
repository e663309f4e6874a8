"""Stored answers with their traces; deleted with a document that they quote, or by age."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    delete,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    tuple_,
)

from upheld.errors import NotFoundError
from upheld_service.db.database import Session
from upheld_service.db.tables import answer_documents, answers, documents
from upheld_service.db.visible import may_see, may_see_collection, saw_no_more

_SHOWN = [answers.c[name] for name in ("id", "collection", "question", "method", "body", "trace")]


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """An answer as it was sent: the HTTP body and the trace, as JSON."""

    id: str
    collection: str
    question: str
    method: str
    body: Mapping[str, Any]
    trace: Sequence[Mapping[str, Any]]
    created_at: datetime | None = None  # None until it is stored


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """An answer in a list; `text` is null for answers of early versions."""

    id: str
    collection: str
    question: str
    method: str
    text: str | None
    created_at: datetime


_LINE = [answers.c[name] for name in AnswerLine.__dataclass_fields__]
_MOST_WORDS = 10  # of a search


@dataclass(frozen=True, slots=True)
class Cited:
    """A document that an answer quotes or was written from."""

    collection: str
    document_id: str


async def keep(session: Session, answer: KeptAnswer, *, cites: Iterable[Cited]) -> None:
    """Store an answer, visible to callers who may see what its caller could see.

    Raises `NotFoundError` if it quotes a document that is deleted, marked for deletion, or not
    visible to the caller: the answer would bring its words back.
    """
    values = {column.name: getattr(answer, column.name) for column in _SHOWN}
    values["text"] = str(answer.body.get("text", "")).replace("\0", "")
    values["reviewable"] = _is_reviewable(answer.body)
    labels = None if session.labels is None else sorted(session.labels)
    await session.sql.execute(
        insert(answers).values(tenant_id=session.tenant, labels=labels, **values)
    )
    if cited := set(cites):
        await _cite(session, answer.id, cited)


async def get(session: Session, id: str) -> KeptAnswer:
    """Return an answer that the caller may see; raises `NotFoundError` otherwise."""
    wanted = select(*_SHOWN, answers.c.created_at).where(_seen(session), answers.c.id == id)
    row = (await session.sql.execute(wanted)).one_or_none()
    if row is None:
        raise NotFoundError(f"There is no answer {id}.")
    return KeptAnswer(**row._mapping)


async def listed(
    session: Session,
    *,
    limit: int,
    collection: str | None = None,
    words: str | None = None,
    after: tuple[datetime, str] | None = None,
) -> list[AnswerLine]:
    """Return answers that the caller may see, newest first; `after` is the last one before."""
    query = select(*_LINE).where(_seen(session))
    if collection is not None:
        query = query.where(answers.c.collection == collection)
    for word in (words or "").split()[:_MOST_WORDS]:
        said = or_(
            *(c.icontains(word, autoescape=True) for c in (answers.c.question, answers.c.text))
        )
        query = query.where(said)
    if after is not None:
        query = query.where(tuple_(answers.c.created_at, answers.c.id) < after)
    newest = query.order_by(answers.c.created_at.desc(), answers.c.id.desc()).limit(limit)
    return [AnswerLine(*row) for row in await session.sql.execute(newest)]


def _seen(session: Session) -> ColumnElement[bool]:
    return and_(
        answers.c.tenant_id == session.tenant,
        saw_no_more(answers.c.labels, session),
        may_see_collection(answers.c.collection, session),
    )


def _is_reviewable(body: Mapping[str, Any]) -> bool:
    """Return whether a claim may be drawn: as for a guarantee, nothing may have been amiss."""
    scored = any(each["verdict"]["probability"] is not None for each in body.get("claims", ()))
    return scored and not body["degraded"]


async def forget_citing(
    session: Session, collection: str, document_ids: Sequence[str] | Select[tuple[str]]
) -> None:
    """Delete every answer that quotes one of them, with replies stored for idempotency keys."""
    citing = select(answer_documents.c.answer_id).where(
        answer_documents.c.tenant_id == session.tenant,
        answer_documents.c.collection == collection,
        answer_documents.c.document_id.in_(document_ids),
    )
    own = answers.c.tenant_id == session.tenant
    await session.sql.execute(delete(answers).where(own, answers.c.id.in_(citing)))


async def forget_unreachable(session: Session, collection: str) -> None:
    """Delete answers whose callers no longer see any document of the collection.

    For those callers the collection no longer exists, so its answers must go too. Only for the
    owner's session: one with labels does not see all documents.
    """
    left = exists().where(
        documents.c.tenant_id == answers.c.tenant_id,
        documents.c.collection == answers.c.collection,
        or_(
            func.cardinality(documents.c.labels) == 0, documents.c.labels.overlap(answers.c.labels)
        ),
    )
    there = (answers.c.tenant_id == session.tenant, answers.c.collection == collection)
    await session.sql.execute(delete(answers).where(*there, answers.c.labels.is_not(None), ~left))


async def expire(session: Session, *, age: timedelta, most: int) -> int:
    """Delete answers older than `age`, `most` at a time; returns how many."""
    own = answers.c.tenant_id == session.tenant
    old = select(answers.c.id).where(own, answers.c.created_at < func.now() - age).limit(most)
    # Skip rows that another process is deleting: to wait for it could be a deadlock.
    free = old.with_for_update(skip_locked=True)
    return (await session.sql.execute(delete(answers).where(own, answers.c.id.in_(free)))).rowcount


async def citable(session: Session, pairs: Iterable[Cited]) -> set[Cited]:
    """Return those of the documents that the caller may see now, and that are not being deleted."""
    wanted = select(documents.c.collection, documents.c.id).where(
        documents.c.tenant_id == session.tenant,
        tuple_(documents.c.collection, documents.c.id).in_(
            [(each.collection, each.document_id) for each in pairs]
        ),
        documents.c.status != "deleting",
        may_see(documents.c.labels, session),
    )
    return {Cited(row.collection, row.id) for row in await session.sql.execute(wanted)}


async def known(session: Session, pairs: Iterable[Cited]) -> set[Cited]:
    """Return those of the documents that exist."""
    wanted = select(documents.c.collection, documents.c.id).where(
        documents.c.tenant_id == session.tenant,
        tuple_(documents.c.collection, documents.c.id).in_(
            [(each.collection, each.document_id) for each in pairs]
        ),
    )
    return {Cited(row.collection, row.id) for row in await session.sql.execute(wanted)}


async def _cite(session: Session, answer_id: str, cited: Collection[Cited]) -> None:
    """Record what an answer quotes, and lock it against deletion until this transaction ends.

    The index may still return a document that the caller may no longer see; the database does not.
    """
    pairs = [(each.collection, each.document_id) for each in cited]
    named = (documents.c.tenant_id, literal(answer_id), documents.c.collection, documents.c.id)
    present = select(*named).where(
        documents.c.tenant_id == session.tenant,
        tuple_(documents.c.collection, documents.c.id).in_(pairs),
        documents.c.status != "deleting",
        may_see(documents.c.labels, session),
    )
    columns = ["tenant_id", "answer_id", "collection", "document_id"]
    note = insert(answer_documents).from_select(columns, present.with_for_update(read=True))
    noted = await session.sql.execute(note.returning(answer_documents.c.document_id))
    if len(noted.all()) < len(cited):
        raise NotFoundError("A document that this answer quotes has been deleted.")

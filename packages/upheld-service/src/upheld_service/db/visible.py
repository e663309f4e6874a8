"""What a caller with labels may see, as a condition; `upheld.types.Scope.admits` in SQL."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, and_, exists, func, or_, true

from upheld.errors import NotFoundError, UsageError
from upheld_service.db.database import Session
from upheld_service.db.tables import documents


def may_see(labels: Any, session: Session) -> ColumnElement[bool]:
    """Match documents with one of the caller's labels, and those without labels."""
    if session.labels is None:
        return true()
    return or_(func.cardinality(labels) == 0, labels.overlap(sorted(session.labels)))


def may_see_collection(name: Any, session: Session) -> ColumnElement[bool]:
    """Match collections with a document that the caller may see; the owner sees all."""
    if session.labels is None:
        return true()
    return exists().where(
        documents.c.tenant_id == session.tenant,
        documents.c.collection == name,
        may_see(documents.c.labels, session),
    )


def saw_no_more(labels: Any, session: Session) -> ColumnElement[bool]:
    """Match answers whose caller could see no more than this one: fewer labels see less."""
    if session.labels is None:
        return true()
    # An answer to the owner (NULL) is only for the owner.
    return and_(labels.is_not(None), labels.contained_by(sorted(session.labels)))


def may_give(labels: frozenset[str], own: frozenset[str] | None) -> None:
    """Raise `UsageError` for labels that the caller lacks: it could not see the document."""
    if own is not None and labels - own:
        raise UsageError(
            "This key may not assign these labels.",
            help=f"It may assign: {', '.join(sorted(own)) or 'none'}.",
        )


def no_collection(name: str) -> NotFoundError:
    """Say that there is no such collection for the caller, and how one begins."""
    return NotFoundError(
        f"There is no collection {name}.",
        help="A collection begins with its first document: upload one, on the page or by PUT.",
    )

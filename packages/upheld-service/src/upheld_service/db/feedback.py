"""What readers volunteer about the claims of an answer; it never enters a guarantee.

Readers choose what they comment on, so their comments are no sample: `reviews` has one.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert

from upheld_service.db.database import Session
from upheld_service.db.tables import feedback


@dataclass(frozen=True, slots=True)
class Feedback:
    """Whether a reader agrees with the verdict on a claim, which is counted from 1."""

    claim: int
    author: str  # the prefix of the key
    labels: frozenset[str] | None  # what the author may see; None: every document
    agrees: bool
    note: str
    at: datetime


_SHOWN = [feedback.c[name] for name in ("claim", "author", "labels", "agrees", "note", "at")]


async def give(
    session: Session, answer_id: str, claim: int, *, author: str, agrees: bool, note: str
) -> Feedback:
    """Store an author's opinion of a claim; a later one replaces it."""
    labels = None if session.labels is None else sorted(session.labels)
    said = {"labels": labels, "agrees": agrees, "note": note}
    key = {
        "tenant_id": session.tenant,
        "answer_id": answer_id,
        "claim": claim,
        "author": author,
    }
    new = insert(feedback).values(**key, **said)
    again = new.on_conflict_do_update(index_elements=list(key), set_={**said, "at": func.now()})
    row = (await session.sql.execute(again.returning(*_SHOWN))).one()
    return _feedback(row._mapping)


async def listed(session: Session, answer_id: str) -> list[Feedback]:
    """Return what was said about an answer, which the caller must be allowed to see."""
    own = select(*_SHOWN).where(
        feedback.c.tenant_id == session.tenant, feedback.c.answer_id == answer_id
    )
    rows = await session.sql.execute(own.order_by(feedback.c.claim, feedback.c.at))
    return [_feedback(row._mapping) for row in rows]


def _feedback(values: object) -> Feedback:
    fields = dict(values)  # type: ignore[call-overload]
    labels = fields.pop("labels")
    return Feedback(labels=None if labels is None else frozenset(labels), **fields)

"""Claims that are drawn at random for a reader to judge: the labels that a guarantee may use.

One claim of a question is drawn, as `upheld label` does. A draw stays open until its reader has
judged or skipped it, so that nobody draws until they like the claim. A row has no words of
documents or questions, and outlives the answer.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import dataclass, fields
from datetime import datetime

from sqlalchemy import ColumnElement, and_, exists, func, select, update
from sqlalchemy.dialects.postgresql import insert

from upheld.errors import ConflictError, NotFoundError
from upheld.types import new_id
from upheld_service.db import answers as stored
from upheld_service.db.answers import KeptAnswer
from upheld_service.db.database import Session
from upheld_service.db.tables import answers, reviews

_TRIES = 20  # answers looked at for one draw


@dataclass(frozen=True, slots=True)
class Review:
    """A drawn claim, counted from 1; `score` is None if it was not called supported."""

    id: str
    answer_id: str
    claim: int
    question_hash: str
    pipeline: str
    score: float | None
    author: str
    supported: bool | None
    drawn_at: datetime
    ended_at: datetime | None  # None: it is open; with `supported` None: it was skipped


_SHOWN = [reviews.c[each.name] for each in fields(Review)]


async def open_review(session: Session, collection: str, author: str) -> Review | None:
    """Return the author's open draw, if its answer still exists."""
    there = exists().where(
        answers.c.tenant_id == session.tenant, answers.c.id == reviews.c.answer_id
    )
    query = select(*_SHOWN).where(
        _in(session, collection), reviews.c.author == author, reviews.c.ended_at.is_(None), there
    )
    row = (await session.sql.execute(query.limit(1))).one_or_none()
    return None if row is None else Review(*row)


async def candidates(session: Session, collection: str) -> AsyncIterator[KeptAnswer]:
    """Yield answers at random of which no claim was drawn yet."""
    drawn = exists().where(_in(session, collection), reviews.c.answer_id == answers.c.id)
    query = select(answers.c.id).where(
        answers.c.tenant_id == session.tenant,
        answers.c.collection == collection,
        answers.c.reviewable,
        ~drawn,
    )
    ids = (await session.sql.execute(query.order_by(func.random()).limit(_TRIES))).scalars()
    for id in ids.all():
        yield await stored.get(session, id)


async def draw(
    session: Session,
    collection: str,
    *,
    answer_id: str,
    claim: int,
    question_hash: str,
    pipeline: str,
    score: float | None,
    author: str,
) -> Review | None:
    """Store a draw; None if a claim of the same question was drawn before."""
    new = insert(reviews).values(
        tenant_id=session.tenant,
        id=new_id(),
        collection=collection,
        answer_id=answer_id,
        claim=claim,
        question_hash=question_hash,
        pipeline=pipeline,
        score=score,
        author=author,
    )
    written = new.on_conflict_do_nothing().returning(*_SHOWN)
    row = (await session.sql.execute(written)).one_or_none()
    return None if row is None else Review(*row)


async def judge(
    session: Session, collection: str, id: str, *, author: str, supported: bool | None
) -> Review:
    """End an author's draw with a label, or without one if it is skipped; only once."""
    own = and_(_in(session, collection), reviews.c.id == id, reviews.c.author == author)
    change = update(reviews).where(own, reviews.c.ended_at.is_(None))
    ended = change.values(supported=supported, ended_at=func.now())
    row = (await session.sql.execute(ended.returning(*_SHOWN))).one_or_none()
    if row is not None:
        return Review(*row)
    if (await session.sql.execute(select(reviews.c.id).where(own))).one_or_none() is None:
        raise NotFoundError(f"There is no review {id} of yours.")
    raise ConflictError("This claim was judged already.", help="Draw another one.")


async def ended(session: Session, collection: str) -> Sequence[Review]:
    """Return the draws that were judged or skipped and not fitted yet, the oldest first."""
    query = select(*_SHOWN).where(
        _in(session, collection), reviews.c.ended_at.is_not(None), reviews.c.fitted_at.is_(None)
    )
    rows = await session.sql.execute(query.order_by(reviews.c.ended_at, reviews.c.id))
    return [Review(*row) for row in rows]


async def use(session: Session, collection: str, ids: Collection[str]) -> None:
    """Mark labels as fitted: who adds labels to a set until it passes has chosen the outcome.

    Raises `ConflictError` if another request has used some of them meanwhile.
    """
    unused = and_(_in(session, collection), reviews.c.id.in_(ids), reviews.c.fitted_at.is_(None))
    change = update(reviews).where(unused).values(fitted_at=func.now())
    if (await session.sql.execute(change)).rowcount != len(ids):
        raise ConflictError("These labels were just used.", help="GET …/guarantee shows the fit.")


def _in(session: Session, collection: str) -> ColumnElement[bool]:
    return and_(reviews.c.tenant_id == session.tenant, reviews.c.collection == collection)

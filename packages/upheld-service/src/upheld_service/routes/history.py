"""Stored answers: a list that can be searched, and what readers say about their claims."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, ConfigDict, StrictBool

from upheld.errors import NotFoundError, UsageError
from upheld_service.auth.middleware import Parts, Reader
from upheld_service.db import answers, audit, collections, feedback
from upheld_service.db.answers import AnswerLine
from upheld_service.db.feedback import Feedback
from upheld_service.http.bodies import json_route
from upheld_service.http.deadline import STATE_SECONDS, at_most
from upheld_service.http.field_limits import PAGE, CollectionName, NoteText, SearchText
from upheld_service.routes.answers import AnswerId
from upheld_service.routes.replies import as_json

router = APIRouter(prefix="/v1/answers", tags=["answers"], route_class=json_route(8))
_CURSOR = re.compile(r"(.{10,40})_([0-9a-f]{32})")


class Opinion(BaseModel):
    """Whether you agree with the verdict on a claim, and why, if you like."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        json_schema_extra={"examples": [{"agrees": False, "note": "It opens at ten on Sundays."}]},
    )

    agrees: StrictBool
    note: NoteText = ""


@dataclass(frozen=True, slots=True)
class AnswerList:
    """A page of answers, newest first; `next` is the value of `after` for the following page."""

    answers: tuple[AnswerLine, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class FeedbackList:
    """What readers said about the claims of an answer."""

    feedback: tuple[Feedback, ...]


@router.get("", summary="List answers", response_model=AnswerList)
async def list_answers(
    service: Parts,
    caller: Reader,
    collection: CollectionName | None = None,
    q: Annotated[
        SearchText | None, Query(description="Words of the question or the answer, in any case.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=PAGE)] = 20,
    after: Annotated[str | None, Query(max_length=100)] = None,
) -> Response:
    """Stored answers that this key may see; each is at `/v1/answers/{id}`."""
    since = None if after is None else _place(after)

    async def look() -> list[AnswerLine]:
        async with service.database.session(caller.tenant, labels=caller.labels) as session:
            if collection is not None:
                await collections.get(session, collection)
            return await answers.listed(
                session, limit=limit + 1, collection=collection, words=q, after=since
            )

    found = await at_most(STATE_SECONDS, look())
    page = tuple(found[:limit])
    more = f"{page[-1].created_at.isoformat()}_{page[-1].id}" if len(found) > limit else None
    return as_json(AnswerList(page, more))


@router.post(
    "/{id}/claims/{claim}/feedback",
    summary="Agree or disagree with a verdict",
    response_model=Feedback,
)
async def give_feedback(
    service: Parts,
    caller: Reader,
    id: AnswerId,
    claim: Annotated[int, Path(ge=1, le=100_000, description="The claim, counted from 1.")],
    body: Opinion,
) -> Response:
    """For people who read the answer; a later opinion of the same key replaces it.

    Readers choose what they comment on, so this never enters a guarantee: `…/reviews` does.
    """

    async def give() -> Feedback:
        async with service.database.session(caller.tenant, labels=caller.labels) as session:
            answer = await answers.get(session, id)
            if claim > len(answer.body["claims"]):
                raise NotFoundError(f"The answer has no claim {claim}.")
            given = await feedback.give(
                session, id, claim, author=caller.key, agrees=body.agrees, note=body.note
            )
            subject = f"{id}/{claim}"
            await audit.record(session, actor=caller.key, action="feedback.give", subject=subject)
            return given

    return as_json(await at_most(STATE_SECONDS, give()))


@router.get("/{id}/feedback", summary="List feedback on an answer", response_model=FeedbackList)
async def list_feedback(service: Parts, caller: Reader, id: AnswerId) -> Response:
    """What readers said about its claims; it is deleted with the answer."""

    async def look() -> list[Feedback]:
        async with service.database.session(caller.tenant, labels=caller.labels) as session:
            await answers.get(session, id)
            return await feedback.listed(session, id)

    return as_json(FeedbackList(tuple(await at_most(STATE_SECONDS, look()))))


def _place(after: str) -> tuple[datetime, str]:
    """Parse the place that a page ended at; raises `UsageError` for anything else."""
    found = _CURSOR.fullmatch(after)
    try:
        if found is not None and (at := datetime.fromisoformat(found[1])).tzinfo is not None:
            return at, found[2]
    except ValueError:
        pass
    raise UsageError("This is no value of `next`.", help="Leave `after` out for the first page.")

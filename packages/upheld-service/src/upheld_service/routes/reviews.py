"""Claims drawn at random for a reader to judge; their labels, and no others, may calibrate."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Path, Response
from pydantic import BaseModel, ConfigDict, StrictBool

from upheld.calibration.labelled import same_question
from upheld.errors import NotFoundError
from upheld.types import Cause, Support, content_hash
from upheld_service.auth.middleware import Parts, Principal, Reader
from upheld_service.db import answers, audit, collections, reviews
from upheld_service.db.answers import KeptAnswer
from upheld_service.db.database import Session
from upheld_service.db.reviews import Review
from upheld_service.http.bodies import json_route
from upheld_service.http.deadline import STATE_SECONDS, at_most
from upheld_service.http.field_limits import CollectionName
from upheld_service.jobs.calibration import check_sees_all
from upheld_service.resources import Service
from upheld_service.routes.replies import as_json

router = APIRouter(
    prefix="/v1/collections/{collection}/reviews", tags=["reviews"], route_class=json_route(8)
)
ReviewId = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$", description="The review's id.")]
_NONE_LEFT = "Claims of answers are drawn, one of each question; ask something new."
_random = random.SystemRandom()


class Judgement(BaseModel):
    """Whether the quotes support the claim; null to skip it."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, json_schema_extra={"examples": [{"supported": True}]}
    )

    supported: StrictBool | None


@dataclass(frozen=True, slots=True)
class ReviewQuote:
    """Words of a document that were compared with the claim; for and against look alike."""

    document_id: str
    document_version: str
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class DrawnClaim:
    """A claim to judge, without its verdict: a label that follows it would tell nothing."""

    id: str
    answer_id: str
    claim: int  # counted from 1
    question: str
    text: str
    quotes: tuple[ReviewQuote, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """A review that has ended; `supported` is null if it was skipped."""

    id: str
    supported: bool | None


@dataclass(frozen=True, slots=True)
class ReviewCounts:
    """Drawn claims that were judged and skipped since the last fit, and the labels by pipeline."""

    judged: int
    skipped: int
    pipelines: Mapping[str, int]


@router.post("", summary="Draw a claim to judge", response_model=DrawnClaim)
async def draw_claim(service: Parts, caller: Reader, collection: CollectionName) -> Response:
    """Of a random answer, a random claim; the same again until you have judged or skipped it.

    Only for keys that see all documents: labels of a part hold for that part alone.
    """
    check_sees_all(caller)
    return as_json(await at_most(STATE_SECONDS, _draw(service, caller, collection)))


@router.post("/{id}", summary="Judge a drawn claim", response_model=Judged)
async def judge_claim(
    service: Parts, caller: Reader, collection: CollectionName, id: ReviewId, body: Judgement
) -> Response:
    """Judge by the documents, not by what you know. A judgement cannot be changed."""
    check_sees_all(caller)

    async def judge() -> Judged:
        async with service.database.session(caller.tenant, labels=caller.labels) as session:
            ended = await reviews.judge(
                session, collection, id, author=caller.key, supported=body.supported
            )
            await audit.record(session, actor=caller.key, action="review.judge", subject=id)
            return Judged(ended.id, ended.supported)

    return as_json(await at_most(STATE_SECONDS, judge()))


@router.get("", summary="Count judged claims", response_model=ReviewCounts)
async def count_reviews(service: Parts, caller: Reader, collection: CollectionName) -> Response:
    """`POST …/guarantee?reviews=true` fits the labels of the pipeline that was judged last."""
    check_sees_all(caller)
    async with service.database.session(caller.tenant, labels=caller.labels) as session:
        await collections.get(session, collection)
        ended = await reviews.ended(session, collection)
    judged = [each for each in ended if each.supported is not None]
    pipelines = dict(Counter(each.pipeline for each in judged))
    return as_json(ReviewCounts(len(judged), len(ended) - len(judged), pipelines))


async def _draw(service: Service, caller: Principal, collection: str) -> DrawnClaim:
    async with service.database.session(caller.tenant, labels=caller.labels) as session:
        await collections.get(session, collection)
        still = await reviews.open_review(session, collection, caller.key)
        if still is not None:
            return _shown(still, await answers.get(session, still.answer_id))
        async for answer in reviews.candidates(session, collection):
            review = await _drawn_from(session, collection, answer, caller.key)
            if review is not None:
                return _shown(review, answer)
    raise NotFoundError("There is no claim to judge.", help=_NONE_LEFT)


async def _drawn_from(
    session: Session, collection: str, answer: KeptAnswer, author: str
) -> Review | None:
    claims = answer.body["claims"]
    scored = [at for at, each in enumerate(claims) if each["verdict"]["probability"] is not None]
    if not scored:
        return None
    at = _random.choice(scored)
    verdict = claims[at]["verdict"]
    # The verifier called it supported, and the guarantee's threshold was stricter.
    below = verdict["cause"] == Cause.BELOW_GUARANTEE
    called_supported = below or verdict["support"] == Support.SUPPORTED
    return await reviews.draw(
        session,
        collection,
        answer_id=answer.id,
        claim=at + 1,
        question_hash=content_hash(same_question(answer.question)),
        pipeline=answer.body["pipeline"],
        score=verdict["probability"] if called_supported else None,
        author=author,
    )


def _shown(review: Review, answer: KeptAnswer) -> DrawnClaim:
    claim: Mapping[str, Any] = answer.body["claims"][review.claim - 1]
    verdict = claim["verdict"]
    found = (*claim["citations"], *verdict["evidence_for"], *verdict["evidence_against"])
    places = {
        (each["document_id"], each["start"], each["end"]): ReviewQuote(
            each["document_id"],
            each["document_version"],
            each["start"],
            each["end"],
            each["quote"],
        )
        for each in found
        if each["quote"]
    }
    quotes = tuple(places[place] for place in sorted(places))
    return DrawnClaim(review.id, answer.id, review.claim, answer.question, claim["text"], quotes)

"""Calibrate a collection: labelled claims are uploaded, fitted by a job, and deleted again.

Claims and their evidence contain words of documents, which may be deleted before the job runs: so
they are validated and dropped. Only questions, scores and a person's labels wait for the job.
"""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import Response
from pydantic import BaseModel, ConfigDict, Field

from upheld._internal.to_json import to_json
from upheld.calibration.fitted import FittedGuarantee, fitted_today
from upheld.calibration.labelled import LabelledClaim, labels_in, the_pipeline
from upheld.calibration.learn_then_test import calibrate, help_for, why_nothing
from upheld.errors import CalibrationError, NotAllowedError, TooLargeError, UsageError
from upheld.types import content_hash
from upheld_service.admission.idempotency import carry_out
from upheld_service.auth.middleware import Principal
from upheld_service.db import audit, collections, guarantees, reviews
from upheld_service.db.database import Session
from upheld_service.db.jobs import Jobs
from upheld_service.db.queue import Task
from upheld_service.db.reviews import Review
from upheld_service.resources import Service

ACCEPTED = 202
MOST_LABELS = 5_000
LABEL_BYTES = 100_000  # of one line: claim, evidence and question
# Routes by which idempotency keys are stored.
POST = "POST /v1/collections/{collection}/guarantee"
DELETE = "DELETE /v1/collections/{collection}/guarantee"


class Label(BaseModel):
    """The part of a labelled claim that the fit needs; no score: never shown as supported."""

    model_config = ConfigDict(frozen=True)

    question: str
    score: float | None = Field(ge=0, le=1)
    supported: bool


class Asked(BaseModel):
    """A calibration that waits for its job."""

    model_config = ConfigDict(frozen=True)

    alpha: float
    delta: float
    name: str
    hash: str
    pipeline: str
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class Fitting:
    """Labels that were accepted, and the job that fits them."""

    collection: str
    labels: int
    job: int


@dataclass(frozen=True, slots=True)
class Removed:
    """A collection whose guarantee was removed."""

    collection: str


def asked_with(content: bytes, *, alpha: float, delta: float, name: str) -> Asked:
    """Parse and check the lines of a file of labels; raises an error that names a bad line."""
    lines = content.count(b"\n")
    if lines > 2 * MOST_LABELS or max(map(len, content.split(b"\n"))) > LABEL_BYTES:
        raise TooLargeError(f"The limit is {MOST_LABELS:,} labels of {LABEL_BYTES:,} bytes each.")
    try:
        labels = labels_in(content.decode("utf-8-sig"), "The labels")
        pipeline = the_pipeline(labels)
    except UnicodeDecodeError as error:
        raise UsageError("The labels are not UTF-8.") from error
    except CalibrationError as error:
        raise UsageError(str(error.args[0]), help=error.help) from error
    if len(labels) > MOST_LABELS:
        raise TooLargeError(f"{len(labels):,} labels; the limit is {MOST_LABELS:,}.")
    return Asked(
        alpha=alpha,
        delta=delta,
        name=name,
        hash=content_hash(content),
        pipeline=pipeline,
        labels=tuple(map(_label, labels)),
    )


def fit(asked: Asked) -> FittedGuarantee | str:
    """Return the guarantee, or the reason why there is none."""
    found = calibrate(
        [-math.inf if each.score is None else each.score for each in asked.labels],
        [each.supported for each in asked.labels],
        clusters=[each.question for each in asked.labels],
        alpha=asked.alpha,
        delta=asked.delta,
    )
    if found.threshold is None:
        return f"{why_nothing(found)} {help_for(found)}"
    return FittedGuarantee(
        alpha=asked.alpha,
        delta=asked.delta,
        threshold=found.threshold,
        pipeline=asked.pipeline,
        fitted_on=fitted_today(asked.name, asked.hash, found.claims),
    )


def to_fit(ended: Sequence[Review]) -> list[Review]:
    """Return the judged claims of the pipeline that was judged last.

    Raises `UsageError` if none was judged since the last fit.
    """
    judged = [each for each in ended if each.supported is not None]
    if not judged:
        raise UsageError(
            "No drawn claim was judged since the last fit.", help="POST …/reviews draws one."
        )
    return [each for each in judged if each.pipeline == judged[-1].pipeline][-MOST_LABELS:]


def asked_by_reviews(judged: Sequence[Review], *, alpha: float, delta: float) -> Asked:
    """Return the labels of these claims."""
    labels = tuple(
        Label(question=each.question_hash, score=each.score, supported=bool(each.supported))
        for each in judged
    )
    content = json.dumps([label.model_dump() for label in labels])
    return Asked(
        alpha=alpha,
        delta=delta,
        name="reviews",
        hash=content_hash(content),
        pipeline=judged[-1].pipeline,
        labels=labels,
    )


async def ask_for(
    service: Service, caller: Principal, collection: str, asked: Asked, key: str | None
) -> Response:
    """Store labels and queue their fit; the present guarantee stays until then."""

    async def sent(_: Session) -> Asked:
        return asked

    request = [collection, asked.alpha, asked.delta, asked.name, asked.hash]
    return await _ask(service, caller, collection, sent, request, key)


async def ask_by_reviews(
    service: Service,
    caller: Principal,
    collection: str,
    key: str | None,
    *,
    alpha: float,
    delta: float,
) -> Response:
    """Do the same with the claims that were judged in the service, each of which is used once."""

    async def judged(session: Session) -> Asked:
        found = to_fit(await reviews.ended(session, collection))
        await reviews.use(session, collection, [each.id for each in found])
        return asked_by_reviews(found, alpha=alpha, delta=delta)

    request = [collection, alpha, delta, "reviews"]
    return await _ask(service, caller, collection, judged, request, key)


async def _ask(
    service: Service,
    caller: Principal,
    collection: str,
    choose_labels: Callable[[Session], Awaitable[Asked]],
    request: Sequence[object],
    key: str | None,
) -> Response:
    """Store the labels, in the transaction in which they are chosen."""
    check_sees_all(caller)

    async def change(session: Session) -> Any:
        await collections.get(session, collection)
        asked = await choose_labels(session)
        await guarantees.ask(session, collection, asked.model_dump(mode="json"))
        job = await Jobs(session).defer(Task.CALIBRATE, collection)
        await audit.record(
            session,
            actor=caller.key,
            action="guarantee.ask",
            subject=collection,
            detail={"labels": len(asked.labels), "alpha": asked.alpha, "delta": asked.delta},
        )
        return to_json(Fitting(collection, len(asked.labels), job))

    body = json.dumps(request).encode()
    return await carry_out(
        service, caller, change, route=POST, key=key, request=body, status=ACCEPTED
    )


async def take_back(
    service: Service, caller: Principal, collection: str, key: str | None
) -> Response:
    """Delete the guarantee of the collection."""
    check_sees_all(caller)

    async def change(session: Session) -> Any:
        await collections.get(session, collection)
        await guarantees.forget(session, collection)
        await audit.record(session, actor=caller.key, action="guarantee.delete", subject=collection)
        return to_json(Removed(collection))

    request = collection.encode()
    return await carry_out(
        service, caller, change, route=DELETE, key=key, request=request, status=200
    )


def check_sees_all(caller: Principal) -> None:
    """Raise `NotAllowedError` for a key with labels: it sees only a part of the collection.

    A guarantee is for all callers, and labels from a part of the documents hold only for that part.
    """
    if caller.labels is not None:
        raise NotAllowedError(
            "This key sees only a part of the collection, and its guarantee is for all of it.",
            help="Send them with a key that was made without --label and --unlabelled.",
        )


def _label(labelled: LabelledClaim) -> Label:
    shown = labelled.shown_score
    return Label(
        question=labelled.cluster,
        score=None if shown == -math.inf else shown,
        supported=labelled.supported,
    )

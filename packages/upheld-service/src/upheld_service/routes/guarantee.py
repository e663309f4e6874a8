"""The guarantee of a collection: labelled claims in, a guarantee out."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse

from upheld.calibration.fitted import FittedGuarantee
from upheld.errors import UsageError
from upheld_service.admission.idempotency import IdempotencyKey
from upheld_service.auth.middleware import Parts, Reader, Writer
from upheld_service.db import guarantees
from upheld_service.http.connections import while_there
from upheld_service.http.field_limits import CollectionName
from upheld_service.jobs.calibration import (
    ACCEPTED,
    Fitting,
    Removed,
    ask_by_reviews,
    ask_for,
    asked_with,
    take_back,
)

router = APIRouter(prefix="/v1/collections/{collection}/guarantee", tags=["guarantee"])
# Smaller levels need more labels than are accepted; larger ones guarantee nothing.
Level = Query(ge=0.001, le=0.5, allow_inf_nan=False)
Alpha = Annotated[float, Level]
Delta = Annotated[float, Level]
LabelsName = Annotated[
    str,
    Query(
        alias="name",
        pattern=r"^[^\x00-\x1f/\\]{1,200}$",
        description="A name for the labels, which the guarantee repeats.",
    ),
]
FromReviews = Annotated[
    bool, Query(description="Fit the drawn claims that were judged (`…/reviews`), without a body.")
]
_LINES = {
    "requestBody": {
        "required": False,
        "description": "Labelled claims, one JSON object per line, as `upheld label` writes them.",
        "content": {
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
        },
    }
}


@dataclass(frozen=True, slots=True)
class GuaranteeView:
    """A guarantee, its pipeline, and whether newer labels are being fitted."""

    collection: str
    guarantee: FittedGuarantee
    labels_wait: bool


@router.post(
    "",
    summary="Calibrate a collection",
    status_code=ACCEPTED,
    response_model=Fitting,
    openapi_extra=_LINES,
)
async def calibrate_collection(
    request: Request,
    service: Parts,
    caller: Writer,
    collection: CollectionName,
    alpha: Alpha = 0.1,
    delta: Delta = 0.1,
    name: LabelsName = "labels.jsonl",
    reviews: FromReviews = False,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Of the claims shown as supported, at most alpha are not, with confidence 1 - delta.

    A job fits it. If nothing can be certified, the job fails and the collection has no guarantee.
    Labels of reviews are used once: to add some to a set that failed would void the promise.
    """
    content = await request.body()
    if reviews:
        if content:
            raise UsageError("Send labels, or use those of reviews; not both.")
        return await ask_by_reviews(
            service, caller, collection, idempotency_key, alpha=alpha, delta=delta
        )
    reading = asyncio.to_thread(asked_with, content, alpha=alpha, delta=delta, name=name)
    asked = await while_there(request, reading)
    return await ask_for(service, caller, collection, asked, idempotency_key)


@router.get("", summary="Get the guarantee of a collection", response_model=GuaranteeView)
async def get_guarantee(service: Parts, caller: Reader, collection: CollectionName) -> Response:
    """The guarantee that holds for answers of this collection, if its pipeline made them."""
    async with service.database.session(caller.tenant, labels=caller.labels) as session:
        fitted, waits = await guarantees.get(session, collection)
    shown = fitted.model_dump(mode="json")
    return JSONResponse({"collection": collection, "guarantee": shown, "labels_wait": waits})


@router.delete("", summary="Remove a guarantee", response_model=Removed)
async def delete_guarantee(
    service: Parts,
    caller: Writer,
    collection: CollectionName,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Later answers have no guarantee; labels that are not fitted yet are deleted."""
    return await take_back(service, caller, collection, idempotency_key)

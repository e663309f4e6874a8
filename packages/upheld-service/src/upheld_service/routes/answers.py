"""Questions and their answers."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import JSONResponse

from upheld.types import Answer
from upheld_service.admission.admission import Admitted
from upheld_service.admission.idempotency import REPLAYED, IdempotencyKey, once
from upheld_service.answering import Ask, Body, Progress, answered, citable, shown
from upheld_service.auth.middleware import Asker, Parts, Reader
from upheld_service.db import answers
from upheld_service.http.bodies import json_route
from upheld_service.http.connections import while_there
from upheld_service.http.deadline import by_deadline
from upheld_service.routes.replies import NAMES, event_schema, stream

router = APIRouter(prefix="/v1/answers", tags=["answers"], route_class=json_route(128))
EVENT_STREAM = "text/event-stream"
ROUTE = "POST /v1/answers"
_STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer; with `stream`, events plan, search, grade, draft and repair "
        "with what these steps found, a claim as soon as its verdict is final, claim_revised if "
        "one that was sent has changed, and final, whose data is the answer.",
        "content": {EVENT_STREAM: event_schema(*NAMES)},
    }
}
AnswerId = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$", description="The answer's id.")]


@router.post("", summary="Ask a question", response_model=Answer, responses=_STREAMED)
async def ask(
    request: Request,
    service: Parts,
    caller: Asker,
    place: Admitted,
    body: Ask,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Answer from a collection, with citations and a verdict on every sentence.

    The work stops when the client disconnects.
    """

    budget = await place.take(body.budget.capped(service.settings.answer_seconds))

    seconds = budget.seconds
    assert seconds is not None

    async def work(progress: Progress) -> tuple[Body, bool]:
        sent = body.model_dump_json(exclude={"stream"}).encode()
        async with once(
            service, caller, route=ROUTE, key=idempotency_key, request=sent, seconds=seconds
        ) as this:
            if this.replay is not None:
                return this.replay.body, True
            answering = answered(service, caller, body, budget, this, progress)
            return await by_deadline(seconds, answering), False

    async def streamed(progress: Progress) -> Body:
        return (await work(progress))[0]

    visible = partial(citable, service, caller, body.collection)

    if body.stream or EVENT_STREAM in request.headers.get("accept", ""):
        return await stream(request, streamed, visible=visible, counted=service.metrics.streamed)
    answer, again = await while_there(request, work(Progress()))
    return JSONResponse(answer, headers=REPLAYED if again else None)


@router.get("/{id}", summary="Get an answer", response_model=Answer)
async def get_answer(service: Parts, caller: Reader, id: AnswerId) -> Response:
    """A stored answer with its trace; it is gone once a document that it quotes is deleted."""
    async with service.database.session(caller.tenant, labels=caller.labels) as session:
        return JSONResponse(shown(await answers.get(session, id)))

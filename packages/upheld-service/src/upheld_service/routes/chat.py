"""OpenAI's routes: a model is a method, and after `@` the collection that it answers from."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Request, Response
from fastapi.sse import format_sse_event

from upheld.errors import NotFoundError
from upheld.methods.registry import METHODS
from upheld_service.admission.admission import Admitted
from upheld_service.admission.idempotency import Once
from upheld_service.answering import AskBudget, Body, Progress, answered
from upheld_service.auth.middleware import Asker, Parts, Principal
from upheld_service.db import collections
from upheld_service.http.bodies import json_route
from upheld_service.http.connections import while_there
from upheld_service.http.deadline import by_deadline
from upheld_service.http.error_bodies import RESPONSES, Problem, as_error
from upheld_service.openai.reply import Completion, chunks, completion
from upheld_service.openai.request import AT, Chat, question_of
from upheld_service.resources import Service
from upheld_service.routes.replies import as_json, event_schema, stream

MOST_STRINGS = 10_000  # 500 messages of a few parts each
router = APIRouter(
    prefix="/v1", tags=["openai"], responses=RESPONSES, route_class=json_route(MOST_STRINGS)
)
_STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A completion; with `stream`, its chunks, each sent once it is final.",
        "content": {"text/event-stream": event_schema()},
    }
}


@dataclass(frozen=True, slots=True)
class Model:
    """A method and the collection that it answers from, as a model."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "upheld"


@dataclass(frozen=True, slots=True)
class ModelList:
    """The methods on the collection `default`, then on every other."""

    data: tuple[Model, ...]
    object: Literal["list"] = "list"


@router.post(
    "/chat/completions",
    summary="Answer a conversation",
    response_model=Completion,
    responses=_STREAMED,
)
async def complete(
    request: Request, service: Parts, caller: Asker, place: Admitted, body: Chat
) -> Response:
    """The last message is the question; earlier ones are condensed into it.

    Citations are annotations. A sentence that is not supported is marked so. Text is streamed only
    once it is checked and final.
    """
    ask, earlier = question_of(body)
    budget = await place.take(AskBudget().capped(service.settings.answer_seconds))
    # Not by the request's Host header, which the caller chooses.
    here = (service.settings.public_url or "").rstrip("/")
    texts = f"{here}/v1/collections/{ask.collection}/documents"
    as_completion = partial(completion, model=body.model, created=int(time.time()), texts=texts)

    seconds = budget.seconds
    assert seconds is not None

    async def work(_progress: Progress) -> Body:  # nothing is shown before it is final
        answering = answered(service, caller, ask, budget, Once(), earlier=earlier)
        return await by_deadline(seconds, answering)

    def encode(name: str, _seq: int, data: Body) -> bytes:
        if name == "error":
            told = as_error(Problem.model_validate(data))
            return format_sse_event(data_str=told.model_dump_json())
        if name != "final":
            return b""  # stages have no place in a completion
        usage = bool(body.stream_options and body.stream_options.include_usage)
        return b"".join(chunks(data, as_completion(data), with_usage=usage))

    if body.stream:
        return await stream(request, work, encode)
    return as_json(as_completion(await while_there(request, work(Progress()))))


@router.get("/models", summary="List models", response_model=ModelList)
async def list_models(service: Parts, caller: Asker) -> Response:
    """The values that `model` may have."""
    return as_json(ModelList(tuple(map(Model, await _models(service, caller)))))


@router.get("/models/{model}", summary="Get a model", response_model=Model)
async def get_model(
    service: Parts, caller: Asker, model: Annotated[str, Path(max_length=200)]
) -> Response:
    """The model, or 404 if `model` may not have this value."""
    if model not in await _models(service, caller):
        raise NotFoundError(f"There is no model {model}.", help="GET /v1/models lists them.")
    return as_json(Model(model))


async def _models(service: Service, caller: Principal) -> list[str]:
    async with service.database.session(caller.tenant, labels=caller.labels) as session:
        named = await collections.listed(session)
    return [*METHODS, *(f"{method}{AT}{name}" for name in named for method in METHODS)]

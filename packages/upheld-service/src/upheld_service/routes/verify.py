"""Any answer against any sources, without an index."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from upheld.check import CheckedAnswer, check
from upheld_service.admission.admission import Admitted
from upheld_service.answering import AskBudget
from upheld_service.auth.middleware import Checker, Parts
from upheld_service.http.bodies import json_route
from upheld_service.http.connections import while_there
from upheld_service.http.deadline import by_deadline
from upheld_service.http.field_limits import MOST_SOURCES, AnswerText, QuestionText, SourceText
from upheld_service.routes.replies import rendered

router = APIRouter(prefix="/v1/verify", tags=["verify"], route_class=json_route(128))


class Verify(BaseModel):
    """An answer to check; the mark [n] in it means the n-th source."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        json_schema_extra={
            "examples": [
                {
                    "answer": "The tower opens at nine. [1]",
                    "sources": ["The tower opens at nine."],
                }
            ]
        },
    )

    answer: AnswerText
    sources: list[SourceText] = Field(max_length=MOST_SOURCES)
    question: QuestionText | None = None
    budget: AskBudget = AskBudget()


@router.post("", summary="Check an answer", response_model=CheckedAnswer)
async def verify(
    request: Request, service: Parts, _caller: Checker, place: Admitted, body: Verify
) -> Response:
    """A verdict on every sentence, with the evidence; neither request nor result is stored."""
    budget = await place.take(body.budget.capped(service.settings.answer_seconds))
    checking = check(
        service.shared.verify,
        body.answer,
        body.sources,
        question=body.question,
        budget=budget,
        judge=service.shared.judge,
        listener=service.metrics.event,
    )
    assert budget.seconds is not None
    checked = await while_there(request, by_deadline(budget.seconds, checking))
    service.metrics.checked(checked)
    return await rendered(checked)

"""Answer a tenant's question with the library's `ask`, and store the answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from upheld._internal.deprecated import with_new_names
from upheld._internal.to_json import to_json
from upheld.ask_options import AskOptions
from upheld.calibration.fitted import FittedGuarantee
from upheld.errors import ConflictError, NotFoundError
from upheld.ingest.document import document_id
from upheld.ports import Message
from upheld.run.budget import Budget, Meter
from upheld.run.trace import News, OnClaim
from upheld.types import Answer, Claim
from upheld_service.admission.idempotency import Once
from upheld_service.auth.middleware import Principal
from upheld_service.db import answers, guarantees
from upheld_service.db.answers import Cited, KeptAnswer
from upheld_service.db.database import Session
from upheld_service.http.deadline import STATE_SECONDS, at_most
from upheld_service.http.field_limits import (
    CollectionName,
    ParameterName,
    ParameterValue,
    QuestionText,
)
from upheld_service.resources import Service

Body = dict[str, Any]
KEEP_SECONDS = 0.5  # to store an answer, taken from its own time
LEAST_SECONDS = 0.4  # to store an answer that has used up its time
Name = Field(default=None, max_length=64)
_NEW_FIELDS: Body = {"p_right": None, "doubtful": False}  # of answers stored by 0.2 and before


class AskBudget(BaseModel):
    """Limits for one answer; at a limit, the best draft so far is returned."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seconds: float | None = Field(default=None, gt=0, le=3600)
    llm_calls: int | None = Field(default=None, ge=0, le=10_000)
    tokens: int | None = Field(default=None, ge=0, le=100_000_000)

    def capped(self, seconds: float) -> Budget:
        """Return the budget, with at most as many seconds as the service allows."""
        return Budget(min(self.seconds or seconds, seconds), self.llm_calls, self.tokens)


class Ask(BaseModel):
    """A question and the options for answering it."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        json_schema_extra={
            "examples": [
                {"question": "When does the lighthouse open?", "collection": "default"},
                {
                    "question": "Who keeps the keys?",
                    "collection": "staff",
                    "method": "upheld",
                    "budget": {"seconds": 20, "llm_calls": 30},
                    "keep_supported": True,
                },
            ]
        },
    )

    question: QuestionText
    collection: CollectionName = "default"
    method: str | None = Name
    preset: str | None = Name
    parameters: dict[ParameterName, ParameterValue] = Field(default_factory=dict, max_length=32)
    budget: AskBudget = AskBudget()
    keep_supported: bool = Field(
        default=False, description="Leave out sentences that no source supports."
    )
    strict: bool = Field(
        default=False,
        description="Deprecated: the same as `keep_supported`.",
        json_schema_extra={"deprecated": True},
    )
    calibrated: bool = Field(
        default=True,
        description="Apply the collection's guarantee; false to collect claims for labelling.",
    )
    stream: bool = Field(default=False, description="Server-sent events instead of one reply.")


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run that is streamed reports what it finds, and claims that are final."""

    news: News | None = None
    on_claim: Callable[[Body], None] | None = None


async def answered(
    service: Service,
    caller: Principal,
    ask: Ask,
    budget: Budget,
    once: Once,
    progress: Progress = Progress(),
    earlier: Sequence[Message] = (),
) -> Body:
    """Answer and store; returns the body to send, which is what `upheld ask --json` prints."""
    meter = Meter(budget)
    guarantee = await at_most(_state_seconds(meter), _guarantee(service, caller, ask.collection))
    async with service.tenant_indexes.of(caller.tenant, ask.collection, meter.seconds_left) as kb:
        answer = await kb.ask(
            ask.question,
            method=ask.method,
            preset=ask.preset,
            parameters=ask.parameters,
            budget=replace(meter.budget, seconds=_run_seconds(meter)),
            labels=caller.labels,
            keep_supported=ask.keep_supported or ask.strict,
            options=AskOptions(
                calibrated=ask.calibrated,
                guarantee=guarantee,
                earlier=earlier,
                listener=service.metrics.event,
                news=progress.news,
                on_claim=_if_citable(service, caller, ask.collection, progress),
            ),
        )
    # Only a stored answer is sent: the database checks who may see what, and what was deleted.
    keeping = _keep(service, caller, ask.collection, answer, once)
    body = await at_most(_state_seconds(meter), keeping)
    service.metrics.answered(answer)
    return body


def _if_citable(
    service: Service, caller: Principal, collection: str, progress: Progress
) -> OnClaim | None:
    """Pass a claim on only if the database says that its documents may be seen now.

    The index may still have a document that was deleted or hidden since.
    """
    if (send := progress.on_claim) is None:
        return None

    async def pass_on(claim: Claim) -> None:
        verdict = claim.verdict
        quotes = (*claim.citations, *verdict.evidence_for, *verdict.evidence_against)
        ids = {each.document_id for each in quotes}
        if len(await citable(service, caller, collection, ids)) == len(ids):
            send(to_json(claim))
        else:
            raise NotFoundError("A document that this claim quotes has been deleted.")

    return pass_on


async def citable(
    service: Service, caller: Principal, collection: str, ids: Collection[str]
) -> set[str]:
    """Return those of the documents that the caller may see now."""
    if not ids:
        return set()

    async def look() -> set[str]:
        async with service.database.session(caller.tenant, labels=caller.labels) as session:
            found = await answers.citable(session, [Cited(collection, id) for id in ids])
            return {each.document_id for each in found}

    return await at_most(STATE_SECONDS, look())


def _run_seconds(meter: Meter) -> float:
    """Return the seconds left, less a tenth (at most half a second) to store the answer."""
    left = meter.seconds_left
    return left - min(left / 10, KEEP_SECONDS)


def _state_seconds(meter: Meter) -> float:
    """Return the seconds for the database: what is left, with a minimum for late answers."""
    return max(min(meter.seconds_left, STATE_SECONDS), LEAST_SECONDS)


async def _guarantee(
    service: Service, caller: Principal, collection: str
) -> FittedGuarantee | None:
    """Return the collection's guarantee, if any; raises `NotFoundError` without a collection."""
    async with service.database.session(caller.tenant, labels=caller.labels) as session:
        return (await guarantees.current(session, collection)).fitted


async def _keep(
    service: Service, caller: Principal, collection: str, answer: Answer, once: Once
) -> Body:
    body: Body = to_json(answer)
    try:
        async with service.database.session(caller.tenant, labels=caller.labels) as session:
            cites = await _cited(session, collection, service.settings.fallback_search, answer)
            await answers.keep(session, _kept(collection, body), cites=cites)
            await once.keep(session, status=200, body=body, answer_id=answer.id)
    except NotFoundError as gone:
        raise ConflictError(
            "A document that the answer quotes was changed or deleted meanwhile.",
            help="Ask again.",
        ) from gone
    return body


def shown(answer: KeptAnswer) -> Body:
    """Return a stored answer as sent; an older one gets the fields of this version, too."""
    return with_new_names({**_NEW_FIELDS, **answer.body, "trace": answer.trace})


def _kept(collection: str, body: Body) -> KeptAnswer:
    without = {name: value for name, value in body.items() if name != "trace"}
    question, method = body["question"], body["method"]
    return KeptAnswer(body["id"], collection, question, method, without, body["trace"])


async def _cited(
    session: Session, collection: str, fallback_search: str | None, answer: Answer
) -> set[Cited]:
    """Return every document that the answer quotes; web pages are left out, as they have no row."""
    ids = {passage.document_id for passage in answer.sources}
    ids |= {each.document_id for both in answer.conflicts for each in (both.one, both.other)}
    here = {Cited(collection, id) for id in ids}
    if fallback_search is None:
        return here
    if "://" in fallback_search:
        pages = {document_id(each.uri) for each in answer.sources}
        return {each for each in here if each.document_id not in pages}
    # A passage does not tell which of the two collections it is from: if both have its document, it
    # counts for both; if neither has it any more, it counts for the one that was asked.
    either = here | {Cited(fallback_search, id) for id in ids}
    known = await answers.known(session, either)
    return known | {each for each in here if each.document_id not in {k.document_id for k in known}}

"""Collections and their documents."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import AnyHttpUrl, BaseModel, ConfigDict, Field, ValidationError

from upheld.errors import ConflictError, MissingExtraError, NotFoundError, UsageError
from upheld.types import content_hash
from upheld_service.admission.idempotency import IdempotencyKey
from upheld_service.admission.quotas import Quota, Uploads
from upheld_service.auth.middleware import Parts, Principal, Reader, Writer
from upheld_service.db import collections, documents
from upheld_service.db.documents import DocumentStatus
from upheld_service.db.visible import may_give
from upheld_service.http.bodies import is_json
from upheld_service.http.connections import while_there
from upheld_service.http.deadline import STATE_SECONDS, at_most
from upheld_service.http.field_limits import MOST_LABELS, PAGE, CollectionName, DocumentId, Label
from upheld_service.http.problems import MOST_FAULTS
from upheld_service.jobs.document_writes import (
    ACCEPTED,
    AcceptedJob,
    CollectionDeletion,
    DocumentUpload,
    DocumentView,
    give,
    take_all_back,
    take_back,
    view,
)
from upheld_service.jobs.uploads import readable_name, receive
from upheld_service.resources import Service
from upheld_service.routes.replies import as_json

router = APIRouter(prefix="/v1/collections", tags=["documents"])
MOST_TEXT = 200_000  # characters in one reply
MOST_PASSAGES = 2_000  # in one reply
Labels = Annotated[
    list[Label],
    Query(
        alias="label",
        max_length=MOST_LABELS,
        description="A label of those who may see it; repeatable.",
    ),
]
FileName = Annotated[
    str | None,
    Query(
        pattern=r"^[^\x00-\x1f/\\]{1,200}$", description="A file name; its suffix tells the format."
    ),
]


class PageAddress(BaseModel):
    """A web page to read, instead of uploaded bytes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: AnyHttpUrl = Field(max_length=2000)


@dataclass(frozen=True, slots=True)
class CollectionList:
    """The tenant's collections by name."""

    collections: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DocumentList:
    """A page of documents by id; `next` is the value of `after` for the following page."""

    documents: tuple[DocumentView, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class Sent:
    """What a request says about the document it uploads; without an id, it is new."""

    collection: str
    id: str | None
    labels: frozenset[str]
    file_name: str | None


@dataclass(frozen=True, slots=True)
class DocumentText:
    """Characters of a document's canonical text, into which citations point."""

    document_id: str
    version: str
    start: int
    end: int
    length: int  # of the whole text
    text: str


@dataclass(frozen=True, slots=True)
class PassagePlace:
    """Where a passage is in the text; `number` counts from 1, `page` is where it begins."""

    number: int
    start: int
    end: int
    page: int | None
    heading_path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DocumentPassages:
    """The passages that a document was cut into: `count` in all, and those that were asked for."""

    document_id: str
    version: str
    count: int
    passages: tuple[PassagePlace, ...]


# Either bytes or an address: FastAPI would parse only one of the two into a model.
_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
            "application/json": {"schema": PageAddress.model_json_schema()},
        },
    }
}


@router.get("", summary="List collections", response_model=CollectionList)
async def list_collections(service: Parts, caller: Reader) -> Response:
    """A collection exists from its first document until its last one is deleted."""
    async with service.database.session(caller.tenant, labels=caller.labels) as session:
        return as_json(CollectionList(tuple(await collections.listed(session))))


@router.delete(
    "/{collection}",
    summary="Delete a collection",
    status_code=ACCEPTED,
    response_model=CollectionDeletion,
)
async def delete_collection(
    service: Parts,
    caller: Writer,
    collection: CollectionName,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Delete all documents that this key may see; the collection ends with its last one."""
    return await take_all_back(service, caller, collection, idempotency_key)


@router.put(
    "/{collection}/documents/{id}",
    summary="Upload a document",
    status_code=ACCEPTED,
    response_model=AcceptedJob,
    openapi_extra=_BODY,
)
async def put_document(
    request: Request,
    service: Parts,
    caller: Writer,
    collection: CollectionName,
    id: DocumentId,
    label: Labels = [],  # noqa: B006 — FastAPI copies it
    name: FileName = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Send its bytes with their content type, or JSON with the `url` of a page; a job reads it.

    An existing id replaces the document. A key that is limited to labels replaces only documents
    that it may see; for any other id it gets 404, whether that is in use or not, and adds
    documents with POST.
    """
    sent = Sent(collection, id, frozenset(label), name)
    return await _take(request, service, caller, sent, idempotency_key)


@router.post(
    "/{collection}/documents",
    summary="Add a document",
    status_code=ACCEPTED,
    response_model=AcceptedJob,
    openapi_extra=_BODY,
)
async def add_document(
    request: Request,
    service: Parts,
    caller: Writer,
    collection: CollectionName,
    label: Labels = [],  # noqa: B006 — FastAPI copies it
    name: FileName = None,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """As PUT, under a new id that the service chooses and returns."""
    sent = Sent(collection, None, frozenset(label), name)
    return await _take(request, service, caller, sent, idempotency_key)


@router.get("/{collection}/documents", summary="List documents", response_model=DocumentList)
async def list_documents(
    service: Parts,
    caller: Reader,
    collection: CollectionName,
    limit: Annotated[int, Query(ge=1, le=PAGE)] = 20,
    after: DocumentId | None = None,
    status: DocumentStatus | None = None,
) -> Response:
    """The documents that this key may see."""
    async with service.database.session(caller.tenant, labels=caller.labels) as session:
        await collections.get(session, collection)
        found = await documents.listed(
            session, collection, limit=limit + 1, after=after or "", status=status
        )
    page = found[:limit]
    more = page[-1].id if len(found) > limit else None
    return as_json(DocumentList(tuple(view(each) for each in page), more))


@router.get(
    "/{collection}/documents/{id}",
    summary="Get the status of a document",
    response_model=DocumentView,
)
async def get_document(
    service: Parts, caller: Reader, collection: CollectionName, id: DocumentId
) -> Response:
    """404 also for a document that this key may not see."""
    async with service.database.session(caller.tenant, labels=caller.labels) as session:
        return as_json(view(await documents.get(session, collection, id)))


@router.delete(
    "/{collection}/documents/{id}",
    summary="Delete a document",
    status_code=ACCEPTED,
    response_model=AcceptedJob,
)
async def delete_document(
    service: Parts,
    caller: Writer,
    collection: CollectionName,
    id: DocumentId,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Answers that quote it are deleted at once; a job removes it from all storage."""
    return await take_back(service, caller, collection, id, idempotency_key)


@router.get(
    "/{collection}/documents/{id}/text",
    summary="Get the text of a document",
    response_model=DocumentText,
)
async def get_text(
    request: Request,
    service: Parts,
    caller: Reader,
    collection: CollectionName,
    id: DocumentId,
    version: Annotated[str | None, Query(pattern="^[0-9a-f]{32}$")] = None,
    start: Annotated[int, Query(ge=0, le=2**31)] = 0,
    end: Annotated[int | None, Query(ge=0, le=2**31)] = None,
) -> Response:
    """For showing a quote in its context: at most 200,000 characters at a time."""
    async with service.database.session(caller.tenant, labels=caller.labels) as session:
        row = await documents.get(session, collection, id)
    if row.status is DocumentStatus.DELETING:
        raise NotFoundError(f"There is no document {id}.")
    async with service.tenant_indexes.of(caller.tenant, collection) as kb:
        reading = kb.document_text(id, version=version, labels=caller.labels)
        text = await while_there(request, reading)
    last = min(len(text) if end is None else end, len(text), start + MOST_TEXT)
    first = min(start, last)
    hashed = await asyncio.to_thread(content_hash, text)  # the whole text, which may be long
    shown = DocumentText(id, hashed, first, last, len(text), text[first:last])
    return as_json(shown)


@router.get(
    "/{collection}/documents/{id}/passages",
    summary="List the passages of a document",
    response_model=DocumentPassages,
)
async def get_passages(
    request: Request,
    service: Parts,
    caller: Reader,
    collection: CollectionName,
    id: DocumentId,
    version: Annotated[str | None, Query(pattern="^[0-9a-f]{32}$")] = None,
    start: Annotated[int, Query(ge=0, le=2**31)] = 0,
    end: Annotated[int | None, Query(ge=0, le=2**31)] = None,
) -> Response:
    """Where each passage is that searches find; at most those between `start` and `end`."""
    async with service.database.session(caller.tenant, labels=caller.labels) as session:
        row = await documents.get(session, collection, id)
    if row.status is not DocumentStatus.READY:
        raise NotFoundError(f"Document {id} is not ready.")
    if version is not None and version != row.version:
        raise ConflictError("The document has another text than the one that was cited.")
    async with service.tenant_indexes.of(caller.tenant, collection) as kb:
        reading = kb.document_passages(id, labels=caller.labels)
        found = await while_there(request, reading)
    border = 2**31 if end is None else end
    places = tuple(
        PassagePlace(number, each.start, each.end, each.page, each.heading_path)
        for number, each in enumerate(found, start=1)
        if each.start < border and each.end > start
    )
    return as_json(DocumentPassages(id, row.version or "", len(found), places[:MOST_PASSAGES]))


async def _take(
    request: Request, service: Service, caller: Principal, sent: Sent, key: str | None
) -> Response:
    """Accept an upload within the tenant's limits."""
    may_give(sent.labels, caller.labels)  # before its bytes are read
    uploads: Uploads = request.app.state.uploads
    with uploads.admitted(caller.tenant):
        await _check_quota(request, service, caller, sent)
        return await give(service, caller, await _incoming(request, service, caller, sent), key)


async def _check_quota(request: Request, service: Service, caller: Principal, sent: Sent) -> None:
    """Check the quota by the declared size, before the bytes are read; checked again afterwards."""
    told = request.headers.get("content-length", "")
    size = int(told) if told.isascii() and told.isdigit() else 0

    async def check() -> None:
        async with service.database.session(caller.tenant, labels=caller.labels) as session:
            await Quota.of(service.settings).check(session, sent.collection, sent.id, size)

    await at_most(STATE_SECONDS, check())


async def _incoming(
    request: Request, service: Service, caller: Principal, sent: Sent
) -> DocumentUpload:
    """Return the uploaded document, with its bytes in storage."""
    kind = request.headers.get("content-type", "")
    if is_json(kind):
        page = _address(service.fetch, await request.body())
        return DocumentUpload(sent.collection, sent.id, page, sent.labels)
    origin = readable_name(sent.id or "document", sent.file_name, kind)
    upload = await receive(service, caller.tenant, sent.collection, request.stream())
    return DocumentUpload(sent.collection, sent.id, origin, sent.labels, upload)


def _address(fetch: object, body: bytes) -> str:
    if fetch is None:
        raise MissingExtraError("Fetching a page", "web")
    try:
        return str(PageAddress.model_validate_json(body).url)
    except ValidationError as error:
        wrong = error.errors(include_input=False)[:MOST_FAULTS]
        faults = "; ".join(each["msg"] for each in wrong)
        raise UsageError(
            f"This is no address of a page: {faults}.", help='Send {"url": "https://…"}.'
        ) from None

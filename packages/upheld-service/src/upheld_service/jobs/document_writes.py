"""Upload and delete documents: row, job and audit entry are written in one transaction."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fastapi import Response

from upheld._internal.to_json import to_json
from upheld.errors import UsageError
from upheld_service.admission.idempotency import carry_out
from upheld_service.admission.quotas import Quota
from upheld_service.auth.middleware import Principal
from upheld_service.db import audit, collections, documents
from upheld_service.db.database import Session
from upheld_service.db.documents import Document, DocumentStatus
from upheld_service.db.jobs import Jobs
from upheld_service.db.queue import Task
from upheld_service.jobs.uploads import Upload, discard
from upheld_service.resources import Service

ACCEPTED = 202
# Routes by which idempotency keys are stored.
PUT = "PUT /v1/collections/{collection}/documents/{id}"
POST = "POST /v1/collections/{collection}/documents"
DELETE = "DELETE /v1/collections/{collection}/documents/{id}"
DELETE_ALL = "DELETE /v1/collections/{collection}"


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document as its tenant sees it; `version` names its text, once it was read."""

    collection: str
    id: str
    status: DocumentStatus
    version: str | None
    labels: frozenset[str]
    origin: str
    error: str | None
    created_at: datetime
    updated_at: datetime
    original: str | None  # its media type, if the original is stored
    pages: int | None  # how many, if the original is a PDF


@dataclass(frozen=True, slots=True)
class AcceptedJob:
    """The document, and the job that will carry out the request."""

    document: DocumentView
    job: int


@dataclass(frozen=True, slots=True)
class CollectionDeletion:
    """A collection to delete, and the job that removes its documents."""

    collection: str
    documents: int
    job: int


@dataclass(frozen=True, slots=True)
class DocumentUpload:
    """A document as it is uploaded: stored bytes, or the address of a page.

    Without an `id` it is new, and the service chooses its id.
    """

    collection: str
    id: str | None
    origin: str
    labels: frozenset[str]
    upload: Upload | None = None

    @property
    def size(self) -> int:
        """The number of bytes uploaded; 0 for a page, which is not fetched yet."""
        return 0 if self.upload is None else self.upload.size

    @property
    def request(self) -> bytes:
        """The content by which a repeated request is recognised."""
        content = None if self.upload is None else self.upload.sha256
        parts = [self.collection, self.id, self.origin, sorted(self.labels), content]
        return json.dumps(parts).encode()


def view(document: Document) -> DocumentView:
    """Return a document without internal fields."""
    return DocumentView(
        document.collection,
        document.id,
        document.status,
        document.version,
        document.labels,
        document.origin,
        document.error,
        document.created_at,
        document.updated_at,
        document.original_type,
        document.pages,
    )


async def give(
    service: Service, caller: Principal, incoming: DocumentUpload, key: str | None
) -> Response:
    """Accept a document and queue its ingestion; bytes that will not be read are deleted."""
    unread = [] if incoming.upload is None else [incoming.upload.name]

    async def change(session: Session) -> Any:
        nonlocal unread
        quota = Quota.of(service.settings)
        await quota.check(session, incoming.collection, incoming.id, incoming.size, hold=True)
        await collections.ensure(session, incoming.collection)
        old, document = await _given(session, incoming)
        job = await Jobs(session).defer(Task.INGEST, incoming.collection)
        await audit.record(
            session,
            actor=caller.key,
            action="document.put",
            subject=f"{incoming.collection}/{document.id}",
            detail={"revision": document.revision},
        )
        unread = old
        return to_json(AcceptedJob(view(document), job))

    route = POST if incoming.id is None else PUT
    try:
        reply = await carry_out(
            service, caller, change, route=route, key=key, request=incoming.request, status=ACCEPTED
        )
    except UsageError:  # after any other error it may be stored; if not, a sweep deletes the bytes
        await discard(service, caller.tenant, [incoming.upload.name] if incoming.upload else [])
        raise
    await discard(service, caller.tenant, unread)
    return reply


async def _given(session: Session, incoming: DocumentUpload) -> tuple[list[str], Document]:
    """Write the row; also return where the bytes that it replaces are stored."""
    upload = None if incoming.upload is None else incoming.upload.name
    if incoming.id is None:
        return [], await documents.add(
            session,
            incoming.collection,
            origin=incoming.origin,
            labels=incoming.labels,
            upload=upload,
            size=incoming.size,
        )
    old = await documents.stored_bytes(session, incoming.collection, incoming.id)
    return old, await documents.put(
        session,
        incoming.collection,
        incoming.id,
        origin=incoming.origin,
        labels=incoming.labels,
        upload=upload,
        size=incoming.size,
    )


async def take_back(
    service: Service, caller: Principal, collection: str, id: str, key: str | None
) -> Response:
    """Mark a document for deletion; answers that quote it are deleted at once."""

    async def change(session: Session) -> Any:
        document = await documents.condemn(session, collection, id)
        job = await Jobs(session).defer(Task.DELETE, collection)
        subject = f"{collection}/{id}"
        await audit.record(session, actor=caller.key, action="document.delete", subject=subject)
        return to_json(AcceptedJob(view(document), job))

    request = f"{collection}/{id}".encode()
    return await carry_out(
        service, caller, change, route=DELETE, key=key, request=request, status=ACCEPTED
    )


async def take_all_back(
    service: Service, caller: Principal, collection: str, key: str | None
) -> Response:
    """Mark every document of a collection that the caller may see for deletion."""

    async def change(session: Session) -> Any:
        await collections.get(session, collection)
        count = await documents.condemn_all(session, collection)
        job = await Jobs(session).defer(Task.DELETE, collection)
        await audit.record(
            session,
            actor=caller.key,
            action="collection.delete",
            subject=collection,
            detail={"documents": count},
        )
        return to_json(CollectionDeletion(collection, count, job))

    return await carry_out(
        service,
        caller,
        change,
        route=DELETE_ALL,
        key=key,
        request=collection.encode(),
        status=ACCEPTED,
    )

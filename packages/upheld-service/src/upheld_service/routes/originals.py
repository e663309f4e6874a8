"""The originals of documents: their bytes, pages as pictures, and where a quote is on a page."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import StreamingResponse

from upheld.errors import ConflictError, NotFoundError, UsageError
from upheld.ingest.read.pdf_positions import MarkedPage, PageSpan, Rectangle
from upheld.run.budget import Budget
from upheld.types import content_hash
from upheld_service.admission.admission import Admitted
from upheld_service.auth.middleware import Parts, Principal, Reader
from upheld_service.db import documents
from upheld_service.db.documents import Document, DocumentStatus
from upheld_service.http.connections import while_there
from upheld_service.http.field_limits import CollectionName, DocumentId
from upheld_service.jobs.uploads import PDF
from upheld_service.resources import Service
from upheld_service.routes.replies import as_json

T = TypeVar("T")
router = APIRouter(prefix="/v1/collections/{collection}/documents/{id}", tags=["documents"])
SECONDS = 15.0  # for one page, less than a GET may take
MOST_SPAN = 20_000  # code points that are marked at once
_TEXT_ONLY = "Its text is at …/text. Upload the document again to store its original."
# What somebody uploaded must not run as a page of ours, nor stay in a cache after its deletion.
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
}
Version = Annotated[
    str | None, Query(pattern="^[0-9a-f]{32}$", description="The version that was cited.")
]
_PICTURE: dict[int | str, dict[str, Any]] = {
    200: {"description": "The page as a picture.", "content": {"image/png": {}}}
}
_FILE: dict[int | str, dict[str, Any]] = {
    200: {"description": "The bytes as they were read.", "content": {"*/*": {}}}
}


@dataclass(frozen=True, slots=True)
class PageMarks:
    """The rectangles of a span on one page; its size is in points, pages are counted from 1."""

    page: int
    width: float
    height: float
    rectangles: tuple[Rectangle, ...]


@dataclass(frozen=True, slots=True)
class DocumentPages:
    """The pages of a document, and where the characters from `start` to `end` are on them."""

    document_id: str
    version: str
    count: int
    start: int
    end: int
    pages: tuple[PageMarks, ...]


@router.get(
    "/original", summary="Get the original of a document", responses=_FILE, response_class=Response
)
async def get_original(
    service: Parts, caller: Reader, collection: CollectionName, id: DocumentId
) -> Response:
    """The file as it was uploaded or fetched, as an attachment: it is not shown as a page."""
    row = await _row(service, caller, collection, id)
    assert row.original is not None
    parts = service.objects(caller.tenant).stream(row.original)
    first = await anext(parts, b"")  # a failure is reported by a status

    async def whole() -> AsyncIterator[bytes]:
        yield first
        async for part in parts:
            yield part

    name = quote(row.origin.rstrip("/").rpartition("/")[2] or id, safe="")
    disposition = {"Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
    return StreamingResponse(
        whole(), headers=HEADERS | disposition, media_type=row.original_type or PDF
    )


@router.get("/pages/{page}.png", summary="Show a page", responses=_PICTURE, response_class=Response)
async def get_page(
    request: Request,
    service: Parts,
    caller: Reader,
    place: Admitted,
    collection: CollectionName,
    id: DocumentId,
    page: Annotated[int, Path(ge=1, le=1_000_000)],
    width: Annotated[int, Query(ge=50, le=3000, description="Pixels across.")] = 1200,
) -> Response:
    """A page of a PDF as a picture; very long pages are narrower than asked for."""
    row = await _pdf(service, caller, collection, id)
    await place.take(Budget(SECONDS))
    picture = await _with_bytes(
        request,
        service,
        caller,
        row,
        lambda data: service.pages.render(data, row.origin, page - 1, width),
    )
    return Response(picture, headers=HEADERS, media_type="image/png")


@router.get("/pages", summary="Find a quote on its pages", response_model=DocumentPages)
async def get_pages(
    request: Request,
    service: Parts,
    caller: Reader,
    place: Admitted,
    collection: CollectionName,
    id: DocumentId,
    version: Version = None,
    start: Annotated[int, Query(ge=0, le=2**31)] = 0,
    end: Annotated[int, Query(ge=0, le=2**31)] = 0,
) -> Response:
    """The rectangles of the characters from `start` to `end` of the text, across lines and pages.

    They come from the characters that the text was made of, not from a search: if the text is not
    the one that was cited, or a page reads differently today, the reply is 409 and nothing is
    marked. Without a span, the reply only counts the pages.
    """
    row = await _pdf(service, caller, collection, id)
    if end - start > MOST_SPAN:
        raise UsageError(f"A span has at most {MOST_SPAN:,} characters.")
    if version is not None and version != row.version:
        raise ConflictError("The document has another text than the one that was cited.")
    async with service.database.session(caller.tenant, labels=caller.labels) as session:
        starts = await documents.page_starts(session, collection, id)
    marked: Sequence[MarkedPage] = ()
    if start < end:
        await place.take(Budget(SECONDS))
        spans = await _spans(service, caller, row, starts, start, end)
        marked = await _with_bytes(
            request,
            service,
            caller,
            row,
            lambda data: service.pages.locate(data, row.origin, spans),
        )
    pages = tuple(map(_shown, marked))
    return as_json(DocumentPages(id, row.version or "", len(starts), start, end, pages))


async def _row(service: Service, caller: Principal, collection: str, id: str) -> Document:
    """Return a document with an original that the caller may see."""
    async with service.database.session(caller.tenant, labels=caller.labels) as session:
        row = await documents.get(session, collection, id)
    if row.status is DocumentStatus.DELETING:
        raise NotFoundError(f"There is no document {id}.")
    if row.status is not DocumentStatus.READY or row.original is None:
        raise NotFoundError("The original of this document is not stored.", help=_TEXT_ONLY)
    return row


async def _pdf(service: Service, caller: Principal, collection: str, id: str) -> Document:
    row = await _row(service, caller, collection, id)
    if row.original_type != PDF:
        raise NotFoundError("This document has no pages.", help="Its text is at …/text.")
    return row


async def _spans(
    service: Service,
    caller: Principal,
    row: Document,
    starts: Sequence[int],
    start: int,
    end: int,
) -> list[PageSpan]:
    """Divide a span of the text into its parts on each page."""
    async with service.tenant_indexes.of(caller.tenant, row.collection) as kb:
        text = await kb.document_text(row.id, labels=caller.labels)
    if await asyncio.to_thread(content_hash, text) != row.version:
        raise ConflictError("The document was replaced meanwhile.", help="Ask again.")
    spans: list[PageSpan] = []
    first = max(bisect_right(starts, start) - 1, 0)
    for number in range(first, bisect_right(starts, end - 1)):
        border = starts[number + 1] if number + 1 < len(starts) else len(text)
        own = text[starts[number] : border].rstrip()
        inside = max(start - starts[number], 0), min(end - starts[number], len(own))
        if inside[0] < inside[1]:
            spans.append(PageSpan(number, *inside, content_hash(own)))
    return spans


async def _with_bytes(
    request: Request,
    service: Service,
    caller: Principal,
    row: Document,
    work: Callable[[bytes], T],
) -> T:
    """Do the work with the original's bytes; few files are in memory at once."""
    assert row.original is not None
    name = row.original

    async def done() -> T:
        async with service.page_turns:
            data = await service.objects(caller.tenant).get(name)
            return await asyncio.to_thread(work, data)

    return await while_there(request, done())


def _shown(marked: MarkedPage) -> PageMarks:
    if marked.rectangles is None:
        raise ConflictError(
            f"Page {marked.page + 1} reads differently than when it was indexed.",
            help="Upload the document again, so that it is read anew.",
        )
    return PageMarks(marked.page + 1, marked.width, marked.height, marked.rectangles)

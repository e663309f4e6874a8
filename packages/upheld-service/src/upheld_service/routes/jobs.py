"""Background work of a tenant: seen and cancelled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response

from upheld._internal.to_json import to_json
from upheld.errors import ConflictError
from upheld_service.admission.idempotency import IdempotencyKey, carry_out
from upheld_service.auth.middleware import Parts, Reader, Writer
from upheld_service.db import audit
from upheld_service.db.database import Session
from upheld_service.db.jobs import JobInfo, Jobs
from upheld_service.http.field_limits import PAGE
from upheld_service.routes.replies import as_json

router = APIRouter(prefix="/v1/jobs", tags=["jobs"])
CANCEL = "DELETE /v1/jobs/{id}"
JobId = Annotated[int, Path(ge=1, lt=2**63, description="A job's number.")]


@dataclass(frozen=True, slots=True)
class JobList:
    """Jobs, newest first."""

    jobs: tuple[JobInfo, ...]


@router.get("", summary="List jobs", response_model=JobList)
async def list_jobs(
    service: Parts, caller: Reader, limit: Annotated[int, Query(ge=1, le=PAGE)] = 20
) -> Response:
    """The newest first."""
    async with service.database.session(caller.tenant, labels=caller.labels) as session:
        return as_json(JobList(tuple(await Jobs(session).listed(limit=limit))))


@router.get("/{id}", summary="Get a job", response_model=JobInfo)
async def get_job(service: Parts, caller: Reader, id: JobId) -> Response:
    """The job with its status."""
    async with service.database.session(caller.tenant, labels=caller.labels) as session:
        return as_json(await Jobs(session).get(id))


@router.delete("/{id}", summary="Cancel a job", response_model=JobInfo)
async def cancel_job(
    service: Parts, caller: Writer, id: JobId, idempotency_key: IdempotencyKey = None
) -> Response:
    """A waiting job is removed from the queue; a running one is asked to stop."""

    async def change(session: Session) -> Any:
        if not await Jobs(session).cancel(id):
            raise ConflictError(f"Job {id} has ended already.")
        await audit.record(session, actor=caller.key, action="job.cancel", subject=str(id))
        return to_json(await Jobs(session).get(id))

    request = str(id).encode()
    return await carry_out(
        service, caller, change, route=CANCEL, key=idempotency_key, request=request, status=200
    )

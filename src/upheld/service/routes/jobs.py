"""Background work of a tenant: seen and cancelled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Path, Query

from upheld.errors import ConflictError
from upheld.service.callers import Parts, Reader, Writer
from upheld.service.limits import PAGE
from upheld.service.state import audit
from upheld.service.state.jobs import JobInfo, Jobs

router = APIRouter(prefix="/v1/jobs", tags=["jobs"])
JobId = Annotated[int, Path(ge=1, lt=2**63, description="A job's number.")]


@dataclass(frozen=True, slots=True)
class JobList:
    """Jobs, newest first."""

    jobs: tuple[JobInfo, ...]


@router.get("", summary="List jobs")
async def list_jobs(
    service: Parts, caller: Reader, limit: Annotated[int, Query(ge=1, le=PAGE)] = 20
) -> JobList:
    """The newest come first."""
    async with service.database.session(caller.tenant, labels=caller.labels) as session:
        return JobList(tuple(await Jobs(session).listed(limit=limit)))


@router.get("/{id}", summary="Look at a job")
async def get_job(service: Parts, caller: Reader, id: JobId) -> JobInfo:
    """How far it is."""
    async with service.database.session(caller.tenant, labels=caller.labels) as session:
        return await Jobs(session).get(id)


@router.delete("/{id}", summary="Cancel a job")
async def cancel_job(service: Parts, caller: Writer, id: JobId) -> JobInfo:
    """A job that waits is taken from the queue; one that runs is told to stop."""
    async with service.database.session(caller.tenant, labels=caller.labels) as session:
        if not await Jobs(session).cancel(id):
            raise ConflictError(f"Job {id} has ended already.")
        await audit.record(session, actor=caller.key, action="job.cancel", subject=str(id))
        return await Jobs(session).get(id)

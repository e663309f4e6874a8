"""Jobs of killed workers come back, once, and not for ever."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest

from tests.integration.service.people import new_tenant
from tests.integration.service.queueing import Recorder, defer, now, statuses, work_off, worker
from tests.servers.postgres import State
from upheld_service.db.database import Database
from upheld_service.db.jobs import Jobs, JobStatus
from upheld_service.db.queue import MOST_ATTEMPTS, Work
from upheld_service.jobs.periodic import rescue

pytestmark = pytest.mark.real

KILLED = """
WITH dead AS (INSERT INTO procrastinate_workers (last_heartbeat)
              VALUES (now() - interval '{silent} seconds') RETURNING id)
UPDATE procrastinate_jobs SET status = 'doing', worker_id = dead.id, attempts = {attempts} FROM dead
"""


async def test_the_job_of_a_killed_worker_comes_back_once(
    own_state: State, own_database: Database, own_tenant: UUID
) -> None:
    job, body = await defer(own_database, own_tenant), Recorder()
    now(own_state, KILLED.format(silent=31, attempts=0))
    async with worker(own_state, body) as app:
        rescued = await asyncio.gather(rescue(app), rescue(app))
        assert sorted(rescued) == [[], [job]]
        await work_off(app)
    assert body.seen == [Work(own_tenant, "staff")]
    assert await statuses(own_database, own_tenant) == {job: JobStatus.SUCCEEDED}


async def test_the_job_of_a_living_worker_is_left_alone(
    own_state: State, own_database: Database, own_tenant: UUID
) -> None:
    job = await defer(own_database, own_tenant)
    now(own_state, KILLED.format(silent=0, attempts=0))
    async with worker(own_state, Recorder()) as app:
        assert await rescue(app) == []
    assert await statuses(own_database, own_tenant) == {job: JobStatus.DOING}


async def test_a_job_that_kills_its_worker_each_time_is_given_up(
    own_state: State, own_database: Database, own_tenant: UUID
) -> None:
    job = await defer(own_database, own_tenant)
    now(own_state, KILLED.format(silent=31, attempts=MOST_ATTEMPTS - 1))
    async with worker(own_state, Recorder()) as app:
        assert await rescue(app) == [job]
    assert await statuses(own_database, own_tenant) == {job: JobStatus.FAILED}


async def test_a_job_that_was_to_stop_when_its_worker_died_stays_stopped(
    own_state: State, own_database: Database, own_tenant: UUID
) -> None:
    job = await defer(own_database, own_tenant)
    now(own_state, KILLED.format(silent=31, attempts=0))
    async with own_database.session(own_tenant, labels=None) as session:
        assert await Jobs(session).cancel(job)
    async with worker(own_state, Recorder()) as app:
        assert await rescue(app) == [job]
    assert await statuses(own_database, own_tenant) == {job: JobStatus.ABORTED}


REFUSED = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE 'refused'; END; $$;
CREATE TRIGGER refuse BEFORE UPDATE ON procrastinate_jobs
    FOR EACH ROW WHEN (OLD.args ->> 'tenant' = '{tenant}') EXECUTE FUNCTION refuse();
"""


async def test_a_job_that_cannot_be_put_back_keeps_no_other_from_it(
    own_state: State, own_database: Database, own_tenant: UUID
) -> None:
    other = await new_tenant(own_state.owner)
    await defer(own_database, own_tenant)
    job = await defer(own_database, other)
    now(own_state, KILLED.format(silent=31, attempts=0))
    now(own_state, REFUSED.format(tenant=own_tenant))
    async with worker(own_state, Recorder()) as app:
        assert await rescue(app) == [job]
    assert await statuses(own_database, other) == {job: JobStatus.TODO}

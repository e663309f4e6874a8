"""Back-off: twice as long each time, a last attempt, and no second try of what cannot succeed."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest
from procrastinate.jobs import Job

from upheld.errors import ReadError, StorageError
from upheld_service.db.queue import LONGEST_WAIT, MOST_ATTEMPTS, BackOff, Task, Work


def wait(error: Exception, attempts: int) -> float | None:
    job = Job(queue="ingest", lock=None, queueing_lock=None, task_name="ingest", attempts=attempts)
    before = datetime.now(UTC)
    decision = BackOff().get_retry_decision(exception=error, job=job)
    if decision is None:
        return None
    assert decision.retry_at is not None
    return (decision.retry_at - before).total_seconds()


def test_waits_double_up_to_a_bound() -> None:
    waits = [wait(StorageError("away"), attempt) for attempt in range(MOST_ATTEMPTS - 1)]
    expected = [2, 4, 8, 16, 32, 64, 128, 256, LONGEST_WAIT]
    assert waits == [pytest.approx(each, abs=1) for each in expected]


def test_the_last_attempt_is_the_last() -> None:
    assert wait(StorageError("away"), MOST_ATTEMPTS - 1) is None


def test_what_cannot_succeed_is_not_tried_again() -> None:
    assert wait(ReadError("no text"), 0) is None


def test_an_error_that_nobody_foresaw_is_tried_again() -> None:
    assert wait(RuntimeError("?"), 0) == pytest.approx(2, abs=1)


def test_locks_name_tenant_collection_and_kind() -> None:
    one, other = (Work(UUID(int=number), "staff") for number in (1, 2))
    assert {one.lock(task) for task in Task} & {other.lock(task) for task in Task} == set()
    assert len({one.queueing_lock(task) for task in Task}) == len(Task)


def test_a_deletion_waits_for_no_other_job_of_its_collection() -> None:
    work = Work(UUID(int=1), "staff")
    (others,) = {work.lock(task) for task in Task if task is not Task.DELETE}
    assert work.lock(Task.DELETE) != others

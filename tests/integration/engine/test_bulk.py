"""Bulk work in processes of this machine, and on a Ray cluster of this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from upheld.bulk import Bulk, Stage
from upheld.edge.bulk.local import LocalBulk
from upheld.edge.bulk.ray import RayBulk
from upheld.errors import BulkError, UsageError
from upheld.resources.bulk import open_bulk
from upheld.testing.bulk_conformance import BulkConformance


class TestLocalBulk(BulkConformance):
    @pytest.fixture
    def bulk(self) -> Bulk:
        return LocalBulk(2)


pytestmark = [
    pytest.mark.real,
    # Ray warns of parts of its own.
    pytest.mark.filterwarnings("ignore::DeprecationWarning:ray"),
    pytest.mark.filterwarnings("ignore::FutureWarning:ray"),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Bulk]:
    bulk = RayBulk("local")
    yield bulk
    bulk.close()


@pytest.mark.campaign
class TestRayBulk(BulkConformance):
    @pytest.fixture
    def bulk(self, cluster: Bulk) -> Bulk:
        return cluster


def die_at_three() -> Callable[[int], int]:
    def work(item: int) -> int:
        if item == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return item

    return work


def test_a_process_that_dies_is_an_error_that_says_how_to_go_on() -> None:
    with pytest.raises(BulkError, match="Run the same command again"):
        list(LocalBulk(2).run(range(10), Stage("die", die_at_three)))


def wait_long() -> Callable[[int], int]:
    def work(item: int) -> int:
        time.sleep(item)
        return os.getpid()

    return work


def drive(found: Any) -> None:
    """A driver that tells one of its workers, and is still at work."""
    for worker in LocalBulk(2).run([0, 600, 600], Stage("wait", wait_long)):
        found.send(worker)


def test_workers_end_with_a_driver_that_is_killed() -> None:
    processes = multiprocessing.get_context("spawn")
    found, told = processes.Pipe(duplex=False)
    driver = processes.Process(target=drive, args=(told,))
    driver.start()
    worker = found.recv()
    driver.kill()
    driver.join()
    deadline = time.monotonic() + 30
    while Path(f"/proc/{worker}").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize("on", ["here", "local:none", "local:0", "rays"])
def test_a_place_that_is_unknown_is_refused(on: str) -> None:
    with pytest.raises(UsageError, match="is no place to work on"):
        open_bulk(on)

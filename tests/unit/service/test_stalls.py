"""An event loop that stands still is noticed, measured, and told with its stack."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time

import pytest

from upheld_service.telemetry.logs import JsonLines
from upheld_service.telemetry.metrics import LAG_SECONDS, LongestLag, Metrics
from upheld_service.telemetry.stalls import BEAT_SECONDS, LOG_SECONDS, StallMonitor, watched


def stand_still(until: threading.Event) -> None:
    until.wait(30)


async def test_a_stall_is_measured_and_told_with_the_stack(
    caplog: pytest.LogCaptureFixture,
) -> None:
    lags: list[float] = []
    seen = threading.Event()

    class Seen(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            seen.set()

    handler = Seen()
    logging.getLogger("upheld.service.stalls").addHandler(handler)
    try:
        async with watched(lags.append):
            await asyncio.sleep(2 * BEAT_SECONDS)
            stand_still(seen)  # until the watching thread has told of it
            await asyncio.sleep(2 * BEAT_SECONDS)
    finally:
        logging.getLogger("upheld.service.stalls").removeHandler(handler)
    assert seen.is_set()
    assert max(lags) >= 0.1
    record = next(each for each in caplog.records if each.name == "upheld.service.stalls")
    line = json.loads(JsonLines().format(record))
    assert line["message"] == "the event loop stalled"
    assert line["seconds"] >= 0.1
    assert any(each.endswith(" stand_still") for each in line["frames"])
    assert all(each.partition(":")[0].endswith(".py") for each in line["frames"])


async def test_what_another_thread_does_meanwhile_is_told_too(
    caplog: pytest.LogCaptureFixture,
) -> None:
    stop = threading.Event()

    def hold_the_lock() -> None:
        while not stop.is_set():
            time.perf_counter()

    busy = threading.Thread(target=hold_the_lock)
    monitor = StallMonitor(lambda _: None, clock=lambda: 1000.0)
    busy.start()
    try:
        monitor.look()  # its heartbeat was due at 0
    finally:
        stop.set()
        busy.join()
    (record,) = caplog.records
    told = [line for each in record.threads for line in each]  # type: ignore[attr-defined]
    assert any(line.endswith(" hold_the_lock") for line in told)


def test_it_is_told_once_in_a_while(caplog: pytest.LogCaptureFixture) -> None:
    now = 1000.0
    monitor = StallMonitor(lambda _: None, clock=lambda: now)
    for _ in range(3):
        monitor.look()
    assert len(caplog.records) == 1
    now += LOG_SECONDS
    monitor.look()
    assert len(caplog.records) == 2


async def test_a_loop_that_runs_is_not_told_of(caplog: pytest.LogCaptureFixture) -> None:
    now = 0.0
    monitor = StallMonitor(lambda _: None, clock=lambda: now)
    thread = monitor.start()
    now = BEAT_SECONDS + 0.09
    monitor.look()
    monitor.stop()
    await asyncio.to_thread(thread.join)
    assert not caplog.records


async def test_the_watch_ends_with_its_block() -> None:
    before = set(threading.enumerate())
    async with watched(lambda _: None):
        assert {each.name for each in set(threading.enumerate()) - before} == {"upheld-stalls"}
    assert "upheld-stalls" not in {each.name for each in threading.enumerate()}


def test_the_longest_lag_is_forgotten_after_a_while() -> None:
    now = 0.0
    longest = LongestLag(clock=lambda: now)
    assert [longest.with_(each) for each in (0.0, 3.0, 1.0)] == [0.0, 3.0, 3.0]
    now = LAG_SECONDS
    assert longest.with_(1.0) == 3.0
    now = 2 * LAG_SECONDS
    assert longest.with_(0.5) == 1.0
    now = 9 * LAG_SECONDS
    assert longest.with_(0.25) == 0.25


def test_prometheus_is_told() -> None:
    metrics = Metrics()
    for seconds in (0.001, 0.09, 0.4):
        metrics.lag(seconds)
    text = metrics.text().decode()
    for line in (
        "upheld_event_loop_lag_seconds_count 3.0",
        'upheld_event_loop_lag_seconds_bucket{le="0.1"} 2.0',
        "upheld_event_loop_stall_seconds_total 0.4",
        "upheld_event_loop_longest_lag_seconds 0.4",
    ):
        assert line in text, line

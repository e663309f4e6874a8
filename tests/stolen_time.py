"""What measures time is measured again if the machine's host kept the processor meanwhile.

A virtual machine counts how long it wanted to run and was not let: where that was long, a reply
that came late says nothing about us. A failure without it is one, and so is the third in a row.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

TRIES = 3
SHARE = 0.05  # of the time that a test took; a quiet machine loses less
PATIENCE, LOOK = 120.0, 0.5  # seconds to wait for a quiet machine, and of work to find out
STAT = Path("/proc/stat")  # of Linux: nothing is known to be stolen elsewhere


def stolen() -> float:
    """Seconds that were kept from this machine since it started, on all of its cores together."""
    if not STAT.exists():
        return 0.0
    _, _user, _nice, _system, _idle, _iowait, _irq, _softirq, steal, *_ = STAT.read_text().split()
    return int(steal) / os.sysconf("SC_CLK_TCK")


def run_again_if_stolen_from(item: pytest.Function, following: pytest.Item | None) -> None:
    """Run a test and report its last run, for `pytest_runtest_protocol`."""
    where = {"nodeid": item.nodeid, "location": item.location}
    item.ihook.pytest_runtest_logstart(**where)
    for tries_left in reversed(range(TRIES)):
        began, before = time.monotonic(), stolen()
        reports = runtestprotocol(item, log=False, nextitem=following)
        took, lost = time.monotonic() - began, stolen() - before
        if not (tries_left and lost > SHARE * took and any(each.failed for each in reports)):
            break
        terminal = item.config.pluginmanager.get_plugin("terminalreporter")
        assert terminal is not None
        terminal.write_line(
            f"\nagain, as the host kept {lost:.1f} s in {took:.1f} s: {item.nodeid}"
        )
        _wait_for_quiet()
        item._initrequest()  # its fixtures anew
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(**where)


def _wait_for_quiet() -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        before, worked = stolen(), time.process_time()
        while time.process_time() - worked < LOOK:
            pass  # nothing can be kept from a machine that does not want to run
        if stolen() - before <= SHARE * LOOK:
            return

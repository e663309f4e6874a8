"""Fixtures that several tests share: real servers, started once a session."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from tests.integration.places import Place
from tests.servers.seaweedfs import S3Server, seaweedfs
from tests.stolen_time import run_again_if_stolen_from

hypothesis.settings.register_profile("upheld", deadline=None)  # a busy host is not a fault
hypothesis.settings.load_profile("upheld")
# Thousands of tests are objects that stay: Python need not look at them again and again while more
# are collected, which took half of that time.
gc.set_threshold(20_000, 50, 50)
os.environ["COLUMNS"] = "200"  # tables are as wide as that when whoever comes first imports them


@pytest.fixture(scope="session")
def s3_server() -> Iterator[S3Server]:
    """A real S3 server on loopback."""
    with seaweedfs() as server:
        yield server


@pytest.fixture(params=["folder", pytest.param("s3", marks=pytest.mark.real)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """The same test on a folder and on object storage."""
    if request.param == "folder":
        return Place(str(tmp_path / "root"))
    server: S3Server = request.getfixturevalue("s3_server")
    return Place(server.new_prefix(), server.storage_options)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """What must run alone counts tenths of a second, which a busy host does not give."""
    if not isinstance(item, pytest.Function) or item.get_closest_marker("alone") is None:
        return None
    run_again_if_stolen_from(item, nextitem)
    return True


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI everything is there, so a test that skips is a test that failed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    assert reporter is not None
    skipped = reporter.stats.get("skipped", ())
    if os.environ.get("CI") and skipped and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        reporter.write_line(f"{len(skipped)} skipped, which CI does not allow", red=True)

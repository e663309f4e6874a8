"""A test that counts tenths of a second is run again only where the host kept the processor."""

from __future__ import annotations

import pytest

from tests import conftest, stolen_time

pytest_plugins = ["pytester"]

FAILS_TWICE = """
import pytest

runs = []

@pytest.fixture
def number():
    runs.append(None)
    return len(runs)

@pytest.mark.alone
def test_of_time(number):
    assert number == 3
"""


class Hooks:
    """The hook of our own conftest, in a session of its own."""

    pytest_runtest_protocol = staticmethod(conftest.pytest_runtest_protocol)


@pytest.mark.parametrize(
    ("lost", "tries", "outcome"),
    [(0.0, 3, {"failed": 1}), (1.0, 3, {"passed": 1}), (1.0, 2, {"failed": 1})],
)
def test_it_is_run_again(
    lost: float,
    tries: int,
    outcome: dict[str, int],
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken = 0.0

    def stolen() -> float:
        nonlocal taken
        taken += lost
        return taken

    monkeypatch.setattr(stolen_time, "stolen", stolen)
    monkeypatch.setattr(stolen_time, "TRIES", tries)
    monkeypatch.setattr(stolen_time, "PATIENCE", 0)
    pytester.makeini("[pytest]\nmarkers = alone\nasyncio_default_fixture_loop_scope = function\n")
    pytester.makepyfile(FAILS_TWICE)
    ended = pytester.inline_run("-p", "no:cacheprovider", plugins=[Hooks()])
    ended.assertoutcome(**outcome)


def test_what_is_stolen_only_grows() -> None:
    assert 0 <= stolen_time.stolen() <= stolen_time.stolen()

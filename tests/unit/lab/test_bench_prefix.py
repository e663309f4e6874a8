"""The prefix bench: what later calls share with the writer's, and its arithmetic."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from tests.unit.cli.test_methods_cli import asked
from tests.unit.scripted import QUERIES
from upheld.types import Usage
from upheld_lab.bench.costs.prefix import ASKED, LATER, PAGES, pages, share
from upheld_lab.cli.bench import app


@pytest.mark.parametrize("method", ASKED)
async def test_later_calls_begin_with_the_whole_of_the_writers_call(method: str) -> None:
    """The fake counts what a prompt has in common with any before it, as a server would."""
    seen = await asked(method, ASKED[method], question=QUERIES[0])
    events = [event for event in seen.answer.trace if event.usage.requests]
    assert {event.stage for event in events} & set(LATER)
    written = min(event.usage.prompt_tokens for event in events if event.stage == "write")
    for event in events:
        if event.stage in LATER:
            assert event.usage.cached_tokens >= written - 2  # of the ends of messages


def test_the_share_of_nothing_is_nothing() -> None:
    assert share(Usage()) == 0
    assert share(Usage(prompt_tokens=200, cached_tokens=150)) == 0.75


def test_no_two_runs_show_the_same_pages() -> None:
    one, other = pages("a1"), pages("b2")
    assert one.keys() == other.keys() == PAGES.keys()
    assert not set(one.values()) & set(other.values())


def test_the_command_wants_a_server_and_a_model() -> None:
    assert CliRunner().invoke(app, ["prefix", "--json"]).exit_code == 2

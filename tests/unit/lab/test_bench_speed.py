"""The speed bench: its arithmetic, and a small run of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from upheld_lab.bench.costs.speed import (
    Compared,
    Sizes,
    compare_indexing,
    compare_queries,
    interleaved,
    reindex,
)
from upheld_lab.bench.costs.synthetic import Writer
from upheld_lab.bench.report import Report, markdown
from upheld_lab.cli.bench import app

SMALL = Sizes(passages=150, queries=6, indexed_files=1, index_rounds=1, unchanged_files=5)


def nobody(what: str, done: int, total: int) -> None:
    """Watches nothing."""


async def test_each_round_runs_ours_bare_and_bare_again_in_a_turning_order() -> None:
    order: list[tuple[str, int]] = []

    async def ours(number: int) -> None:
        order.append(("ours", number))

    async def bare(number: int) -> None:
        order.append(("bare", number))

    told: list[int] = []
    await interleaved(ours, bare, 6, told.append)
    assert told == [1, 2, 3, 4, 5, 6]
    firsts = [order[3 * number][0] for number in range(6)]
    assert sorted(firsts) == ["bare"] * 4 + ["ours"] * 2
    assert all(
        [name for name, number in order if number == round].count("bare") == 2 for round in range(6)
    )


@pytest.mark.parametrize(("control", "void"), [(0.94, True), (0.95, False), (1.06, True)])
def test_a_run_whose_control_strays_is_void(control: float, void: bool) -> None:
    assert Compared(1.0, 1.0, control).is_void is void


@pytest.mark.campaign
async def test_a_small_run_measures_every_figure() -> None:
    queries = await compare_queries(SMALL, 0, nobody)
    assert queries.ours > 0
    assert queries.bare > 0
    indexing = await compare_indexing(SMALL, 0, nobody)
    assert indexing.ours > 0
    first, again = await reindex(SMALL, 0, nobody)
    assert first > again


def test_made_text_is_the_same_for_the_same_seed(tmp_path: Path) -> None:
    assert Writer(1).passages(3) == Writer(1).passages(3)
    assert Writer(1).query() != Writer(2).query()
    Writer(1).files(tmp_path / "files", 2, sentences=12)
    one, other = sorted((tmp_path / "files").iterdir())
    assert one.read_text().count("\n\n") == 1
    assert one.read_text() != other.read_text()


def test_a_report_as_a_page_names_machine_and_command() -> None:
    report = Report(
        "speed",
        {"hybrid_over_bare": 1.05},
        ({"what": "query", "ours": 1.5}, {"what": "other", "bare": 2}),
        {
            "commit": "0123456789abcdef+changes",
            "date": "2026-01-02T03:04:05+00:00",
            "command": "upheld bench speed",
            "machine": {"processor": "CPU", "cores": 2, "system": "Linux x86_64"},
            "python": "3.11",
            "versions": {"lancedb": "0.40"},
        },
    )
    page = markdown(report)
    assert "| `hybrid_over_bare` | 1.050 |" in page
    assert "| what | ours |\n|---|---|\n| query | 1.500 |\n" in page
    assert "| what | bare |\n|---|---|\n| other | 2 |\n" in page  # rows of one shape, one table
    assert "`upheld bench speed` at commit 0123456789ab with changes on 2026-01-02: CPU" in page


@pytest.mark.parametrize("command", ["retrieval", "challenge", "speed", "calls"])
def test_every_bench_explains_itself_with_an_example(command: str) -> None:
    shown = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"})
    assert shown.exit_code == 0
    assert f"upheld bench {command}" in shown.output


def test_a_number_of_passages_that_is_none_is_a_usage_error(tmp_path: Path) -> None:
    words = ["retrieval", "--data", str(tmp_path), "--passages", "many"]
    failed = CliRunner().invoke(app, words)
    assert "'many'" in str(failed.exception)

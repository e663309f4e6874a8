"""The bench of calls: its clock, its scenes, and the bars that it is made for."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

import pytest

from upheld._internal.concurrency import together
from upheld_lab.bench.costs.calls import bench_calls, counted
from upheld_lab.bench.costs.scripted_clock import took
from upheld_lab.bench.costs.scripted_ports import Latency
from upheld_lab.bench.costs.scripted_scenes import SCENES, staged

BY_NAME = {scene.name: scene for scene in SCENES}
AT_MOST = {
    "completions.rag": 1,
    "completions.crag": 2,
    "completions.cov_rag": 4,
    "completions.a2r": 1 + 2,
    "completions.a2r_paper": 2 + 2 * 2,
    "completions.uoq": 1 + 5,
    "completions.fave": 21,
    "depth.fave": 4,
    "completions.upheld": 12,
    "completions.upheld_simple": 1,
}


def nobody(what: str, done: int, total: int) -> None:
    """Watches nothing."""


async def test_no_method_asks_for_more_than_it_may() -> None:
    report = await bench_calls(nobody)
    assert {name: report.bars[name] for name in AT_MOST if report.bars[name] > AT_MOST[name]} == {}
    methods = {scene.method for scene in SCENES}
    assert {f"{what}.{name}" for what in ("completions", "depth") for name in methods} <= set(
        report.bars
    )
    assert [row["depth"] for row in report.rows if row["method"] == "uoq"] == [2]
    assert [row["depth"] for row in report.rows if row["method"] == "coq"] == [10]
    assert all(row["prompt tokens"] > row["completion tokens"] > 0 for row in report.rows)


async def test_a_branch_that_was_not_taken_is_an_error_and_no_figure() -> None:
    scene = BY_NAME["crag: correct"]
    with pytest.raises(AssertionError, match=r"not in the trace: \{'rewrite': 1\}"):
        await counted(replace(scene, happens={"write": 1, "rewrite": 1}))


async def test_a_model_that_falls_out_of_its_script_is_an_error() -> None:
    scene = BY_NAME["rag: one answer"]
    with pytest.raises(AssertionError, match="sentences are quoted"):
        await counted(replace(scene, lines=replace(scene.lines, answers={})))


async def test_a_scene_gives_the_answer_that_its_repairs_lead_to() -> None:
    ask, _ = await staged(BY_NAME["upheld: three facets, two repairs"], Latency())
    answer = await ask()
    assert [claim.text for claim in answer.claims] == [
        "The museum opened in 1881.",  # was 1882
        "Okafor has led the museum.",
        "Entry to the museum is free.",
        "Crowds queued for hours.",  # was a Monday
    ]


async def test_the_clock_counts_what_waits_and_nothing_else() -> None:
    async def main() -> str:
        await together(asyncio.sleep(3), asyncio.sleep(2))
        await asyncio.sleep(4)
        return await asyncio.to_thread(lambda: threading.current_thread().name)

    worked_in, seconds = await took(main)
    assert seconds == pytest.approx(7)
    assert worked_in != threading.current_thread().name  # the clock has a thread of its own


async def test_a_clock_that_nothing_will_wake_says_so() -> None:
    async def main() -> None:
        await asyncio.Event().wait()

    with pytest.raises(RuntimeError, match="nothing will wake it"):
        await took(main)


async def test_an_error_of_a_thread_is_the_error_of_whoever_waits_for_it() -> None:
    async def main() -> None:
        await asyncio.to_thread(int, "no number")

    with pytest.raises(ValueError, match="no number"):
        await took(main)

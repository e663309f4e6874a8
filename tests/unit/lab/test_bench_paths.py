"""Critical paths: the arithmetic, and that methods wait for nothing that their table leaves out."""

from __future__ import annotations

import pytest

from upheld_lab.bench.costs.method_speed import LATENCY, measured, worst
from upheld_lab.bench.costs.paths import ENTAIL, GRADE, LLM, PATHS, SEARCH, critical_path, table
from upheld_lab.bench.costs.scripted_clock import took
from upheld_lab.bench.costs.scripted_ports import Latency
from upheld_lab.bench.costs.scripted_scenes import SCENES, Scene, staged


def test_the_longest_way_is_found_whatever_is_beside_it() -> None:
    steps = table(
        search=(SEARCH,),
        plan=(LLM,),
        order=(GRADE, "search", "plan"),
        relevant=(LLM, "plan"),
        write=(LLM, "order", "relevant"),
    )
    quick_search = Latency(llm=5, search=1, embed=1, grade=2)
    assert critical_path(steps, quick_search) == (5, 5, 5)
    slow_search = Latency(llm=5, search=9, embed=1, grade=2)
    assert critical_path(steps, slow_search) == (1, 9, 2, 5)
    assert critical_path(table(check=(ENTAIL,)), Latency(entail=3)) == (3,)


def test_every_scene_has_its_table() -> None:
    assert [scene.name for scene in SCENES] == list(PATHS)


async def waits(scene: Scene, latency: Latency) -> float:
    """Seconds on a clock that jumps: a busy machine makes no difference."""
    ask, _ = await staged(scene, latency)
    return (await took(ask))[1]


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
async def test_a_method_waits_exactly_as_long_as_its_table_says(scene: Scene) -> None:
    path = sum(critical_path(PATHS[scene.name], LATENCY))
    assert await waits(scene, LATENCY) == pytest.approx(path)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
async def test_the_table_holds_where_the_search_is_the_slow_part(
    scene: Scene,
) -> None:
    slow = Latency(llm=0.05, search=0.4, embed=0.1, grade=0.03, entail=0.02)
    path = sum(critical_path(PATHS[scene.name], slow))
    assert await waits(scene, slow) == pytest.approx(path)


async def test_wall_time_is_held_against_the_path() -> None:
    row = await measured(SCENES[0], rounds=1)
    assert row["path, ms"] == pytest.approx(100)
    assert row["wall over path"] == pytest.approx(row["wall, ms"] / 100)
    assert row["wall over path"] > 1
    assert row["control"] > 1


def test_the_bar_of_a_method_is_its_slowest_branch() -> None:
    rows = [
        {"method": "crag", "wall over path": 1.02},
        {"method": "crag", "wall over path": 1.07},
        {"method": "rag", "wall over path": 1.04},
    ]
    assert worst(rows) == {"wall_over_path.crag": 1.07, "wall_over_path.rag": 1.04}

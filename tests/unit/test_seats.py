"""A planner and a checker of their own beside the writer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from upheld.check import opened_judge, opened_verify
from upheld.client import AsyncUpheld
from upheld.errors import SettingsError
from upheld.methods.build import StageFactory
from upheld.methods.builders import build_method
from upheld.methods.registry import parameters
from upheld.prompts.card import JudgmentWeights, ModelCard
from upheld.resources.open import open_seat
from upheld.settings import load_settings

WRITER: dict[str, Any] = {"llm_url": "http://127.0.0.1:1/v1", "llm_model": "writer"}
SEATS: dict[str, Any] = {
    **WRITER,
    "planner_model": "planner",
    "checker_url": "http://127.0.0.2:1/v1",
    "checker_model": "checker",
}


async def models(tmp_path: Path, method: str, **settings: Any) -> dict[str, str]:
    """The model of each stage of a method that asks one."""
    async with await AsyncUpheld.open(tmp_path / "kb", local_models=False, **settings) as kb:
        chosen = parameters(method, {})
        built: Any = build_method(StageFactory(kb._parts, kb.scope(), chosen), chosen)
        asked = {
            name: getattr(getattr(built, name), "llm", None) for name in built.__dataclass_fields__
        }
        return {name: llm.identity.partition(" ")[0] for name, llm in asked.items() if llm}


async def test_the_planner_plans_and_the_checker_judges(tmp_path: Path) -> None:
    assert (await models(tmp_path, "fave", **SEATS))["plan"] == "planner"
    assert (await models(tmp_path, "upheld", **SEATS))["plan"] == "planner"
    assert (await models(tmp_path, "upheld", **SEATS))["restate"] == "writer"
    assert (await models(tmp_path, "coq", **SEATS))["next_question"] == "planner"
    assert (await models(tmp_path, "cov_rag", **SEATS))["verify"] == "checker"


async def test_without_seats_the_writer_does_everything(tmp_path: Path) -> None:
    assert set((await models(tmp_path, "fave", **WRITER)).values()) == {"writer"}
    assert set((await models(tmp_path, "cov_rag", **WRITER)).values()) == {"writer"}


async def test_a_planner_serves_quotes_too(tmp_path: Path) -> None:
    alone = {"planner_url": "http://127.0.0.1:1/v1", "planner_model": "planner"}
    assert (await models(tmp_path, "fave", **alone))["plan"] == "planner"


async def test_any_answer_is_judged_by_the_same_model_as_our_own() -> None:
    alone = {name: value for name, value in SEATS.items() if name.startswith("checker")}
    for chosen in (SEATS, alone):
        settings = load_settings(judge=True, local_models=False, **chosen)
        async with opened_verify(settings) as verify, opened_judge(settings, verify) as judge:
            assert judge is not None
            assert judge.llm.identity.startswith("checker ")


async def test_the_judge_is_the_checker(tmp_path: Path) -> None:
    async with await AsyncUpheld.open(
        tmp_path / "kb", local_models=False, judge=True, **SEATS
    ) as kb:
        assert kb._parts.judge is not None
        assert kb._parts.judge.llm.identity.startswith("checker ")
        assert "planner planner, checker checker" in kb.settings.setup


async def test_a_checker_whose_weight_is_known_is_a_feature_of_p_right(tmp_path: Path) -> None:
    weights = JudgmentWeights(p_right=1.0, judgment=0.5, shift=0.0)
    card = ModelCard(name="checker", base="b", upheld="1", prompts={}, judgment=weights)
    path = tmp_path / "card.json"
    path.write_text(card.model_dump_json(), encoding="utf-8")
    for seats, is_known in ((SEATS, True), (WRITER, False)):
        async with await AsyncUpheld.open(
            tmp_path / "kb", local_models=False, model_cards=(path,), **seats
        ) as kb:
            chosen = parameters("upheld", {})
            built: Any = build_method(StageFactory(kb._parts, kb.scope(), chosen), chosen)
            join = built.final_checks.join_judgment
            assert (join is not None and join.weights == weights) is is_known


def test_a_key_is_not_sent_to_another_server() -> None:
    settings = load_settings(**SEATS, llm_api_key="sk-writer")
    planner: Any = open_seat(settings, "planner")  # on the writer's server
    checker: Any = open_seat(settings, "checker")
    assert planner._client.api_key == "sk-writer"
    assert checker._client.api_key != "sk-writer"


@pytest.mark.parametrize(
    ("settings", "missing"),
    [
        ({**WRITER, "checker_url": "http://127.0.0.1:1/v1"}, "checker_model"),
        ({"checker_model": "checker"}, "checker_url"),
    ],
)
def test_half_a_seat_is_refused(settings: dict[str, str], missing: str) -> None:
    with pytest.raises(SettingsError, match=f"Set {missing}"):
        open_seat(load_settings(**settings), "checker")

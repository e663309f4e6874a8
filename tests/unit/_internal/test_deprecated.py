"""What was written for 0.1 still works in 0.2: names on input, stored answers, JSON on output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from upheld import AsyncUpheld
from upheld._internal.deprecated import with_new_names
from upheld.errors import SettingsError, UsageError
from upheld.methods.parameters import UpheldParameters
from upheld.methods.registry import parameters
from upheld.settings import load_settings
from upheld.types import Answer, Claim, Status
from upheld_lab.bench.runs.store import RunFolder
from upheld_lab.bench.runs.variants import parse_variants
from upheld_service.answering import Ask, shown
from upheld_service.db.answers import KeptAnswer

STORED = Path(__file__).parents[2] / "data" / "stored_0_1"


@pytest.fixture
def old_answer() -> dict[str, Any]:
    answer: dict[str, Any] = json.loads((STORED / "answer.json").read_text(encoding="utf-8"))
    assert "relevance" not in answer["claims"][0], "the sample is in the old shape"
    return answer


def test_a_stored_answer_is_shown_with_both_names(old_answer: dict[str, Any]) -> None:
    body = {name: value for name, value in old_answer.items() if name != "trace"}
    kept = KeptAnswer("1", "default", body["question"], "rag", body, old_answer["trace"])
    told = shown(kept)
    assert [each["relevance"] for each in told["claims"]] == [0.75, None]
    assert [each["bearing"] for each in told["claims"]] == [0.75, None]
    assert told["trace"] == old_answer["trace"]
    TypeAdapter(Answer).validate_python(told)


def test_a_stored_run_is_read_with_the_new_names() -> None:
    (outcome,) = RunFolder(STORED / "run").outcomes()
    assert outcome.answer is not None
    assert [each.relevance for each in outcome.answer.claims] == [0.75, None]


def test_what_has_no_claims_has_nothing_to_rename() -> None:
    assert with_new_names({"id": "1"}) == {"id": "1", "claims": []}


def test_claims_are_written_with_both_names() -> None:
    answer = Answer("1", "q", Status.ANSWERED, "rag", "It is.", (Claim("It is.", relevance=0.5),))
    (claim,) = answer.to_dict()["claims"]
    assert claim["relevance"] == claim["bearing"] == 0.5


def test_the_schema_marks_the_old_name() -> None:
    properties = TypeAdapter(Claim).json_schema()["properties"]
    assert properties["bearing"]["deprecated"] is True
    assert properties["bearing"]["anyOf"] == properties["relevance"]["anyOf"]
    assert "deprecated" not in properties["relevance"]


def test_the_old_attribute_warns() -> None:
    with pytest.warns(DeprecationWarning, match="relevance"):
        assert Claim("It is.", relevance=0.5).bearing == 0.5


@pytest.mark.parametrize("field", ["strict", "keep_supported"])
def test_a_request_may_have_either_name(field: str) -> None:
    ask = Ask.model_validate({"question": "Which?", field: True})
    assert ask.keep_supported or ask.strict
    properties = Ask.model_json_schema()["properties"]
    assert properties["strict"]["deprecated"] is True


def test_the_old_argument_of_ask_warns() -> None:
    with pytest.warns(DeprecationWarning, match="keep_supported") as told:
        left = AsyncUpheld(None).ask("Which?", strict=True)  # type: ignore[arg-type]
    left.close()
    assert told[0].filename == __file__


def test_settings_of_a_call_a_variable_and_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("upheld.toml").write_text('wider = "of the file"')
    with pytest.warns(DeprecationWarning, match="deprecated") as told:
        assert load_settings().fallback_search == "of the file"
    assert "in upheld.toml" in str(told[0].message)
    monkeypatch.setenv("UPHELD_WIDER", "of the variable")
    with pytest.warns(DeprecationWarning, match="deprecated") as told:
        assert load_settings().fallback_search == "of the variable"
    assert any("UPHELD_WIDER" in str(each.message) for each in told)
    with pytest.warns(DeprecationWarning, match="deprecated") as told:
        assert load_settings(wider="of the call").fallback_search == "of the call"
    assert told[0].filename == __file__
    monkeypatch.setenv("UPHELD_FALLBACK_SEARCH", "by its new name")
    with pytest.warns(DeprecationWarning, match="deprecated"):
        assert load_settings().fallback_search == "by its new name"


def test_two_names_for_one_setting_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with (
        pytest.warns(DeprecationWarning, match="deprecated"),
        pytest.raises(SettingsError, match="given twice"),
    ):
        load_settings(wider="one", fallback_search="other")


def test_parameters_of_methods() -> None:
    with pytest.warns(DeprecationWarning, match="deprecated"):
        chosen = parameters("upheld", {"wider": "off", "on_point": "off", "rivals": "on"})
    assert isinstance(chosen, UpheldParameters)
    assert not chosen.fallback_search
    assert not chosen.relevance_gate
    assert chosen.detect_conflicts
    with (
        pytest.warns(DeprecationWarning, match="deprecated"),
        pytest.raises(UsageError, match="given twice"),
    ):
        parameters("upheld", {"rivals": "on", "detect_conflicts": "on"})


def test_only_methods_that_have_the_parameter_take_its_old_name() -> None:
    with pytest.raises(UsageError, match="no 'rivals'"):
        parameters("rag", {"rivals": "on"})


def test_variants_of_a_run() -> None:
    (variant,) = parse_variants("upheld:rivals=true")
    assert variant.name == "upheld:detect_conflicts=true"

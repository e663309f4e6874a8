"""`upheld plan`: curves that predict what was measured, and numbers that follow from them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from upheld.cli import app
from upheld.errors import UsageError
from upheld_lab.plan.capacity import Wanted, plan
from upheld_lab.plan.prices import EXAMPLE, read_prices
from upheld_lab.plan.rates import EXACT_UP_TO, Growth, curve, line, shipped


@pytest.mark.parametrize("what", ["stored_bytes", "memory_mb"])
def test_what_was_measured_up_to_a_hundred_thousand_predicts_a_million(what: str) -> None:
    """Times of a search are not predicted: docs/scale.md says by how much they differ."""
    sizes = shipped().sizes
    million = next(each for each in sizes if each.passages == 1_000_000)
    known = Growth.through([each for each in sizes if each.passages <= 100_000])
    assert known.fitted_to == 100_000
    predicted = getattr(known, what).at(1_000_000)
    assert predicted == pytest.approx(getattr(million, what), rel=0.30)


def test_all_sizes_together_tell_what_was_measured() -> None:
    sizes = shipped().sizes
    drawn = Growth.through(sizes)
    for each in sizes:
        if each.passages > EXACT_UP_TO:
            assert drawn.hybrid_p50_ms.at(each.passages) == pytest.approx(
                each.hybrid_p50_ms, rel=0.30
            )
            if each.build_s is not None:
                assert drawn.build_s.at(each.passages) == pytest.approx(each.build_s, rel=0.30)


def test_curves_find_what_they_were_drawn_through() -> None:
    sizes = (10_000, 30_000, 100_000)
    straight = line([(n, 50 + 0.002 * n) for n in sizes])
    assert straight.at(1_000_000) == pytest.approx(2050)
    bent = curve([(n, 5 + 0.1 * n**0.5) for n in sizes])
    assert bent.at(1_000_000) == pytest.approx(105, rel=0.02)
    level = curve([(n, 7.0) for n in sizes])
    assert level.at(1_000_000) == pytest.approx(7, rel=0.05)


def test_nothing_shrinks_as_a_collection_grows() -> None:
    assert curve([(1e4, 30.0), (3e4, 20.0), (1e5, 25.0)]).at(1e6) >= 20


def numbers(**wanted: Any) -> dict[str, float]:
    asked = replace(Wanted(1_000_000, 10.0, "rag"), **wanted)
    return {each.what: each.value for each in plan(asked, shipped())}


def test_every_number_has_its_reason_and_follows_the_load() -> None:
    asked = Wanted(1_000_000, 10.0, "rag")
    assert all(each.because for each in plan(asked, shipped()))
    one, ten = numbers(qps=1.0), numbers(qps=10.0)
    assert ten["cores"] == pytest.approx(10 * one["cores"])
    assert ten["storage"] == one["storage"]
    assert numbers(method="fave")["language model, read"] > ten["language model, read"]


def test_what_does_not_fit_into_one_machine_is_parted() -> None:
    small, large = numbers(passages=1_000_000), numbers(passages=10**10)
    assert small["parts"] == 1
    assert large["parts"] > 1
    assert large["machines"] >= large["parts"]
    assert large["memory of a searching process"] <= 16


def test_money_comes_from_the_file_alone(tmp_path: Path) -> None:
    file = tmp_path / "prices.json"
    file.write_text(EXAMPLE)
    ran = CliRunner().invoke(
        app, ["plan", "--passages", "2e6", "--qps", "5", "--prices", str(file), "--json"]
    )
    assert ran.exit_code == 0, ran.output
    lines = {each["what"]: each for each in json.loads(ran.output)["lines"]}
    parts = ("machines", "storage", "reads", "language model")
    whole = sum(lines[f"a month, {part}"]["value"] for part in parts)
    assert lines["a month, all"]["value"] == pytest.approx(whole)
    assert lines["a month, all"]["unit"] == "USD"
    assert "2026-11-01" in lines["a month, all"]["because"]
    file.write_text(EXAMPLE.replace("0.40", '"cheap"'))
    with pytest.raises(UsageError, match="machine_hour") as refused:
        read_prices(file)
    assert "million_prompt_tokens" in (refused.value.help or "")


@pytest.mark.parametrize("passages", ["0", "-5", "many", "1e400", "nan"])
def test_a_number_that_is_none_is_refused(passages: str) -> None:
    ran = CliRunner().invoke(app, ["plan", f"--passages={passages}"])
    assert isinstance(ran.exception, UsageError)


def test_a_method_without_rates_is_refused_with_those_that_have_some() -> None:
    ran = CliRunner().invoke(app, ["plan", "--passages", "1e6", "--method", "guess"])
    assert isinstance(ran.exception, UsageError)
    assert "upheld" in (ran.exception.help or "")

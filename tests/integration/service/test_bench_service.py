"""`upheld bench service` in small: every figure is measured on real servers, none says much."""

from __future__ import annotations

import json
import math

import pytest
from typer.testing import CliRunner

from upheld_lab.bench.service.figures import BARS
from upheld_lab.cli.bench import app

# On a busy machine models take ten times as long.
pytestmark = [pytest.mark.real, pytest.mark.campaign, pytest.mark.timeout(900)]


def test_a_small_run_measures_every_figure() -> None:
    run = CliRunner().invoke(app, ["service", "--quick", "--requests", "10", "--json"])
    assert run.exit_code == 0, run.output
    report = json.loads(run.stdout)
    assert report["bench"] == "service"
    assert set(report["bars"]) == set(BARS)
    assert all(math.isfinite(value) for value in report["bars"].values())
    assert report["bars"]["answers_over_path"] > 1  # nothing is quicker than its own path
    peak, beyond = (row for row in report["rows"] if "load" in row)
    assert (peak["429"], peak["other"], beyond["other"]) == (0, 0, 0)
    assert beyond["429"] > 0
    (spent,) = (row for row in report["rows"] if "processor" in row)
    assert spent["share of the lesser of two"] > 0

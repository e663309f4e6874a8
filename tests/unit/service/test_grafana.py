"""The dashboard asks for what there is, and shows all that there is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from tests.unit.fake_kb import QUESTION, WRITTEN
from tests.unit.seen_app import METRICS_KEY, WITH_KEY, caller
from upheld_lab.testing.fake_embedder import FakeEmbedder
from upheld_lab.testing.fake_entailment import FakeEntailment
from upheld_service.telemetry.metrics import Metrics

DEPLOY = Path(__file__).parent.parent.parent.parent / "deploy"
BOARD = DEPLOY / "grafana" / "upheld.json"
PROMETHEUS = DEPLOY / "prometheus" / "prometheus.yml"
NAME = re.compile(r"\bupheld_\w+")
LABELS = re.compile(r"\{([^{}]*)\}|\bby \(([^)]*)\)")


def board() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(BOARD.read_text(encoding="utf-8"))
    return loaded


def queries() -> list[str]:
    return [t["expr"] for panel in board()["panels"] for t in panel.get("targets", ())]


async def test_every_query_has_an_answer_and_every_metric_a_query(tmp_path: Path) -> None:
    metrics = Metrics()
    parts: dict[str, Any] = {"embedder": FakeEmbedder(fail=True), "entailment": FakeEntailment()}
    async with caller(tmp_path, metrics, [WRITTEN], **parts) as client:
        for _ in range(3):
            await client.post("/v1/answers", json={"question": QUESTION})
        exported = (await client.get("/metrics", headers=WITH_KEY)).text
    families = list(text_string_to_metric_families(exported))
    samples = {sample.name: sample for family in families for sample in family.samples}
    asked = {name for query in queries() for name in NAME.findall(query)}
    assert asked <= set(samples), "asked for, but not there"
    for family in families:
        assert {sample.name for sample in family.samples} & asked, f"{family.name} is not shown"
    known = {label for sample in samples.values() for label in sample.labels}
    for query in queries():
        for selected, grouped in LABELS.findall(query):
            names = [each.partition("=")[0].strip(" ") for each in (selected or grouped).split(",")]
            assert set(names) <= known, query


async def test_prometheus_is_configured_to_send_the_key(tmp_path: Path) -> None:
    lines = PROMETHEUS.read_text(encoding="utf-8").splitlines()
    given = dict(each.strip().split(": ", 1) for each in lines if ": " in each and "#" not in each)
    assert given["credentials_file"].startswith("/")
    async with caller(tmp_path, Metrics()) as client:
        sent = {"Authorization": f"{given['type']} {METRICS_KEY.get_secret_value()}"}
        assert (await client.get(given["metrics_path"], headers=sent)).status_code == 200


def test_panels_have_ids_of_their_own_and_do_not_overlap() -> None:
    panels = board()["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells = [
        (x, y)
        for panel in panels
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(set(cells)) == len(cells)
    assert max(x for x, _ in cells) < 24


def test_every_target_reads_the_datasource_that_the_viewer_chooses() -> None:
    (variable,) = board()["templating"]["list"]
    assert (variable["name"], variable["type"]) == ("datasource", "datasource")
    for panel in board()["panels"]:
        for target in panel.get("targets", ()):
            assert target["datasource"]["uid"] == "${datasource}"

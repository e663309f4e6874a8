"""Metrics: what happened is counted once, and no label holds anybody's words."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from tests.unit.fake_kb import QUESTION, WRITTEN
from tests.unit.seen_app import TENANT, WITH_KEY, caller
from upheld.check import CheckedAnswer
from upheld.types import Answer, Claim, Event, Status, Support, Usage, Verdict
from upheld_lab.testing.fake_embedder import FakeEmbedder
from upheld_lab.testing.fake_entailment import FakeEntailment
from upheld_service.telemetry.metrics import KINDS, Metrics, kind_of

Samples = Mapping[tuple[str, tuple[tuple[str, str], ...]], float]


def samples(metrics: Metrics) -> Samples:
    families = text_string_to_metric_families(metrics.text().decode())
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


def value(metrics: Metrics, name: str, **labels: str) -> float | None:
    return samples(metrics).get((f"upheld_{name}", tuple(sorted(labels.items()))))


async def test_a_request_leaves_its_traces(tmp_path: Path) -> None:
    metrics = Metrics()
    async with caller(tmp_path, metrics, [WRITTEN], entailment=FakeEntailment()) as client:
        replied = await client.post("/v1/answers", json={"question": QUESTION})
        read = await client.get("/metrics", headers=WITH_KEY)
    body = replied.json()
    assert read.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert read.text.startswith("# HELP upheld_http_requests_total Requests.")
    route = {"method": "POST", "route": "/v1/answers", "status": "200"}
    assert value(metrics, "http_requests_total", **route) == 1
    assert value(metrics, "http_request_seconds_count", route="/v1/answers") == 1
    assert value(metrics, "answers_total", method="rag", status="answered") == 1
    support = body["claims"][0]["verdict"]["support"]
    assert value(metrics, "claims_total", support=support) == len(body["claims"])
    for event in body["trace"]:
        assert value(metrics, "stage_seconds_count", stage=event["stage"])
    assert (value(metrics, "requests_in_progress"), value(metrics, "requests_waiting")) == (0, 0)


async def test_usage_of_events_is_the_usage_of_the_run(tmp_path: Path) -> None:
    metrics = Metrics()
    async with caller(tmp_path, metrics, [WRITTEN], entailment=FakeEntailment()) as client:
        body = (await client.post("/v1/answers", json={"question": QUESTION})).json()
    counted = {
        "requests": "llm_requests_total",
        "completions": "llm_completions_total",
        "cached_completions": "llm_cached_completions_total",
        "prompt_tokens": "llm_prompt_tokens_total",
        "cached_tokens": "llm_cached_tokens_total",
        "completion_tokens": "llm_completion_tokens_total",
        "pairs_checked": "pairs_checked_total",
        "searches": "searches_total",
    }
    assert set(counted) == {field.name for field in fields(Usage)}
    assert body["usage"]["requests"] == 1
    for name, metric in counted.items():
        assert value(metrics, metric) == body["usage"][name], name


async def test_failures_and_what_was_missing_are_counted(tmp_path: Path) -> None:
    metrics = Metrics()
    async with caller(tmp_path, metrics, embedder=FakeEmbedder(fail=True)) as client:
        await client.post("/v1/answers", json={"question": QUESTION})
        await client.post("/v1/broken", content=b"x")
        await client.get("/no/such/path")
        await client.get("/v1/answers/17")
        await client.request("BREW", "/v1/answers")
    assert value(metrics, "degraded_total", kind="embedder") == 1
    assert value(metrics, "degraded_total", kind="verifier") == 0  # quotes need no model
    # Asked for the search, for quotes and for how they bear on the question.
    assert value(metrics, "stage_errors_total", stage="embed") == 3
    requests = {
        labels: count for (name, labels), count in samples(metrics).items()
        if name == "upheld_http_requests_total"
    }  # fmt: skip
    told = {(dict(labels)["route"], dict(labels)["status"]) for labels in requests}
    assert told == {
        ("/v1/answers", "200"),
        ("/v1/broken", "500"),
        ("unmatched", "404"),
        ("/v1/answers/{id}", "404"),
        ("/v1/answers", "405"),
    }
    assert {dict(labels)["method"] for labels in requests} == {"GET", "POST", "other"}


async def test_no_metric_label_holds_user_text(tmp_path: Path) -> None:
    metrics = Metrics()
    words = "zebra-crossing"
    metrics.answered(
        Answer("id", words, Status.PARTIAL, words, words, degraded=(words, f"no embedder: {words}"))
    )
    metrics.event(Event(1, None, "search", 0, 0.1, error=words, note=words))
    claim = Claim(words, verdict=Verdict(Support.UNSUPPORTED, reason=words))
    metrics.checked(CheckedAnswer(words, False, (claim,), (), (words,)))
    async with caller(tmp_path, metrics) as client:
        await client.get(f"/{words}?{words}={words}", headers={words: words, "x-request-id": words})
        await client.request(words.upper(), f"/v1/answers/{words}")
    told = metrics.text().decode()
    assert words not in told.lower()
    assert str(TENANT) not in told
    assert value(metrics, "answers_total", method="other", status="partial") == 1
    assert value(metrics, "degraded_total", kind="embedder") == 1
    assert value(metrics, "degraded_total", kind="other") == 2
    assert value(metrics, "claims_total", support="unsupported") == 1


def test_kinds_of_what_is_missing_are_those_of_the_stages() -> None:
    """Every beginning that has a kind still stands in the code that says it."""
    root = Path(__file__).parent.parent.parent.parent / "src" / "upheld"
    parts = [each for each in root.rglob("*.py") if root / "service" not in each.parents]
    code = "\n".join(part.read_text(encoding="utf-8") for part in parts)
    for start, kind in KINDS:
        assert f'"{start}' in code, start
        assert kind_of(f"{start}: and why") == kind


PROCESS = """
from upheld_service.telemetry.metrics import Metrics
from upheld.types import Event
metrics = Metrics()
metrics.event(Event(1, None, "search", 0, 0.1))
metrics.load(2, 3)
print(metrics.text().decode() if {last} else "", end="")
"""


def test_processes_that_serve_together_are_counted_together(tmp_path: Path) -> None:
    told = ""
    for last in (False, True):
        told = subprocess.run(
            [sys.executable, "-c", PROCESS.format(last=last)],
            env={**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    assert 'upheld_stage_seconds_count{stage="search"} 2.0' in told
    assert "upheld_requests_waiting 3.0" in told  # the other has ended, and nobody waits there

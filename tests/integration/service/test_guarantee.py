"""Labelled claims in, a guarantee out: for one collection, one tenant and one pipeline."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
import psycopg
import pytest
from fastapi import FastAPI
from typer.testing import CliRunner

from tests.integration.places import Place
from tests.integration.service.serving import (
    ask,
    client,
    give,
    new_key,
    running,
    service_settings,
    work_off,
)
from tests.servers.postgres import State
from upheld.calibration.labelled import LabelledClaim
from upheld.cli import app as command
from upheld.errors import CalibrationError
from upheld.resources.open import Shared, open_shared
from upheld.retrieval.grade import Grade
from upheld.settings import Settings
from upheld.types import Support
from upheld.verification.verify import Verify
from upheld_lab.testing.fake_embedder import FakeEmbedder
from upheld_lab.testing.fake_entailment import FakeEntailment
from upheld_lab.testing.fake_grader import FakeGrader
from upheld_service import resources as opened
from upheld_service.db.connect import conninfo
from upheld_service.db.keys import KeyScope
from upheld_service.db.queue import Work
from upheld_service.jobs.calibration import MOST_LABELS
from upheld_service.jobs.tasks import Works

pytestmark = pytest.mark.real
PATH = "/v1/collections/staff/guarantee"
QUESTION = "When does the lighthouse open?"
SECRET = "heliotrope"  # a word of a document, in what the labeller was shown


@dataclass(frozen=True, slots=True)
class Museum:
    """A service, and somebody with a document in the collection `staff`."""

    app: FastAPI
    state: State
    caller: httpx2.AsyncClient
    pipeline: str

    async def calibrate(self, content: bytes, **more: Any) -> dict[str, Any]:
        """Send labels, and run the job; how it ended."""
        reply = await self.caller.post(PATH, content=content, params=more)
        assert reply.status_code == 202, reply.text
        await work_off(self.app, self.state)
        job: dict[str, Any] = (await self.caller.get(f"/v1/jobs/{reply.json()['job']}")).json()
        return job

    async def answer(self, **more: object) -> dict[str, Any]:
        reply = await ask(self.caller, QUESTION, **more)
        assert reply.status_code == 200, reply.text
        body: dict[str, Any] = reply.json()
        return body


@pytest.fixture
async def museum(
    own_state: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Museum]:
    """Nothing is missing: an answer that lacks a part is promised nothing."""

    def shared(settings: Settings) -> Shared:
        return replace(
            open_shared(settings),
            verify=Verify(model=FakeEntailment()),
            embedder=FakeEmbedder(),
            grade=Grade(grader=FakeGrader(), upper=1.0, lower=-1.0),
        )

    monkeypatch.setattr(opened, "open_shared", shared)
    async with (
        running(service_settings(own_state, Place(str(tmp_path / "kb")))) as app,
        client(app, await new_key(own_state, tenant="museum")) as caller,
    ):
        await give(caller, "rota", "The lighthouse opens at nine.")
        await work_off(app, own_state)
        pipeline = (await ask(caller, QUESTION)).json()["pipeline"]
        yield Museum(app, own_state, caller, pipeline)


def labels(pipeline: str, *, count: int = 200, wrong: int = 0, score: float = 1.0) -> bytes:
    """As `upheld label` writes them; every `wrong`th claim is not supported."""
    lines = [
        LabelledClaim(
            question=f"Question {number}?",
            answer=f"a{number}",
            claim=f"The {SECRET} opens at nine.",
            evidence=(f"The {SECRET} opens.",),
            score=score,
            verdict=Support.SUPPORTED,
            supported=not wrong or number % wrong > 0,
            pipeline=pipeline,
            who="ann",
            when=datetime(2026, 1, 1, tzinfo=UTC),
        ).model_dump_json()
        for number in range(count)
    ]
    return "\n".join(lines).encode()


async def test_labels_become_a_promise_under_every_answer(museum: Museum, tmp_path: Path) -> None:
    none = await museum.caller.get(PATH)
    assert (none.status_code, none.json()["code"]) == (404, "not_found")
    assert "POST labelled claims" in none.json()["help"]
    assert (await museum.answer())["guarantee"] is None
    sent = labels(museum.pipeline)
    job = await museum.calibrate(sent, alpha=0.1, delta=0.05, name="may.jsonl")
    assert (job["task"], job["status"]) == ("calibrate", "succeeded")
    shown = (await museum.caller.get(PATH)).json()
    assert shown["labels_wait"] is False
    fitted = shown["guarantee"]
    assert (fitted["alpha"], fitted["delta"], fitted["pipeline"]) == (0.1, 0.05, museum.pipeline)

    # The same as on the command line.
    file, out = tmp_path / "may.jsonl", tmp_path / "guarantee.json"
    file.write_bytes(sent)
    given = ("calibrate", str(file), "--delta", "0.05", "--out", str(out))
    assert CliRunner().invoke(command, given).exit_code == 0
    written = json.loads(out.read_text())
    del written["fitted_on"]["date"], fitted["fitted_on"]["date"]
    assert fitted == written

    answer = await museum.answer()
    assert answer["guarantee"]["threshold"] == fitted["threshold"]
    assert answer["guarantee"]["fitted_on"].startswith("200 labels of may.jsonl")
    assert (await museum.answer(calibrated=False))["guarantee"] is None

    removed = await museum.caller.delete(PATH)
    assert (removed.status_code, removed.json()) == (200, {"collection": "staff"})
    assert (await museum.caller.get(PATH)).status_code == 404
    assert (await museum.caller.delete(PATH)).status_code == 404
    assert (await museum.answer())["guarantee"] is None


async def test_another_pipeline_gets_no_promise(museum: Museum) -> None:
    job = await museum.calibrate(labels("another pipeline"))
    assert job["status"] == "succeeded"
    answer = await museum.answer()
    assert answer["guarantee"] is None
    assert answer["degraded"] == ["no guarantee: the existing one was fitted on another pipeline"]
    await museum.calibrate(labels(museum.pipeline))
    assert (await museum.answer())["guarantee"] is not None
    assert (await museum.answer(method="upheld"))["guarantee"] is None


async def test_labels_that_certify_nothing_take_the_promise_away(museum: Museum) -> None:
    await museum.calibrate(labels(museum.pipeline))
    assert (await museum.answer())["guarantee"] is not None
    job = await museum.calibrate(labels(museum.pipeline, wrong=4))
    assert (job["status"], job["attempts"]) == ("failed", 1)
    told = (await museum.caller.get(PATH)).json()
    assert told["status"] == 404
    assert "Nothing could be certified" in told["detail"]
    assert (await museum.answer())["guarantee"] is None
    few = await museum.calibrate(labels(museum.pipeline, count=10))
    assert few["status"] == "failed"
    assert "too few claims: 10" in (await museum.caller.get(PATH)).json()["detail"]
    assert (await museum.calibrate(labels(museum.pipeline)))["status"] == "succeeded"
    assert (await museum.answer())["guarantee"] is not None


async def test_run_twice_it_ends_alike(museum: Museum) -> None:
    works, work = Works(museum.app.state.service), await work_of(museum)
    await museum.caller.post(PATH, content=labels(museum.pipeline))
    for _ in range(2):
        await works.calibrate(work)
        assert (await museum.caller.get(PATH)).status_code == 200
    await museum.caller.post(PATH, content=labels(museum.pipeline, wrong=2))
    for _ in range(2):
        with pytest.raises(CalibrationError, match="Nothing could be certified"):
            await works.calibrate(work)
    await museum.caller.delete(PATH)
    await works.calibrate(work)  # taken back while it waited: nothing to do


async def test_the_older_promise_stands_while_labels_wait(museum: Museum) -> None:
    await museum.calibrate(labels(museum.pipeline))
    waits = await museum.caller.post(PATH, content=labels(museum.pipeline, wrong=2))
    shown = (await museum.caller.get(PATH)).json()
    assert shown["labels_wait"] is True
    assert (await museum.answer())["guarantee"] is not None
    # Newer labels take the place of those that wait, and one job fits them.
    again = await museum.caller.post(PATH, content=labels(museum.pipeline, count=300))
    assert again.json() == {**waits.json(), "labels": 300}
    await work_off(museum.app, museum.state)
    assert (await museum.caller.get(PATH)).json()["guarantee"]["fitted_on"]["labels"] == 300


async def test_no_word_of_a_label_is_kept(museum: Museum) -> None:
    await museum.caller.post(PATH, content=labels(museum.pipeline))
    assert SECRET not in rows(museum.state)  # while it waits: a document may be deleted meanwhile
    assert "question 7?" in rows(museum.state)
    await work_off(museum.app, museum.state)
    assert "question 7?" not in rows(museum.state)
    await museum.caller.delete("/v1/collections/staff")
    await work_off(museum.app, museum.state)
    assert rows(museum.state) == "[]"  # it ends with its collection


async def test_sent_again_it_is_asked_for_once(museum: Museum) -> None:
    headers, sent = {"Idempotency-Key": "may"}, labels(museum.pipeline)
    first = await museum.caller.post(PATH, content=sent, headers=headers)
    await work_off(museum.app, museum.state)
    again = await museum.caller.post(PATH, content=sent, headers=headers)
    assert (again.json(), again.headers["Idempotency-Replayed"]) == (first.json(), "true")
    assert (await museum.caller.get(PATH)).json()["labels_wait"] is False
    other = await museum.caller.post(PATH, content=sent, headers=headers, params={"alpha": 0.2})
    assert other.status_code == 409


async def test_what_is_refused(museum: Museum) -> None:
    for content, status, detail in (
        (b"", 400, "There are no labels."),
        (b"\xff", 400, "The labels are not UTF-8."),
        (labels("a", count=2) + b"\n{}", 400, "The labels, line 3, does not fit"),
        (labels("a", count=2) + b"\n" + labels("b", count=2), 400, "of 2 pipelines"),
        (labels("a", count=1).replace(b"true", b'"yes"'), 400, "supported: Input should be"),
        (b"\n".join([labels("a", count=1)] * (MOST_LABELS + 1)), 413, f"{MOST_LABELS:,}"),
    ):
        reply = await museum.caller.post(PATH, content=content)
        assert reply.status_code == status, reply.text
        assert detail in reply.json()["detail"]
        assert SECRET not in reply.text
    for alpha in ("0", "1", "nan", "inf", "1e-9"):
        reply = await museum.caller.post(PATH, content=labels("a"), params={"alpha": alpha})
        assert reply.status_code == 422
    tasks = {each["task"] for each in (await museum.caller.get("/v1/jobs")).json()["jobs"]}
    assert tasks == {"ingest"}


async def test_who_may_calibrate(museum: Museum) -> None:
    sent = labels(museum.pipeline)
    for scopes, seen, path, status in (
        ([KeyScope.READ], None, PATH, 403),
        ([KeyScope.WRITE], ["hr"], PATH, 403),  # it sees a part, and would promise for all
        ([KeyScope.WRITE], [], PATH, 403),
        ([KeyScope.WRITE], None, PATH.replace("staff", "none"), 404),
        ([KeyScope.WRITE], None, PATH, 202),
    ):
        key = await new_key(museum.state, tenant="museum", scopes=scopes, labels=seen)
        async with client(museum.app, key) as caller:
            assert (await caller.post(path, content=sent)).status_code == status
            if status == 403:
                assert (await caller.delete(path)).status_code == 403


async def test_another_tenant_has_its_own(museum: Museum) -> None:
    await museum.calibrate(labels(museum.pipeline))
    async with client(museum.app, await new_key(museum.state)) as other:
        assert "staff" in (await other.get(PATH)).json()["detail"]
        assert (await other.delete(PATH)).status_code == 404
        await give(other, "rota", "The lighthouse opens at ten.")
        await work_off(museum.app, museum.state)
        assert (await ask(other, QUESTION)).json()["guarantee"] is None
        assert (await other.get(PATH)).status_code == 404
    assert (await museum.answer())["guarantee"] is not None


async def work_of(museum: Museum) -> Work:
    with psycopg.connect(conninfo(museum.state.superuser)) as connection:
        row = connection.execute("SELECT id FROM tenants WHERE name = 'museum'").fetchone()
    assert row is not None
    return Work(UUID(str(row[0])), "staff")


def rows(state: State) -> str:
    """All that the database has of guarantees."""
    with psycopg.connect(conninfo(state.superuser)) as connection:
        return str(connection.execute("SELECT row_to_json(g)::text FROM guarantees g").fetchall())

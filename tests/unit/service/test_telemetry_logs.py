"""Logs say what happened to a request, and hold nothing that somebody wrote."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from tests.unit.fake_kb import QUESTION, TEXT, WRITTEN
from tests.unit.seen_app import TENANT, caller
from upheld.errors import LLMUnavailableError
from upheld.types import Status
from upheld_service.telemetry.http import Seen
from upheld_service.telemetry.logs import error_name, log_json, told
from upheld_service.telemetry.metrics import Metrics

SECRET = "uph_abcdefgh_0123456789abcdef"
WORDS = (SECRET, QUESTION, "35 minutes", "Dogs travel", "The crossing")


@contextmanager
def logged() -> Iterator[io.StringIO]:
    """What the process logs; everything is as before afterwards.

    No fixture: pytest puts handlers of its own before each phase of a test.
    """
    root = logging.getLogger()
    before = root.handlers[:], root.level, logging.raiseExceptions
    stream = io.StringIO()
    log_json(stream, logging.DEBUG)
    try:
        yield stream
    finally:
        logging.captureWarnings(False)
        root.handlers[:], root.level, logging.raiseExceptions = before


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def of_requests(stream: io.StringIO) -> list[dict[str, Any]]:
    return [line for line in lines(stream) if line["logger"] == "upheld.service.http"]


async def test_a_request_is_one_line_with_an_id_that_the_caller_gets_too(tmp_path: Path) -> None:
    async with caller(tmp_path, Metrics(), [WRITTEN]) as client:
        headers = {"Authorization": f"Bearer {SECRET}", "x-request-id": SECRET}
        with logged() as written:
            replied = await client.post("/v1/answers", json={"question": QUESTION}, headers=headers)
    assert replied.json()["text"]
    (line,) = of_requests(written)
    assert line["request"] == replied.headers["x-request-id"]
    assert line["tenant"] == str(TENANT)
    assert (line["method"], line["route"], line["status"]) == ("POST", "/v1/answers", 200)
    assert 0 < line["seconds"] < 60
    assert (line["level"], line["message"]) == ("INFO", "request")
    assert not any(word in written.getvalue() for word in WORDS)


async def test_an_error_is_told_by_kind_and_place(tmp_path: Path) -> None:
    async with caller(tmp_path, Metrics()) as client:
        with logged() as written:
            replied = await client.post("/v1/broken", content=f"{SECRET} {TEXT}".encode())
    assert replied.status_code == 500
    (line,) = of_requests(written)
    assert (line["level"], line["status"]) == ("ERROR", 500)
    assert line["error"] == ["builtins.RuntimeError", "builtins.ValueError"]
    assert line["frames"][-1].startswith("seen_app.py:")
    assert not any(word in written.getvalue() for word in WORDS)


async def test_whoever_leaves_before_the_reply_is_told_as_left() -> None:
    arrived = asyncio.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        arrived.set()
        await asyncio.Event().wait()

    transport = httpx2.ASGITransport(Seen(slow, Metrics()))
    client = httpx2.AsyncClient(transport=transport, base_url="http://here")
    with logged() as written:
        request = asyncio.create_task(client.get("/"))
        await arrived.wait()
        request.cancel()
        with pytest.raises(asyncio.CancelledError):
            await request
    await client.aclose()
    (line,) = of_requests(written)
    assert (line["status"], line["route"], line["level"]) == (499, "unmatched", "INFO")


def test_nothing_that_is_put_into_a_record_comes_out() -> None:
    ours, theirs = logging.getLogger("upheld.service"), logging.getLogger("somebodys.library")
    document = f"{TEXT} {SECRET}"

    class Telling(Exception):  # noqa: N818 — an error whose every form tells
        def __repr__(self) -> str:
            return document

        __str__ = __repr__

    with logged() as written:
        try:
            try:
                raise KeyError(document)
            except KeyError as error:
                error.add_note(document)
                raise Telling(document) from error
        except Telling as error:
            ours.exception("asking %s failed for %r", QUESTION, document)
            ours.error("it failed", exc_info=error, extra={"question": QUESTION, "body": document})
            theirs.exception(f"cannot parse {document}")
            ours.error(error)  # an error in place of a message
            try:
                raise ExceptionGroup(document, [error])
            except ExceptionGroup:
                ours.exception("many at once")
        theirs.info("GET /?key=%s", SECRET)
        theirs.warning(document)
        ours.warning("%d", document)  # arguments that do not fit
        ours.info("three of %d and %s", 3, document, stack_info=True)
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn(document, stacklevel=1)
    found = lines(written)
    assert len(found) == 10
    assert not any(word in written.getvalue() for word in WORDS)
    assert found[0]["message"] == "asking … failed for …"
    assert found[7]["message"] == "%d"  # what does not fit is not shown either
    assert found[8]["message"] == "three of 3 and …"
    assert [kind.rpartition(".")[2] for kind in found[0]["error"]] == ["Telling", "KeyError"]
    assert found[2]["logger"] == "somebodys.library"
    assert "message" not in found[2]
    assert found[2]["at"].startswith("test_telemetry_logs.py:")


def test_messages_have_arguments_that_nobody_else_can_have_written() -> None:
    ours = logging.getLogger("upheld.service")
    failed = LLMUnavailableError(QUESTION, help=QUESTION, detail=TEXT, address="http://10.0.0.5/v1")
    with logged() as written:
        ours.error("a request failed: %s", error_name(failed), extra=told(failed))
        ours.info("%s took %.2f s of %d, %s", TENANT, 1.5, 3, Status.ANSWERED)
        ours.info("%(count)d of %(name)s", {"count": 2, "name": QUESTION})
        ours.info("it is 100%% done: %s", str(QUESTION))
        ours.info("100%")
    found = lines(written)
    assert [line["message"] for line in found] == [
        "a request failed: LLMUnavailableError",
        f"{TENANT} took 1.50 s of 3, ANSWERED",
        "2 of …",
        "it is 100% done: …",
        "100%",
    ]
    assert found[0]["address"] == ["http://10.0.0.5/v1"]
    assert not any(word in written.getvalue() for word in WORDS)


def test_a_stream_that_is_gone_does_not_print_the_record(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with logged() as written:
        written.close()
        logging.getLogger("upheld").error("gone %s", SECRET)
    assert capsys.readouterr().err == ""


async def test_a_request_is_a_server_span_under_the_callers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    parent = {"traceparent": f"00-{1:032x}-{2:016x}-01"}
    async with caller(tmp_path, Metrics(), [WRITTEN]) as client:
        await client.post("/v1/answers", json={"question": QUESTION}, headers=parent)
        await client.post("/v1/broken", content=TEXT.encode())
    served = [span for span in kept.get_finished_spans() if span.kind is SpanKind.SERVER]
    asked, broken = served
    assert (asked.name, broken.name) == ("POST /v1/answers", "POST /v1/broken")
    assert asked.context.trace_id == 1
    assert asked.parent is not None
    assert asked.parent.span_id == 2
    attributes = dict(asked.attributes or {})
    assert attributes["http.response.status_code"] == 200
    assert attributes["http.route"] == "/v1/answers"
    assert (broken.attributes or {})["error.type"] == "RuntimeError"
    assert broken.status.status_code is StatusCode.ERROR
    inside = [s for s in kept.get_finished_spans() if s.name.startswith("upheld.")]
    assert {span.context.trace_id for span in inside} == {1}
    told = "".join(span.to_json() for span in kept.get_finished_spans())
    assert not any(word in told for word in WORDS)

"""Errors as strangers see them: by code and status, and never with words from inside."""

from __future__ import annotations

import inspect
import json
import logging

import pytest
from starlette.exceptions import HTTPException

from upheld import errors
from upheld.errors import (
    AdmissionError,
    ConflictError,
    EngineError,
    LLMUnavailableError,
    MissingExtraError,
    NotFoundError,
    ServiceFullError,
    StorageError,
    TenantLimitError,
    UnknownCallerError,
    UpheldError,
    UsageError,
)
from upheld_service.http.problems import problem_of, problem_response, tell
from upheld_service.telemetry.logs import JsonLines

INSIDE = "s3://bucket/tenants/7 refused key 0815"


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (UsageError("no"), 400, "usage"),
        (UnknownCallerError("no"), 401, "unknown_caller"),
        (NotFoundError("no"), 404, "not_found"),
        (ConflictError("no"), 409, "conflict"),
        (EngineError("no"), 500, "engine"),
        (MissingExtraError("Fetching", "web"), 501, "missing_extra"),
        (StorageError("no"), 503, "storage"),
        (TenantLimitError("no", retry_after=2), 429, "tenant_limit"),
        (ServiceFullError("no", retry_after=2), 503, "service_full"),
        (LLMUnavailableError("no"), 503, "llm_unavailable"),
        (HTTPException(405), 405, "method_not_allowed"),
        (ZeroDivisionError("no"), 500, "unexpected"),
    ],
)
def test_each_error_has_its_status_and_code(error: Exception, status: int, code: str) -> None:
    problem = problem_of(error)
    assert (problem.status, problem.code) == (status, code)
    assert problem.type == f"urn:upheld:problem:{code}"
    assert problem.title
    assert problem.detail


def test_what_fails_on_our_side_is_told_without_its_words() -> None:
    kinds = [each for each in vars(errors).values() if inspect.isclass(each)]
    ours = [each for each in kinds if issubclass(each, UpheldError)]
    told = 0
    for kind in (*ours, RuntimeError):
        if kind in (MissingExtraError, AdmissionError, TenantLimitError, ServiceFullError):
            continue  # their words are ours, and for whoever asked
        problem = problem_of(kind(INSIDE))
        if problem.status >= 500:
            told += 1
            assert INSIDE not in problem.model_dump_json()
        else:
            assert problem.detail == INSIDE
    assert told > 10


def test_who_may_come_back_is_told_when() -> None:
    busy = LLMUnavailableError("busy")
    busy.retry_after = 7.2
    assert problem_response(busy).headers["retry-after"] == "7"
    assert problem_response(StorageError("away")).headers["retry-after"] == "1"
    assert problem_response(TenantLimitError("no", retry_after=6.1)).headers["retry-after"] == "7"
    assert "retry-after" not in problem_response(UsageError("no")).headers


def test_clients_of_openai_are_told_in_their_own_shape() -> None:
    for path in ("/v1/chat/completions", "/v1/models", "/v1/models/rag"):
        reply = problem_response(NotFoundError("It is not there.", help="Look."), path)
        assert reply.media_type == "application/json"
        assert json.loads(bytes(reply.body)) == {
            "error": {
                "message": "It is not there. Look.",
                "type": "not_found_error",
                "param": None,
                "code": "not_found",
            }
        }
    inside = problem_response(StorageError(INSIDE), "/v1/chat/completions")
    assert INSIDE not in bytes(inside.body).decode()
    assert inside.headers["retry-after"] == "1"


def test_failures_are_logged_by_kind_in_any_form(caplog: pytest.LogCaptureFixture) -> None:
    tell(StorageError(INSIDE))
    tell(ServiceFullError("full", retry_after=1))  # counted, not told
    tell(UsageError("theirs"))
    (record,) = caplog.records
    line = json.loads(JsonLines().format(record))
    assert line["error"] == ["upheld.errors.StorageError"]
    assert INSIDE not in json.dumps(line)
    assert logging.Formatter().format(record) == "a request failed: StorageError"

"""Errors become problem details (RFC 9457): a code, a cause and help.

A caller's mistake is explained in words. A failure on our side is named by its kind alone: messages
of a store or a database are not for strangers.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from upheld.errors import (
    AdmissionError,
    BudgetExceededError,
    CalibrationError,
    ConflictError,
    EmbedderMismatchError,
    LLMError,
    LLMUnavailableError,
    MissingExtraError,
    NotAllowedError,
    NotFoundError,
    ReadError,
    SettingsError,
    StateUnavailableError,
    StorageError,
    TenantLimitError,
    TooLargeError,
    UnknownCallerError,
    UpheldError,
    UsageError,
    WebError,
)
from upheld_service.http.error_bodies import Problem, as_error, is_spoken
from upheld_service.telemetry.logs import error_name, told

log = logging.getLogger("upheld.service")
MEDIA_TYPE = "application/problem+json"
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")  # LLM|Unavailable
# Limits of the explanation of an invalid request: it may be wrong in thousands of places, and the
# name of a field may be as long as the request.
MOST_FAULTS, MOST_NAME, MOST_MESSAGE = 10, 64, 300
_LEFT = 499  # the client is gone; for logs only

# The nearest ancestor counts; an error that is not listed is a 500.
STATUS: Mapping[type[Exception], int] = {
    UnknownCallerError: 401,
    NotAllowedError: 403,
    NotFoundError: 404,
    ConflictError: 409,
    EmbedderMismatchError: 409,
    TooLargeError: 413,
    ReadError: 422,
    UsageError: 400,
    TenantLimitError: 429,
    SettingsError: 500,
    CalibrationError: 500,
    MissingExtraError: 501,
    LLMError: 502,
    WebError: 502,
    AdmissionError: 503,
    LLMUnavailableError: 503,
    StorageError: 503,
    StateUnavailableError: 503,
    BudgetExceededError: 504,
}


# Inline, because the documented media type is not that of the routes.
_CONTENT = {"content": {MEDIA_TYPE: {"schema": Problem.model_json_schema()}}}
RESPONSES: dict[int | str, dict[str, Any]] = {
    422: {"description": "The request is not valid.", **_CONTENT},
    "4XX": {"description": "The request cannot be carried out as it is.", **_CONTENT},
    "5XX": {"description": "The service, or a server that it depends on, failed.", **_CONTENT},
}


def problem_of(error: Exception) -> Problem:
    """Convert an error to the problem that the caller sees."""
    match error:
        case RequestValidationError():
            faults = error.errors()
            told = [_fault(each) for each in faults[:MOST_FAULTS]]
            if len(faults) > len(told):
                told.append(f"and {len(faults) - len(told):,} more")
            return _problem(422, "invalid_request", "The request is not valid.", "; ".join(told))
        case HTTPException():
            phrase = HTTPStatus(error.status_code).phrase
            code = phrase.lower().replace(" ", "_").replace("-", "_")
            return _problem(error.status_code, code, phrase, str(error.detail))
        case UpheldError():
            return _of_ours(error)
        case _:
            return _problem(500, "unexpected", "An internal error occurred.", "The log has it.")


def problem_response(error: Exception, path: str = "") -> Response:
    """Return the error reply, in the shape that clients of this path expect."""
    problem = problem_of(error)
    headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
    if problem.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if problem.status in (429, 503):
        after = getattr(error, "retry_after", None) or 1
        headers["Retry-After"] = str(max(round(after), 1))
    if is_spoken(path):
        return JSONResponse(as_error(problem).model_dump(), problem.status, headers)
    return JSONResponse(problem.model_dump(), problem.status, headers, media_type=MEDIA_TYPE)


def install(app: FastAPI) -> None:
    """Install handlers for every way in which a request can fail."""
    for kind in (UpheldError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, _handle)
    app.add_exception_handler(ClientDisconnect, _left)


class Caught:
    """The outermost layer: logs unexpected errors without their messages, and replies 500."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def noted(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, noted)
        except Exception as error:
            tell(error)
            if not started:  # otherwise the server closes the connection, which the client sees
                await problem_response(error, scope["path"])(scope, receive, send)


def tell(error: Exception) -> None:
    """Log failures on our side by kind; refusals by admission are only counted."""
    if problem_of(error).status >= 500 and not isinstance(error, AdmissionError):
        log.error("a request failed: %s", error_name(error), extra=told(error))


async def _handle(request: Request, error: Exception) -> Response:
    tell(error)
    return problem_response(error, request.scope["path"])


async def _left(_request: Request, _error: Exception) -> Response:
    return Response(status_code=_LEFT)


def _of_ours(error: UpheldError) -> Problem:
    kind = type(error)
    status = next((STATUS[each] for each in kind.__mro__ if each in STATUS), 500)
    title = (kind.__doc__ or "").partition("\n")[0]
    code = _WORD.sub("_", kind.__name__.removesuffix("Error")).lower()
    if status < 500 or isinstance(error, MissingExtraError | AdmissionError):
        return _problem(status, code, title, str(error.args[0]), error.help)
    help = "Try again later." if error.retryable else ""
    return _problem(status, code, title, title, help)


def _problem(status: int, code: str, title: str, detail: str, help: str = "") -> Problem:
    type_ = f"urn:upheld:problem:{code}"
    return Problem(type=type_, title=title, status=status, code=code, detail=detail, help=help)


def _fault(fault: Mapping[str, Any]) -> str:
    """Describe a fault by place and message, without the value that was sent."""
    place = ".".join(str(part)[:MOST_NAME] for part in fault["loc"])
    return f"{place}: {fault['msg'][:MOST_MESSAGE]}"

"""The body of an error reply: problem details (RFC 9457), or what clients of OpenAI expect."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

_PATHS = ("/v1/chat/", "/v1/models")
_KINDS = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    409: "conflict_error",
    429: "rate_limit_error",
}


class Problem(BaseModel):
    """An error: what went wrong, and what the caller can do."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    help: str = ""


class ErrorObject(BaseModel):
    """An error; `code` is the same as in our problem details."""

    message: str
    type: str
    param: str | None = None
    code: str


class ErrorReply(BaseModel):
    """An error as a reply or as the last event of a stream."""

    error: ErrorObject


def _documented(description: str) -> dict[str, Any]:
    # Inline: the references in a model's schema do not work inside an OpenAPI document.
    inner = {"error": ErrorObject.model_json_schema()}
    schema = {"type": "object", "required": ["error"], "properties": inner}
    return {"description": description, "content": {"application/json": {"schema": schema}}}


RESPONSES: dict[int | str, dict[str, Any]] = {
    422: _documented("The request is not valid."),
    "4XX": _documented("The request cannot be carried out as it is."),
    "5XX": _documented("The service, or a server that it depends on, failed."),
}


def is_spoken(path: str) -> bool:
    """Return whether clients of this path expect OpenAI's errors."""
    return path.startswith(_PATHS)


def as_error(problem: Problem) -> ErrorReply:
    """Convert a problem, with the same cause and help."""
    other = "server_error" if problem.status >= 500 else "invalid_request_error"
    return ErrorReply(
        error=ErrorObject(
            message=f"{problem.detail} {problem.help}".strip(),
            type=_KINDS.get(problem.status, other),
            code=problem.code,
        )
    )

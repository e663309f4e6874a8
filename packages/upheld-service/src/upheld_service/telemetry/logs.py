"""Logs as lines of JSON that cannot contain a document, a question or a secret.

A record has the literal message of our own code, with only those arguments that cannot contain user
text: numbers, ids, names of enums, and strings that our code marks as `Safe`. Any other argument is
shown as `…`. An error is logged by its types, its origin and the address of the server that failed,
without its message. Beside them there are only the fields named here.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from types import FrameType
from typing import TextIO
from uuid import UUID

from upheld.errors import UpheldError

request_id: ContextVar[str | None] = ContextVar("upheld_request_id", default=None)
FIELDS = (
    "method",
    "route",
    "status",
    "seconds",
    "processor_seconds",
    "tenant",
    "error",
    "frames",
    "threads",
    "address",
)
# Their messages are literals, with the rest in arguments; other loggers may put anything there.
SPEAK_PLAINLY = ("upheld", "uvicorn")
FRAMES = 12


class JsonLines(logging.Formatter):
    """Formats a record as one JSON object: time, level, logger, message, request, fields, error."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "at": f"{record.filename}:{record.lineno}",
        }
        if record.name.partition(".")[0] in SPEAK_PLAINLY and isinstance(record.msg, str):
            line["message"] = _message(record.msg, record.args).strip()
        if (id := request_id.get()) is not None:
            line["request"] = id
        line |= {name: getattr(record, name) for name in FIELDS if hasattr(record, name)}
        if record.exc_info and record.exc_info[1] is not None:
            line |= told(record.exc_info[1])
        return json.dumps(line, default=str)


class Safe(str):
    """A message argument that our code vouches for: never made from what a caller sent."""

    __slots__ = ()


def error_name(error: BaseException) -> Safe:
    """Return the kind of an error, as an argument of a message."""
    return Safe(type(error).__name__)


def told(error: BaseException) -> dict[str, list[str]]:
    """Return the types of an error and its origin, as `extra` for any log record."""
    chain = list(_chain(error))
    failed = [each.address for each in chain if isinstance(each, UpheldError) and each.address]
    seen = {"error": [_kind(each) for each in chain], "frames": _frames(error)}
    return seen | ({"address": failed} if failed else {})


def log_json(stream: TextIO = sys.stderr, level: int = logging.INFO) -> None:
    """Make this process log in this form only."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], level=level, force=True)
    # They log every call to a language model, and every job: lines without a message.
    for name in ("httpx2", "procrastinate"):
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.captureWarnings(True)
    # Otherwise a record that cannot be written is printed with its arguments.
    logging.raiseExceptions = False


class _Hidden:
    """Replaces an argument that may contain user text."""

    def __str__(self) -> str:
        return "…"

    __repr__ = __str__


def _message(text: str, args: object) -> str:
    """Format the message with the arguments that may be shown."""
    if not args:
        return text
    try:
        if isinstance(args, Mapping):
            return text % {name: _shown(each) for name, each in args.items()}
        return text % tuple(map(_shown, args)) if isinstance(args, tuple) else text
    except (TypeError, ValueError, KeyError):  # a hidden argument in place of a number
        return text


def _shown(arg: object) -> object:
    # Not by isinstance: a subclass may print anything.
    if arg is None or type(arg) in (bool, int, float, UUID, Safe):
        return arg
    return arg.name if isinstance(arg, Enum) else _Hidden()


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the error and its causes."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _kind(error: BaseException) -> str:
    return f"{type(error).__module__}.{type(error).__qualname__}"


def _frames(error: BaseException) -> list[str]:
    """Return the last frames where it was raised: files, lines and functions, no source text."""
    walked = traceback.walk_tb(error.__traceback__)
    return [frame_line(frame, line) for frame, line in walked][-FRAMES:]


def frame_line(frame: FrameType, line: int) -> str:
    """Describe a frame without source text or values."""
    return f"{Path(frame.f_code.co_filename).name}:{line} {frame.f_code.co_name}"

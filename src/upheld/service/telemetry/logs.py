"""Logs as lines of JSON that cannot hold a document, a question or a secret.

Whatever somebody put into a message, its arguments or an error is left out: of a record there are
the words that stand in our own code, of an error its types and where it came from, and beside them
only the fields named here.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Iterator
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import TextIO

request_id: ContextVar[str | None] = ContextVar("upheld_request_id", default=None)
FIELDS = ("method", "route", "status", "seconds", "tenant", "error", "frames", "threads")
# Their messages are literals, with the rest in arguments; others may put anything into them.
SPEAK_PLAINLY = ("upheld", "uvicorn")
FRAMES = 12


class JsonLines(logging.Formatter):
    """One object a line: time, level, logger, message, request, the fields, the error."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "at": f"{record.filename}:{record.lineno}",
        }
        if record.name.partition(".")[0] in SPEAK_PLAINLY and isinstance(record.msg, str):
            line["message"] = record.msg.strip()  # the arguments are not filled in
        if (id := request_id.get()) is not None:
            line["request"] = id
        line |= {name: getattr(record, name) for name in FIELDS if hasattr(record, name)}
        if record.exc_info and record.exc_info[1] is not None:
            line |= told(record.exc_info[1])
        return json.dumps(line, default=str)


def told(error: BaseException) -> dict[str, list[str]]:
    """Of an error its types and where it came from: `extra` for a record in whatever form."""
    return {"error": [_kind(each) for each in _chain(error)], "frames": _frames(error)}


def log_json(stream: TextIO = sys.stderr, level: int = logging.INFO) -> None:
    """From now on this process logs in this form, and in no other."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], level=level, force=True)
    # It tells of every call to a language model, which would be a line without words.
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    logging.captureWarnings(True)
    # Otherwise a record that cannot be written is printed, with its arguments.
    logging.raiseExceptions = False


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error and what it came from."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _kind(error: BaseException) -> str:
    return f"{type(error).__module__}.{type(error).__qualname__}"


def _frames(error: BaseException) -> list[str]:
    """Where it was raised, the last frames only: files, lines and functions, no source text."""
    walked = traceback.walk_tb(error.__traceback__)
    return [frame_line(frame, line) for frame, line in walked][-FRAMES:]


def frame_line(frame: FrameType, line: int) -> str:
    """Where a frame is, without source text or values."""
    return f"{Path(frame.f_code.co_filename).name}:{line} {frame.f_code.co_name}"

"""Read documents in reusable child processes, which are replaced if they hit a limit or crash.

A plain subprocess, not a process pool: pools that can stop a task (pebble) start their workers by
running the caller's script again, and one that does not (loky) cannot stop a task; and both
unpickle what the child sends. More in docs/decisions/003-pdf-reader.md.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Any, Self

from pydantic import TypeAdapter

from upheld._internal.child_process import HEADER, OUT_OF_MEMORY, ChildProcess
from upheld.errors import MissingExtraError, NotFoundError, ReadError
from upheld.ingest.read.document import Heading, ReadDocument
from upheld.ingest.read.pdf_positions import MarkedPage, PageSpan


@dataclass(frozen=True, slots=True)
class Limits:
    """What reading one document may cost; one that exceeds a limit fails and the rest continue."""

    file_bytes: int = 100_000_000
    text_characters: int = 20_000_000
    seconds: float = 60.0
    memory_bytes: int = 2_000_000_000  # of the reading process, libraries included


_READING = (sys.executable, "-P", "-m", "upheld.ingest.child")
_SHOWING = (sys.executable, "-P", "-m", "upheld.ingest.page_child")


class LimitedWorker:
    """Child processes that each do one thing with a file at a time, within limits.

    Thread-safe: up to `at_once` child processes read at the same time, and another one is started
    only if the others are busy.
    """

    def __init__(
        self, limits: Limits = Limits(), *, command: Sequence[str] = _READING, at_once: int = 1
    ) -> None:
        self.limits = limits
        self._command = (*command, str(limits.memory_bytes), str(limits.text_characters))
        self._turns = threading.BoundedSemaphore(at_once)
        self._idle: list[_Child] = []
        self._busy: set[_Child] = set()
        self._changing = threading.Lock()  # held briefly, never while a child reads

    def exchange(self, label: bytes, data: bytes, name: str) -> tuple[bytes, bytes]:
        """Return the reply of a child; raises `ReadError`, which names the file, at a limit."""
        if len(data) > self.limits.file_bytes:
            raise ReadError(f"{name} is larger than {self.limits.file_bytes:,} bytes")
        request = HEADER.pack(len(label), len(data)) + label + data
        with self._turns:
            return self._ask(request, name)

    def close(self) -> None:
        """Kill the child processes, even while they read; the next call starts a new one."""
        with self._changing:
            idle, self._idle = self._idle, []
            busy, self._busy = self._busy, set()
        for child in busy:
            child.process.kill()  # the waiting thread gets an error and cleans up
        for child in idle:
            child.process.kill()  # it is idle, and a normal exit takes half a second
            child.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _ask(self, request: bytes, name: str) -> tuple[bytes, bytes]:
        child = self._taken()
        try:
            reply = child.ask(request, self.limits)
        except TimeoutError as late:
            child.process.kill()
            self._end(child)
            raise ReadError(f"{name} took more than {self.limits.seconds:g} s to read") from late
        except (OSError, EOFError) as gone:
            closed = child not in self._busy
            self._end(child)
            if closed:
                raise ReadError(f"{name} was being read when reading was closed") from gone
            status = child.process.returncode
            if status == OUT_OF_MEMORY and child.has_read:
                # Earlier files may have filled it; a new process has room for this one alone.
                return self._ask(request, name)
            raise ReadError(self._why(status, name)) from gone
        except BaseException:
            child.process.kill()
            self._end(child)
            raise
        child.has_read = True
        self._give_back(child)
        return reply

    def _taken(self) -> _Child:
        with self._changing:
            child = self._idle.pop() if self._idle else _Child(self._command)
            self._busy.add(child)
        return child

    def _give_back(self, child: _Child) -> None:
        with self._changing:
            kept = child in self._busy
            if kept:
                self._busy.remove(child)
                self._idle.append(child)
        if not kept:  # the worker was closed meanwhile
            child.end()

    def _end(self, child: _Child) -> None:
        with self._changing:
            self._busy.discard(child)
        child.end()

    def _why(self, status: int, name: str) -> str:
        if status == OUT_OF_MEMORY:
            return f"{name} needs more than {self.limits.memory_bytes // 1_000_000} MB to be read"
        return f"{name} ended the reading process (status {status})"


class _Child(ChildProcess):
    """One reading process."""

    has_read = False  # a file before this one

    def ask(self, request: bytes, limits: Limits) -> tuple[bytes, bytes]:
        """Send one file and return its document; raises `TimeoutError` or `EOFError` on failure."""
        return self.exchange(request, limits.seconds, 4 * limits.text_characters)


class ReadWorker(LimitedWorker):
    """A reader `(data, name) -> ReadDocument` that raises `ReadError` or `MissingExtraError`."""

    def __call__(self, data: bytes, name: str) -> ReadDocument:
        head, text = self.exchange(name.encode("utf-8", "surrogateescape"), data, name)
        fields = _fields(head)
        headings = tuple(Heading(*heading) for heading in fields["headings"])
        pages = tuple(fields["pages"])
        return ReadDocument(text.decode(), fields["title"], pages, headings, fields["hidden"])


class PageWorker(LimitedWorker):
    """Shows pages of a PDF: as pictures, and where spans of their text are."""

    def __init__(self, limits: Limits = Limits(), *, at_once: int = 1) -> None:
        super().__init__(limits, command=_SHOWING, at_once=at_once)

    def render(self, data: bytes, name: str, page: int, width: int) -> bytes:
        """Do `pdf_positions.render_page` in a child."""
        label = json.dumps({"name": name, "page": page, "width": width})
        head, picture = self.exchange(label.encode(), data, name)
        _fields(head)
        return picture

    def locate(self, data: bytes, name: str, spans: Sequence[PageSpan]) -> list[MarkedPage]:
        """Do `pdf_positions.locate` in a child."""
        label = json.dumps({"name": name, "spans": [asdict(span) for span in spans]})
        head, body = self.exchange(label.encode(), data, name)
        _fields(head)
        return TypeAdapter(list[MarkedPage]).validate_json(body)


def _fields(head: bytes) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(head)
    if "extra" in fields:
        raise MissingExtraError(fields["error"], fields["extra"], fields["cause"])
    if "missing" in fields:
        raise NotFoundError(fields["missing"])
    if "error" in fields:
        raise ReadError(fields["error"], help=fields.get("help", ""))
    return fields

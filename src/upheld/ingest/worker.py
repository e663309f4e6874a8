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
from dataclasses import dataclass
from types import TracebackType

from upheld._internal.child_process import HEADER, OUT_OF_MEMORY, ChildProcess
from upheld.errors import MissingExtraError, ReadError
from upheld.ingest.read.document import Heading, ReadDocument


@dataclass(frozen=True, slots=True)
class Limits:
    """What reading one document may cost; one that exceeds a limit fails and the rest continue."""

    file_bytes: int = 100_000_000
    text_characters: int = 20_000_000
    seconds: float = 60.0
    memory_bytes: int = 2_000_000_000  # of the reading process, libraries included


_CHILD = (sys.executable, "-P", "-m", "upheld.ingest.child")


class ReadWorker:
    """A reader `(data, name) -> ReadDocument` that raises `ReadError` or `MissingExtraError`.

    Thread-safe: up to `at_once` child processes read at the same time, and another one is started
    only if the others are busy.
    """

    def __init__(
        self, limits: Limits = Limits(), *, command: Sequence[str] = _CHILD, at_once: int = 1
    ) -> None:
        self.limits = limits
        self._command = (*command, str(limits.memory_bytes), str(limits.text_characters))
        self._turns = threading.BoundedSemaphore(at_once)
        self._idle: list[_Child] = []
        self._busy: set[_Child] = set()
        self._changing = threading.Lock()  # held briefly, never while a child reads

    def __call__(self, data: bytes, name: str) -> ReadDocument:
        if len(data) > self.limits.file_bytes:
            raise ReadError(f"{name} is larger than {self.limits.file_bytes:,} bytes")
        label = name.encode("utf-8", "surrogateescape")
        request = HEADER.pack(len(label), len(data)) + label + data
        with self._turns:
            child = self._taken()
            try:
                head, text = child.ask(request, self.limits)
            except TimeoutError as late:
                child.process.kill()
                self._end(child)
                seconds = self.limits.seconds
                raise ReadError(f"{name} took more than {seconds:g} s to read") from late
            except (OSError, EOFError) as gone:
                closed = child not in self._busy
                self._end(child)
                why = f"{name} was being read when reading was closed"
                raise ReadError(
                    why if closed else self._why(child.process.returncode, name)
                ) from gone
            except BaseException:
                child.process.kill()
                self._end(child)
                raise
            self._give_back(child)
        return _document(head, text)

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

    def __enter__(self) -> ReadWorker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

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

    def ask(self, request: bytes, limits: Limits) -> tuple[bytes, bytes]:
        """Send one file and return its document; raises `TimeoutError` or `EOFError` on failure."""
        return self.exchange(request, limits.seconds, 4 * limits.text_characters)


def _document(head: bytes, text: bytes) -> ReadDocument:
    fields = json.loads(head)
    if "extra" in fields:
        raise MissingExtraError(fields["error"], fields["extra"], fields["cause"])
    if "error" in fields:
        raise ReadError(fields["error"], help=fields.get("help", ""))
    headings = tuple(Heading(*heading) for heading in fields["headings"])
    pages = tuple(fields["pages"])
    return ReadDocument(text.decode(), fields["title"], pages, headings, fields["hidden"])

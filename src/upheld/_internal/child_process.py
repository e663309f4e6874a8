"""Child processes for untrusted input: they can be killed, and their memory is limited.

A request and a reply are two byte strings each, preceded by their lengths. Nothing is pickled, so
that a child which is compromised by its input cannot execute code in its parent.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import platform
import resource
import select
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import BinaryIO

HEADER = struct.Struct(">II")  # the lengths of the two parts of a request or a reply
OUT_OF_MEMORY = 77  # exit status
_LOOK_EVERY = 0.05  # seconds between checks of the memory in use
_MOST_AT_ONCE = 1 << 20  # bytes per read or write
# Environment of a child: only what Python needs to start, no secrets, as its input is untrusted.
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "VIRTUAL_ENV")

Answer = Callable[[bytes, bytes], tuple[bytes, bytes]]


def serve(answer: Answer, memory_bytes: int) -> None:
    """Answer requests until standard input ends; the main loop of a child process.

    Exits with status `OUT_OF_MEMORY` if a request needs more than `memory_bytes`.
    """
    requests, replies = sys.stdin.buffer, _own_stdout()
    _limit_memory(memory_bytes)
    while header := requests.read(HEADER.size):
        first, second = HEADER.unpack(header)
        try:
            head, body = answer(requests.read(first), requests.read(second))
        except MemoryError:
            os._exit(OUT_OF_MEMORY)
        replies.write(HEADER.pack(len(head), len(body)))
        replies.write(head)
        replies.write(body)
        replies.flush()


class ChildProcess:
    """One child process and its pipes, for the parent."""

    def __init__(self, command: Sequence[str]) -> None:
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
        self.process = subprocess.Popen(  # noqa: S603 - our own module, by the running Python
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env=environment,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._to, self._from = self.process.stdin.fileno(), self.process.stdout.fileno()
        os.set_blocking(self._to, False)

    def exchange(self, request: bytes, seconds: float, most: int) -> tuple[bytes, bytes]:
        """Send one request and return its reply, within `seconds`.

        Raises `TimeoutError` on a timeout, `EOFError` or `OSError` if the child has ended, and
        `EOFError` if a part of the reply has more than `most` bytes.
        """
        deadline = time.monotonic() + seconds
        left = memoryview(request)
        while left:
            _wait(self._to, select.POLLOUT, deadline)
            left = left[os.write(self._to, left[:_MOST_AT_ONCE]) :]
        head, body = HEADER.unpack(self._take(HEADER.size, deadline))
        if max(head, body) > most:
            raise EOFError("the reply is larger than any that is expected")
        return self._take(head, deadline), self._take(body, deadline)

    def end(self) -> None:
        """Close the pipes and wait half a second for the process to exit; then kill it.

        The wait lets a process that is already exiting return its exit status.
        """
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()  # the child ends when its input does
        self.process.stdout.close()
        try:
            self.process.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _take(self, length: int, deadline: float) -> bytes:
        parts = bytearray()
        while len(parts) < length:
            _wait(self._from, select.POLLIN, deadline)
            part = os.read(self._from, min(length - len(parts), _MOST_AT_ONCE))
            if not part:
                raise EOFError("the child process ended")
            parts += part
        return bytes(parts)


class ChildEndedError(Exception):
    """A child ended before it replied; `status` is its exit status."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the child process ended with status {status}")
        self.status = status


class ChildProcesses:
    """A pool of child processes for coroutines: at most `at_once` work, requests are in order.

    If a coroutine is cancelled, by a timeout or by its caller, its child is killed.
    """

    def __init__(self, command: Sequence[str], *, at_once: int, most_reply: int) -> None:
        self._command, self._most_reply = command, most_reply
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="child-process")
        self._idle: list[ChildProcess] = []
        self._changing = threading.Lock()
        self._closed = False

    async def ask(self, head: bytes, body: bytes) -> tuple[bytes, bytes]:
        """Send a request to a child and return its reply; raise `ChildEndedError` if it exits."""
        request = HEADER.pack(len(head), len(body)) + head + body
        job = _Job()
        try:
            return await asyncio.wrap_future(self._threads.submit(self._work, job, request))
        finally:
            job.stop()

    def close(self) -> None:
        """Stop idle children now, and busy ones when their request is done."""
        with self._changing:
            self._closed = True
            idle, self._idle = self._idle, []
        for child in idle:
            child.process.kill()
            child.end()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _work(self, job: _Job, request: bytes) -> tuple[bytes, bytes]:
        with self._changing:
            child = self._idle.pop() if self._idle else None
        child = child or ChildProcess(self._command)
        try:
            with job.worked_on_by(child):
                reply = child.exchange(request, math.inf, self._most_reply)
        except BaseException as error:
            child.end()
            if isinstance(error, OSError | EOFError):
                raise ChildEndedError(child.process.returncode) from error
            raise
        with self._changing:
            if not self._closed:
                self._idle.append(child)
                return reply
        child.end()
        return reply


class _Job:
    """A request that can be cancelled: before a child has it, or by killing the child."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: ChildProcess | None = None
        self._stopped = False

    @contextlib.contextmanager
    def worked_on_by(self, child: ChildProcess) -> Iterator[None]:
        with self._lock:
            if self._stopped:
                child.process.kill()
            self._child = child
        try:
            yield
        finally:
            with self._lock:
                self._child = None

    def stop(self) -> None:
        """Kill the child that works on this request, if there is one."""
        with self._lock:
            self._stopped = True
            if self._child is not None:
                self._child.process.kill()


def _wait(pipe: int, event: int, deadline: float) -> None:
    poll = select.poll()
    poll.register(pipe, event)
    left = deadline - time.monotonic()
    if not poll.poll(None if left == math.inf else max(left, 0) * 1000):
        raise TimeoutError


def _own_stdout() -> BinaryIO:
    """Reserve the pipe for replies, and redirect what libraries print to standard error."""
    pipe = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(pipe, "wb")


def _limit_memory(limit: int) -> None:
    """Limit the memory of this process by the kernel; on macOS, which ignores that, by polling.

    Polling would be wrong on Linux, where the peak of a child starts at that of its parent.
    """
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    if platform.system() == "Darwin":
        threading.Thread(target=_leave_above, args=(limit,), daemon=True).start()


def _leave_above(limit: int) -> None:
    while resource.getrusage(resource.RUSAGE_SELF).ru_maxrss <= limit:  # in bytes on macOS
        time.sleep(_LOOK_EVERY)
    os._exit(OUT_OF_MEMORY)

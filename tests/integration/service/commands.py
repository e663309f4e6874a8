"""Commands of ours in processes of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from queue import Queue
from threading import Thread


@dataclass(frozen=True, slots=True)
class Command:
    """A command under way; what it says is read as it comes, or a full pipe would stop it."""

    process: subprocess.Popen[str]
    lines: Queue[str | None]

    def said(self, words: str) -> str:
        """The line with these words, as soon as it is printed."""
        while (line := self.lines.get(timeout=200)) is not None:
            if words in line:
                return line.strip()
        raise AssertionError(f"it ended without saying {words!r}")

    def stops(self) -> bool:
        """Whether it ends well when told to."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(200) == 0


@contextmanager
def started(*command: str, **environment: str) -> Iterator[Command]:
    process = subprocess.Popen(
        [sys.executable, "-m", "upheld", *command],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
    lines: Queue[str | None] = Queue()

    def read() -> None:
        assert process.stderr is not None
        with process.stderr:
            for line in process.stderr:
                lines.put(line)
        lines.put(None)

    reader = Thread(target=read)
    reader.start()
    try:
        yield Command(process, lines)
    finally:
        process.kill()
        process.wait()
        reader.join()

"""`upheld verify --batch` as a process of its own, which can be watched and killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from upheld.errors import BulkError
from upheld_lab.bench.verify.made_answers import MadeClaim

LOOK_SECONDS = 0.02
END_SECONDS = 30.0  # for processes to end whose driver was killed


@dataclass(frozen=True, slots=True)
class BatchFiles:
    """A batch of answers, and where verdicts and notes of it go."""

    folder: Path
    on: str

    @property
    def answers(self) -> Path:
        return self.folder / "answers.jsonl"

    @property
    def out(self) -> Path:
        return self.folder / "checked.jsonl"

    @property
    def notes(self) -> Path:
        return self.folder / "begun.txt"

    def write(self, claims: Sequence[MadeClaim]) -> None:
        """Make the batch; what an earlier one left is removed."""
        self.folder.mkdir(exist_ok=True)
        for file in (self.out, self.notes):
            file.unlink(missing_ok=True)
        lines = (
            json.dumps({"id": f"claim-{number}", "answer": each.text, "sources": [each.source]})
            for number, each in enumerate(claims)
        )
        self.answers.write_text("".join(f"{line}\n" for line in lines))

    def answer_ids(self) -> list[str]:
        """The answers that are to be checked."""
        return _ids(self.answers)

    def checked_ids(self) -> list[str]:
        """The answers that have a verdict, in the order in which they were written."""
        return _ids(self.out) if self.out.exists() else []

    def begun(self) -> list[str]:
        """The answers that workers began, if they were told to note it."""
        return [line.split()[0] for line in self._notes()]

    def first_begun(self) -> float:
        """The time at which the first answer was begun."""
        return min(float(line.split()[1]) for line in self._notes())

    def _notes(self) -> list[str]:
        return self.notes.read_text().splitlines() if self.notes.exists() else []


def _ids(file: Path) -> list[str]:
    *whole, _ = file.read_bytes().split(b"\n")  # the last is empty, or half written
    found = map(json.loads, whole)
    return [each["id"] for each in found if "error" not in each]


@contextlib.contextmanager
def started(files: BatchFiles, *, noting: bool = False) -> Iterator[Command]:
    """Start the command; if it still runs at the end, it is killed."""
    program = ["upheld_lab.bench.batch", str(files.notes)] if noting else ["upheld"]
    words = ["verify", "--batch", str(files.answers), "--out", str(files.out), "--on", files.on]
    with (files.folder / "log.txt").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603  # our own command
            [sys.executable, "-m", *program, *words],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            # Ray's sockets have short names, and its files go with the folder.
            env={**os.environ, "RAY_TMPDIR": str(files.folder)},
            start_new_session=True,
        )
    command = Command(process, files)
    try:
        yield command
    finally:
        if process.poll() is None:
            command.kill()


@dataclass(frozen=True, slots=True)
class Command:
    """The running command."""

    process: subprocess.Popen[bytes]
    files: BatchFiles

    def progress(self) -> Iterator[tuple[float, int]]:
        """Yield the time and the number of verdicts whenever there are more, until it ends.

        Raises `BulkError` if it fails.
        """
        read = verdicts = 0
        while True:
            ended = self.process.poll()
            size = self.files.out.stat().st_size if self.files.out.exists() else 0
            if size < read:  # half a line was cut
                read = verdicts = 0
            if size > read:
                with self.files.out.open("rb") as out:
                    out.seek(read)
                    new = out.read()
                read, verdicts = read + len(new), verdicts + new.count(b"\n")
                yield time.time(), verdicts
            if ended is not None:
                break
            time.sleep(LOOK_SECONDS)
        if ended:
            log = (self.files.folder / "log.txt").read_text()
            raise BulkError(f"The batch ended with {ended}: {log[-2000:]}")

    def kill(self, patience: float = END_SECONDS) -> int:
        """Kill it without warning; return how many of its processes did not end with it.

        These are killed, too.
        """
        family = _descendants(self.process.pid)
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        deadline = time.monotonic() + patience
        while (left := [each for each in family if _runs(each)]) and time.monotonic() < deadline:
            time.sleep(LOOK_SECONDS)
        for each in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        return len(left)


def _descendants(pid: int) -> list[int]:
    """The processes that a process started, and those that these did."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and (fields := _stat(int(folder.name))):
            parents.setdefault(int(fields[1]), []).append(int(folder.name))
    found, new = [], parents.get(pid, [])
    while new:
        found += new
        new = [child for each in new for child in parents.get(each, [])]
    return found


def _runs(pid: int) -> bool:
    fields = _stat(pid)
    return bool(fields) and fields[0] not in "ZX"


def _stat(pid: int) -> list[str]:
    """State, parent and so on of a process; nothing if there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []

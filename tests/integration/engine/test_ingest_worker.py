"""The reading process, for real: what it survives, and what it does not let through."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documents import make_docx, make_pdf
from upheld._internal.concurrency import in_reading_thread
from upheld.errors import MissingExtraError, ReadError
from upheld.ingest.read import ReadDocument
from upheld.ingest.worker import Limits, ReadWorker

# A child whose reader does what the file's first word says.
BAD_READER = """
import os, sys, time
from upheld.errors import MissingExtraError
from upheld.ingest import child
from upheld.ingest.read import ReadDocument

hoard = []

def read(data, name):
    match data.decode().split()[0]:
        case "hang": time.sleep(60)
        case "hog": held = [bytes(10_000_000) for _ in range(1000)]
        case "hoard": hoard.append(name)
        case "room" if hoard: raise MemoryError
        case "die": os.kill(os.getpid(), 9)
        case "leave": sys.exit(3)
        case "bug": raise ZeroDivisionError("oops")
        case "print": print("noise on standard output", flush=True)
        case "long": return ReadDocument("x" * 2000)
        case "extra": raise MissingExtraError("Reading PDF", "readers")
        case "environment": return ReadDocument(" ".join(os.environ))
        case "pid": return ReadDocument(str(os.getpid()))
    return ReadDocument("fine")

child.read = read
child.main()
"""
LIMITS = Limits(seconds=5, memory_bytes=500_000_000, text_characters=1000, file_bytes=10_000)


@pytest.fixture
def worker() -> Iterator[ReadWorker]:
    with ReadWorker(LIMITS, command=(sys.executable, "-c", BAD_READER)) as worker:
        yield worker


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ("hog", "needs more than 500 MB"),
        ("die", "ended the reading process"),
        ("leave", "ended the reading process"),
    ],
)
def test_a_child_that_fails_is_replaced(worker: ReadWorker, what: str, reason: str) -> None:
    first = worker(b"pid", "a").text
    with pytest.raises(ReadError, match=rf"bad\.pdf {reason}"):
        worker(what.encode(), "bad.pdf")
    second = worker(b"pid", "b").text
    assert first != second
    assert worker(b"fine", "c").text == "fine"


def test_a_file_is_not_blamed_for_the_memory_of_those_before_it(worker: ReadWorker) -> None:
    assert worker(b"hoard", "large.pdf").text == "fine"
    assert worker(b"room", "small.txt").text == "fine"


def test_a_large_parent_leaves_its_child_room(worker: ReadWorker) -> None:
    large = b"x" * 2 * LIMITS.memory_bytes  # touched, so that it counts as in use
    enough = time.monotonic() + 0.2  # for anything inside the child that watches its memory
    while time.monotonic() < enough:
        assert worker(b"fine", "a").text == "fine"
    assert len(large) > LIMITS.memory_bytes


def test_a_child_that_hangs_is_stopped_in_time() -> None:
    limits = Limits(seconds=4)  # a new child starts within it on a machine that is busy, too
    with ReadWorker(limits, command=(sys.executable, "-c", BAD_READER)) as worker:
        began = time.monotonic()
        with pytest.raises(ReadError, match=r"bad\.pdf took more than 4 s"):
            worker(b"hang", "bad.pdf")
        assert time.monotonic() - began < 10
        assert worker(b"fine", "a").text == "fine"


def test_a_child_that_never_listens_is_stopped_in_time() -> None:
    deaf = (sys.executable, "-c", "import time; time.sleep(60)")
    with (
        ReadWorker(Limits(seconds=0.5), command=deaf) as worker,
        pytest.raises(ReadError, match="took more"),
    ):
        worker(bytes(5_000_000), "a.txt")


@pytest.mark.parametrize(
    ("what", "reason"),
    [("bug", "ZeroDivisionError: oops"), ("long", "more than 1,000 characters")],
)
def test_a_reader_that_fails_keeps_its_child(worker: ReadWorker, what: str, reason: str) -> None:
    first = worker(b"pid", "a").text
    with pytest.raises(ReadError, match=reason):
        worker(what.encode(), "bad.txt")
    assert worker(b"pid", "b").text == first


def test_what_libraries_print_does_not_reach_the_reply(worker: ReadWorker) -> None:
    assert worker(b"print", "a").text == "fine"


def test_a_missing_extra_is_told_apart(worker: ReadWorker) -> None:
    with pytest.raises(MissingExtraError, match=r"upheld\[readers\]"):
        worker(b"extra", "a.pdf")


def test_a_file_that_is_too_large_is_not_sent(worker: ReadWorker) -> None:
    with pytest.raises(ReadError, match=r"larger than 10,000 bytes"):
        worker(bytes(10_001), "a.txt")


def test_the_child_sees_no_secrets(worker: ReadWorker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    names = worker(b"environment", "a").text.split()
    assert "PATH" in names
    assert "OPENAI_API_KEY" not in names


def test_a_closed_worker_leaves_no_process(worker: ReadWorker) -> None:
    pid = int(worker(b"pid", "a").text)
    worker.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def hanging(worker: ReadWorker, began: Path) -> asyncio.Task[ReadDocument]:
    """A file that is being read, for as long as it may be."""
    reading = asyncio.create_task(in_reading_thread(worker, b"hang", "a.txt"))
    while not began.exists():  # noqa: ASYNC110, ASYNC240 - another process makes it
        await asyncio.sleep(0.01)
    return reading


@pytest.fixture
def began(tmp_path: Path) -> Path:
    return tmp_path / "began"


@pytest.fixture
def patient(began: Path) -> Iterator[ReadWorker]:
    """Two children, with a minute for each file."""
    noted = BAD_READER.replace("time.sleep(60)", f"open({str(began)!r}, 'w'); time.sleep(60)")
    with ReadWorker(command=(sys.executable, "-c", noted), at_once=2) as worker:
        yield worker


async def test_closing_does_not_wait_for_a_file_that_is_being_read(
    patient: ReadWorker, began: Path
) -> None:
    reading = await hanging(patient, began)
    asked = time.monotonic()
    patient.close()
    with pytest.raises(ReadError, match=r"a\.txt .*closed"):
        await reading
    assert time.monotonic() - asked < 30
    assert patient(b"anything", "b.txt").text == "fine"


async def test_several_files_are_read_at_once(patient: ReadWorker, began: Path) -> None:
    reading = await hanging(patient, began)
    first, second = patient(b"pid", "b").text, patient(b"pid", "c").text
    assert first == second  # it is kept
    assert not reading.done()
    patient.close()
    with pytest.raises(ReadError):
        await reading


async def test_slow_files_keep_no_other_thread_busy() -> None:
    go = threading.Event()
    slow = [asyncio.create_task(in_reading_thread(go.wait, 60)) for _ in range(64)]
    await asyncio.sleep(0)
    assert await asyncio.to_thread(lambda: "at once") == "at once"
    assert not any(each.done() for each in slow)
    go.set()
    assert all(await asyncio.gather(*slow))


def test_real_readers_run_in_the_child() -> None:
    with ReadWorker() as worker:
        pdf = worker(make_pdf([["One."], ["Two."]]), "ä 中.pdf")
        assert (pdf.text, pdf.pages) == ("One.\n\nTwo.", (0, 6))
        markdown = worker("# Ünï 😀\n\nBody.".encode(), "a.md")
        assert [(h.start, h.level, h.title) for h in markdown.headings] == [(0, 1, "Ünï 😀")]
        assert "Words." in worker(make_docx([("Normal", "Words.")]), "a.docx").text
        with pytest.raises(ReadError, match="is encrypted") as caught:
            worker(make_pdf([["x"]], password="pw"), "a.pdf")
        assert "password" in caught.value.help
        large = "A sentence of the large file. " * 100_000
        assert worker(large.encode(), "large.txt").text == large


def test_a_name_that_is_not_unicode_is_carried(tmp_path: Path) -> None:
    with ReadWorker() as worker:
        assert worker(b"text", os.fsdecode(b"\xff.txt")).text == "text"

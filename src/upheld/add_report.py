"""What `add` reports: its progress while it runs, and counts and failures when it is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an `add` has come; `passages` counts those written by this call.

    Example::

        def show(progress: Progress) -> None:
            print(f"{progress.files} of {progress.files_total} files")

        await kb.add("examples/documents", progress=show)
    """

    files: int = 0
    files_total: int = 0
    bytes: int = 0
    bytes_total: int = 0
    passages: int = 0
    reading: tuple[str, ...] = ()  # names of the files that are being read now
    # Embedded but not yet written: a progress bar moves during a large file, not only after it.
    bytes_begun: int = 0
    passages_begun: int = 0


Tell = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Failure:
    """A file or folder that could not be read, and why.

    Example::

        for failure in kb.add("examples/documents").failed:
            print(failure.path, failure.reason)
    """

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class HiddenText:
    """A file with text that a reader cannot see, such as white on white; it was left out.

    Example::

        for hidden in kb.add("examples/documents").hidden:
            print(f"{hidden.characters} hidden characters in {hidden.path}")
    """

    path: str
    characters: int  # without white space


@dataclass(frozen=True, slots=True)
class AddReport:
    """What an `add` did; counts are of documents.

    Example::

        report = kb.add("examples/documents")
        print(report.added, report.changed, report.unchanged, report.failed)
    """

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    deleted: int = 0
    skipped: int = 0  # hidden, or of a format that has no reader
    failed: tuple[Failure, ...] = ()  # files that could not be read
    hidden: tuple[HiddenText, ...] = ()  # files added or changed that hide text
    unlisted: tuple[Failure, ...] = ()  # folders that could not be listed
    deleted_uris: tuple[str, ...] = ()  # documents that were deleted because their file is gone
    # Documents whose file is gone but that were not deleted, as a safeguard, and the reason.
    not_deleted_uris: tuple[str, ...] = ()
    not_deleted_because: str = ""
    passages: int = 0
    seconds: float = 0.0

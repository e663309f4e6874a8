"""What an `add` tells while it runs and when it is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an `add` has come; passages are those written in this run."""

    files: int = 0
    files_total: int = 0
    bytes: int = 0
    bytes_total: int = 0
    passages: int = 0
    reading: tuple[str, ...] = ()  # names of the files that are being read now
    # Embedded but not yet written: so that a large file moves the bar before it is done.
    bytes_begun: int = 0
    passages_begun: int = 0


Tell = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Failure:
    """A file or folder that could not be read, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class HiddenText:
    """A file that hides text from its readers; that text was left out."""

    path: str
    characters: int  # white space apart


@dataclass(frozen=True, slots=True)
class AddReport:
    """What an `add` did, in documents."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    deleted: int = 0
    skipped: int = 0  # hidden, or of a format that has no reader
    failed: tuple[Failure, ...] = ()  # files that could not be read
    hidden: tuple[HiddenText, ...] = ()  # files added or changed that hide text
    unlisted: tuple[Failure, ...] = ()  # folders that could not be listed
    deleted_uris: tuple[str, ...] = ()  # documents that were deleted because their file is gone
    # Documents whose file is gone too, but that were not deleted, and why.
    not_deleted_uris: tuple[str, ...] = ()
    not_deleted_because: str = ""
    passages: int = 0
    seconds: float = 0.0

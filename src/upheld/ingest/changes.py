"""What is new, changed or gone, by comparing files with what the index acknowledges.

A share that is not mounted, a folder without permission and a disk with errors all look like files
that are gone. Deleting is therefore the last thing a run does, only if everything could be listed,
and only a few documents unless the caller agrees (`prune`).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote_to_bytes

from upheld.add_report import AddReport
from upheld.ingest.walk import Found
from upheld.types import DocumentInfo, content_hash

_THREADS = 8  # they wait for the disk, and hashing lets go of the interpreter


@dataclass(frozen=True, slots=True)
class File:
    """A file that was found, and what the index knows of it."""

    path: Path
    uri: str
    size: int
    known: DocumentInfo | None


@dataclass(frozen=True, slots=True)
class Changes:
    """Files to read, and files to leave alone."""

    to_read: tuple[File, ...]
    unchanged: tuple[File, ...]

    @property
    def files(self) -> int:
        return len(self.to_read) + len(self.unchanged)

    @property
    def bytes(self) -> int:
        return sum(file.size for file in (*self.to_read, *self.unchanged))


def compare(
    found: Found, known: Iterable[DocumentInfo], ingest_version: str, labels: frozenset[str] | None
) -> Changes:
    """A file is unchanged if its bytes, its labels and all that made its passages are.

    Labels that are not given are those that the document has.
    """
    by_uri = {info.uri: info for info in known}

    def look(path: Path) -> tuple[File, bool]:
        uri = path.as_uri()
        info = by_uri.get(uri)
        try:
            size = path.stat().st_size
            same = (
                info is not None
                and info.ingest_version == ingest_version
                and labels in (None, info.labels)
                and info.source_hash == content_hash(path.read_bytes())
            )
        except OSError:
            return File(path, uri, 0, info), False  # reading it will say what is wrong
        return File(path, uri, size, info), same

    with ThreadPoolExecutor(_THREADS) as threads:
        looked = list(threads.map(look, found.files))
    return Changes(
        to_read=tuple(file for file, same in looked if not same),
        unchanged=tuple(file for file, same in looked if same),
    )


# A run may delete this many documents of a root, or a tenth of them, without being told to.
FEW = 10
SHARE = 0.1


def find_gone(found: Found, known: Iterable[DocumentInfo]) -> tuple[DocumentInfo, ...]:
    """Documents from below the roots of a run that were not found, and have no file any more.

    The file system is asked about each one again: a file that was passed over (hidden, or a link
    out of the folder) or saved anew during the walk is not gone. Raises `OSError` if it cannot say.
    """
    roots = tuple(_below(folder) for folder in (*found.folders, *found.missing))
    here = {path.as_uri() for path in found.files}
    alone = {path.as_uri() for path in found.missing}
    return tuple(
        info
        for info in known
        if (info.uri.startswith(roots) or info.uri in alone)
        and info.uri not in here
        and _is_gone(info)
    )


def why_not(
    found: Found,
    known: Sequence[DocumentInfo],
    gone: Sequence[DocumentInfo],
    report: AddReport,
    *,
    prune: bool,
) -> str:
    """Why these documents may not be deleted in this run; empty if they may."""
    if found.unlisted:
        return f"{found.unlisted[0].path} {found.unlisted[0].reason}"
    if prune:
        return ""
    if report.failed:
        return f"{report.failed[0].path} could not be read"
    return next(_too_many(found, known, gone), "")


def _too_many(
    found: Found, known: Sequence[DocumentInfo], gone: Sequence[DocumentInfo]
) -> Iterator[str]:
    for root in (*found.folders, *found.missing):
        below = _below(root)
        lost = sum(info.uri.startswith(below) for info in gone)
        had = sum(info.uri.startswith(below) for info in known)
        if lost and lost == had:
            yield f"no document of {root} was found"
        elif lost > FEW and lost > SHARE * had:
            yield f"{lost} of {had} documents of {root} were not found"
    for folder in found.empty:
        if any(info.uri.startswith(_below(folder)) for info in gone):
            yield f"{folder} is empty, as a share is that is not mounted"


def _below(folder: Path) -> str:
    return folder.as_uri().rstrip("/") + "/"


def _is_gone(info: DocumentInfo) -> bool:
    path = os.fsdecode(unquote_to_bytes(info.uri.removeprefix("file://")))
    try:
        return not stat.S_ISREG(Path(path).stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True

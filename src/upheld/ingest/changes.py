"""Find new, changed and deleted files by comparing them with the documents in the index.

A network share that is not mounted, a folder without permission and a disk with errors all look
like deleted files. So deletion is the last step of a run, happens only if everything could be
listed, and only for a few documents unless the caller agrees (`prune`).
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

_THREADS = 8  # they wait for the disk, and hashing releases the interpreter lock


@dataclass(frozen=True, slots=True)
class File:
    """A file, and its document in the index, if there is one."""

    path: Path
    uri: str
    size: int
    known: DocumentInfo | None


@dataclass(frozen=True, slots=True)
class Changes:
    """Files to read, and files that are unchanged."""

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
    """Compare bytes, labels and ingest version of each file with its indexed document.

    If `labels` is None, labels are not compared, since documents keep theirs.
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
            return File(path, uri, 0, info), False  # reading it will report the error
        return File(path, uri, size, info), same

    with ThreadPoolExecutor(_THREADS) as threads:
        looked = list(threads.map(look, found.files))
    return Changes(
        to_read=tuple(file for file, same in looked if not same),
        unchanged=tuple(file for file, same in looked if same),
    )


# Without `prune`, a run may delete this many documents of a root, or a tenth of them.
FEW = 10
SHARE = 0.1


def find_gone(found: Found, known: Iterable[DocumentInfo]) -> tuple[DocumentInfo, ...]:
    """Return the documents below the roots of a run whose files no longer exist.

    Each missing file is looked up again: one that was skipped (hidden, or a link out of the folder)
    or saved again during the walk is not gone. Raises `OSError` if the lookup fails.
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
    """Return why these documents must not be deleted in this run; empty if they may."""
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

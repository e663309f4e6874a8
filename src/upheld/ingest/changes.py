"""What is new or changed, by comparing files with what the index acknowledges."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

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
    found: Found, known: Iterable[DocumentInfo], pipeline: str, labels: frozenset[str] | None
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
                and info.pipeline == pipeline
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

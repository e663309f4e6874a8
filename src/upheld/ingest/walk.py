"""Which files a path stands for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from upheld.errors import NotFoundError
from upheld.ingest.read import SUFFIXES


@dataclass(frozen=True, slots=True)
class Found:
    """Files to read, folders that were looked through, and how many files were passed over."""

    files: tuple[Path, ...]
    folders: tuple[Path, ...]
    skipped: int


def find_files(paths: Iterable[Path]) -> Found:
    """Files as given, and those under folders that have a reader; in order, each once.

    Hidden files are passed over, and links are not followed out of the folder that was given.
    """
    files: dict[Path, None] = {}
    folders: list[Path] = []
    skipped = 0
    for path in paths:
        if path.is_dir():
            folder = path.resolve()
            folders.append(folder)
            for file in _walk(folder):
                if file.suffix.lower() in SUFFIXES and _inside(file, folder):
                    files[file] = None
                else:
                    skipped += 1
        elif path.exists():
            files[path.parent.resolve() / path.name] = None
        else:
            raise NotFoundError(f"{path} does not exist")
    return Found(tuple(files), tuple(folders), skipped)


def _walk(folder: Path) -> Iterator[Path]:
    for where, inner, names in os.walk(folder):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith("."):
                yield Path(where, name)


def _inside(file: Path, folder: Path) -> bool:
    return not file.is_symlink() or (file.resolve().is_relative_to(folder) and file.is_file())

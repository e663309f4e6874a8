"""Find the files below given paths, and report what could not be listed.

A folder that cannot be listed looks empty if the error is ignored, and an empty folder means "all
its documents are gone". So errors are part of the result.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from upheld.add_report import Failure
from upheld.errors import NotFoundError
from upheld.ingest.read import SUFFIXES


@dataclass(frozen=True, slots=True)
class Found:
    """Files to read, folders that were walked, and the number of files skipped."""

    files: tuple[Path, ...]
    folders: tuple[Path, ...]
    skipped: int
    unlisted: tuple[Failure, ...] = ()  # paths that could not be listed or read
    empty: tuple[Path, ...] = ()  # without a visible entry, such as an unmounted share
    missing: tuple[Path, ...] = ()  # given paths that do not exist


@dataclass(slots=True)
class _Walk:
    """The state of a walk."""

    files: dict[Path, None] = field(default_factory=dict)
    folders: list[Path] = field(default_factory=list)
    skipped: int = 0
    unlisted: list[Failure] = field(default_factory=list)
    empty: list[Path] = field(default_factory=list)
    missing: list[Path] = field(default_factory=list)

    def look_at(self, path: Path) -> None:
        """Add a given path: a folder with everything below it, a file, or a missing path."""
        try:
            is_folder = stat.S_ISDIR(path.stat().st_mode)
        except FileNotFoundError:
            self.missing.append(path.resolve())
        except OSError as error:
            self.unlisted.append(_failure(path, error))
        else:
            if is_folder:
                self.folders.append(path.resolve())
                self.walk(path.resolve())
            else:
                self.files[path.parent.resolve() / path.name] = None

    def walk(self, top: Path) -> None:
        """Add the files of a folder in order, then those of its subfolders."""
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            inner: list[Path] = []
            try:
                with os.scandir(folder) as listed:
                    entries = sorted(listed, key=lambda entry: entry.name)
            except OSError as error:
                self.unlisted.append(_failure(folder, error))
                continue
            visible = [entry for entry in entries if not entry.name.startswith(".")]
            if not visible:
                self.empty.append(folder)
            for entry in visible:
                path = folder / entry.name
                try:
                    if entry.is_dir(follow_symlinks=False):
                        inner.append(path)
                    elif entry.is_symlink() and os.path.isdir(entry):  # noqa: PTH112 - never raises
                        pass  # a link to a folder is not followed
                    elif path.suffix.lower() not in SUFFIXES or not _is_ours(entry, top):
                        self.skipped += 1
                    else:
                        self.files[path] = None
                except OSError as error:
                    self.unlisted.append(_failure(path, error))
            waiting.extend(reversed(inner))


def find_files(paths: Iterable[Path], *, allow_missing: bool = False) -> Found:
    """Return given files, and files below given folders that have a reader; in order, each once.

    Hidden files are skipped, and links out of a given folder are not followed. Paths that cannot be
    listed are in `unlisted`. A path that does not exist raises `NotFoundError`, or is in `missing`
    with `allow_missing`.
    """
    walk = _Walk()
    for path in paths:
        walk.look_at(path)
        if walk.missing and not allow_missing:
            raise NotFoundError(
                f"{path} does not exist. Nothing was indexed or deleted.",
                help="If the documents that were indexed from it are to go, prune=True.",
            )
    return Found(
        files=tuple(walk.files),
        folders=tuple(walk.folders),
        skipped=walk.skipped,
        unlisted=tuple(walk.unlisted),
        empty=tuple(walk.empty),
        missing=tuple(walk.missing),
    )


def _is_ours(entry: os.DirEntry[str], top: Path) -> bool:
    """Return whether an entry is a file, or a link to one inside the same top folder."""
    if not entry.is_symlink():
        return True
    return Path(os.path.realpath(entry)).is_relative_to(top) and Path(entry).is_file()


def _failure(path: Path, error: OSError) -> Failure:
    return Failure(str(path), f"cannot be looked at: {error.strerror or error}")

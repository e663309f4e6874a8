"""A key-value cache in one SQLite file, safe for several threads and processes.

cache = DiskCache[str](user_cache_folder() / "calls.sqlite3", "calls")
cache.put({"a": "one"})
cache.get(["a", "b"])  # {"a": "one"}
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    import sqlite3

Value = TypeVar("Value", str, bytes)

_LOCK_TIMEOUT_SECONDS = 30.0  # how long one process waits for the write of another


def user_cache_folder() -> Path:
    """Return the user's folder for Upheld's caches; raise `OSError` without a home folder."""
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "upheld"
    except RuntimeError as error:
        raise FileNotFoundError("no home folder") from error


@dataclass(frozen=True)
class DiskCache(Generic[Value]):
    """A table of an SQLite file, created on first use; `OSError` if the file cannot be used.

    Every call opens its own connection, so there is nothing to share between threads or to close.
    """

    path: Path
    table: str

    def get(self, keys: Iterable[str]) -> dict[str, Value]:
        """Return the values of these keys; keys without a value are left out."""
        found: dict[str, Value] = {}
        with self._opened() as db:
            for key in keys:
                row = db.execute(f"SELECT * FROM {self.table} WHERE key = ?", (key,)).fetchone()  # noqa: S608  (our own name)
                if row is not None:
                    found[key] = row[1]
        return found

    def put(self, values: Mapping[str, Value]) -> None:
        """Store values in one transaction; values of the same keys are replaced."""
        with self._opened() as db, db:
            db.executemany(f"INSERT OR REPLACE INTO {self.table} VALUES (?, ?)", values.items())  # noqa: S608  (our own name)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        import sqlite3

        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            with closing(sqlite3.connect(self.path, timeout=_LOCK_TIMEOUT_SECONDS)) as db:
                columns = "key TEXT PRIMARY KEY, value NOT NULL"
                db.execute(f"CREATE TABLE IF NOT EXISTS {self.table} ({columns})")
                yield db
        except sqlite3.Error as error:
            raise OSError(f"cannot use the cache {self.path.name}: {error}") from error

"""The disk cache: values by key, old call caches readable, failures as OSError."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from upheld._internal.disk_cache import DiskCache, user_cache_folder


def test_values_are_found_again_under_their_keys(tmp_path: Path) -> None:
    cache = DiskCache[str](tmp_path / "new/folder/file.sqlite3", "words")
    assert cache.get(["a"]) == {}
    cache.put({"a": "one", "b": "two"})
    cache.put({"b": "zwei"})
    assert DiskCache[str](cache.path, "words").get(["b", "c", "a"]) == {"b": "zwei", "a": "one"}


def test_tables_of_one_file_do_not_mix(tmp_path: Path) -> None:
    DiskCache[str](tmp_path / "file", "words").put({"a": "one"})
    vectors = DiskCache[bytes](tmp_path / "file", "vectors")
    assert vectors.get(["a"]) == {}
    vectors.put({"a": b"\0\1"})
    assert vectors.get(["a"]) == {"a": b"\0\1"}


def test_values_are_stored_all_or_none(tmp_path: Path) -> None:
    cache = DiskCache[str](tmp_path / "file", "words")
    with pytest.raises(OSError, match="cannot use the cache file"):
        cache.put({"a": "one", "b": None})  # type: ignore[dict-item]
    assert cache.get(["a", "b"]) == {}


def test_a_call_cache_of_version_0_1_is_read(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "file")) as db, db:
        db.execute("CREATE TABLE calls (key TEXT PRIMARY KEY, reply TEXT NOT NULL)")
        db.execute("INSERT INTO calls VALUES ('a', 'one')")
    cache = DiskCache[str](tmp_path / "file", "calls")
    cache.put({"b": "two"})
    assert cache.get("ab") == {"a": "one", "b": "two"}


def test_a_file_that_is_no_database_is_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("this is not a database, " * 100)
    with pytest.raises(OSError, match="cannot use the cache file"):
        DiskCache[str](tmp_path / "file", "words").get(["a"])


def test_the_cache_folder_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert user_cache_folder() == tmp_path / "upheld"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert user_cache_folder() == tmp_path / "home/.cache/upheld"

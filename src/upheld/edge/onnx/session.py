"""Open sessions for local models, and compute the digest in each model's identity.

Hashing our three models takes a third of a second of every command, so a digest is cached in the
user's cache folder, under a key made of the file's path, size, times and inode.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from upheld._internal.disk_cache import DiskCache, user_cache_folder
from upheld.types import content_hash


def open_session(model: Path, threads: int) -> Any:
    """Open a session with so many threads; 0 means one per physical core."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    # Threads that spin while they wait gain nothing here and slow the search beside them.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def sha256_of(path: Path) -> str:
    """Return the hexadecimal digest; raises `OSError` if the file cannot be read."""
    key = _file_key(path)
    with suppress(OSError):
        known = _digests().get([key]).get(key)
        if known is not None:
            return known
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    with suppress(OSError):
        if key == _file_key(path):  # otherwise the file changed meanwhile
            _digests().put({key: digest})
    return digest


def _digests() -> DiskCache[str]:
    return DiskCache(user_cache_folder() / "digests.sqlite3", "digests")


def _file_key(path: Path) -> str:
    """Return a key that changes when the file does."""
    status = path.stat()
    times = f"{status.st_mtime_ns} {status.st_ctime_ns}"
    named = f"{path.resolve()} {status.st_size} {times} {status.st_dev} {status.st_ino}"
    return content_hash(os.fsencode(named))

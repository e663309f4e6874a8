"""How our local models run, and the digest that names each.

Hashing our three models takes a third of a second of every command, so a digest is remembered in
the user's cache folder, under a name made of the file's path, size, times and inode.
"""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from upheld.types import new_id


def open_session(model: Path, threads: int) -> Any:
    """A session on so many threads; 0 takes one for each physical core."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    # Threads that spin while they wait gain nothing here and starve the search beside them.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


_DIGEST = re.compile(r"[0-9a-f]{64}")


def sha256_of(path: Path) -> str:
    """The digest as hexadecimal digits; raises `OSError` if the file cannot be read."""
    note = _note(path)
    if note is not None:
        with suppress(OSError, ValueError):
            known = note.read_text(encoding="ascii")
            if _DIGEST.fullmatch(known):
                return known
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if note is not None and note == _note(path):  # else the file changed meanwhile
        with suppress(OSError):
            note.parent.mkdir(parents=True, exist_ok=True)
            whole = note.with_name(new_id())
            whole.write_text(digest, encoding="ascii")
            whole.replace(note)  # readers see all of it or nothing
    return digest


def _note(path: Path) -> Path | None:
    """Where the digest of this very file is remembered; None without a home folder."""
    try:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:
        return None
    status = path.stat()
    times = f"{status.st_mtime_ns} {status.st_ctime_ns}"
    named = f"{path.resolve()} {status.st_size} {times} {status.st_dev} {status.st_ino}"
    return folder / "upheld" / "digests" / hashlib.sha256(os.fsencode(named)).hexdigest()[:32]

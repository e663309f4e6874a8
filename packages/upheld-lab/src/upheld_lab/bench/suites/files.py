"""Files of the data pack beyond its corpus: found, hashed, and their texts made passages."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from upheld.errors import NotFoundError
from upheld.types import Passage, content_hash


def pack_file(data: Path, name: str) -> Path:
    """A file of the pack; raises NotFoundError where it is absent."""
    path = data / name
    if not path.is_file():
        raise NotFoundError(
            f"There is no {name} under {data}.", help="--data is the folder of the data pack."
        )
    return path


def hashes_of(paths: Iterable[Path]) -> dict[str, str]:
    """The hash of each file by its name, for the manifest."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def whole(path: Path) -> Any:
    """The content of a gzipped JSON file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def passage(set: str, text: str, title: str = "") -> Passage:
    """A text as a document of its own; its words name it, so that a text given twice is one."""
    text = text.strip()
    version = content_hash(text)
    id = f"{set}/{version[:16]}"
    return Passage(id, text, id, version, 0, len(text), title=title)

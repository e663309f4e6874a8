"""A premise with a claim, as the model reads them."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from upheld.training.verifier.labels import Label


@dataclass(frozen=True, slots=True)
class Pair:
    """One training row; `document` is what must not stand on both sides of a split."""

    premise: str
    claim: str
    label: Label
    source: str
    document: str


def premise(title: str, text: str, heading: str = "") -> str:
    """Title, heading and text on lines of their own: what the verify stage sends."""
    return "\n".join(part for part in (title, heading, text) if part)


def lot(salt: str, key: str) -> float:
    """A number from 0 to 1 that depends on the two strings only."""
    digest = hashlib.sha256(f"{salt}:{key}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def for_training(document: str) -> bool:
    """Whether a document of a dev file trains; the others calibrate."""
    return lot("dev half", document) < 0.5


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a gzipped file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)

"""Claims with their sources and what a careful reader says of them: tests/data/verify_pairs.jsonl.

All are written for these tests, by hand. A pair's kind says how an answer is right or errs in it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from upheld.types import Passage, Support, content_hash

FILE = Path(__file__).parent / "data" / "verify_pairs.jsonl"


@dataclass(frozen=True, slots=True)
class VerifyPair:
    """One claim, the passages at hand, and the verdict that it should get."""

    id: str
    kind: str
    expected: Support
    claim: str
    sources: tuple[Passage, ...]

    @property
    def answer(self) -> str:
        """The claim as an answer gives it: it cites the first source, rightly or wrongly."""
        return f"{self.claim} [1]"


def read_pairs() -> tuple[VerifyPair, ...]:
    """All of them, in the order of the file."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return tuple(_pair(json.loads(line)) for line in lines)


def _pair(row: dict[str, Any]) -> VerifyPair:
    sources = (_passage(f"{row['id']}.{n}", each) for n, each in enumerate(row["sources"], start=1))
    expected = Support(row["expected"])
    return VerifyPair(row["id"], row["kind"], expected, row["claim"], tuple(sources))


def _passage(name: str, source: dict[str, str]) -> Passage:
    text = source["text"]
    title = source.get("title", "")
    return Passage(name, text, name, content_hash(text), 0, len(text), title=title)

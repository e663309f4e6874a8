"""What one document may cost to read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """A document that goes beyond one of these is reported, and the rest go on."""

    file_bytes: int = 100_000_000
    text_characters: int = 20_000_000
    seconds: float = 60.0
    memory_bytes: int = 2_000_000_000  # of the reading process, libraries included

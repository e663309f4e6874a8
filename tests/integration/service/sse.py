"""Server-sent events, read as a client reads them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Sent:
    name: str
    data: dict[str, Any]


def events(text: str) -> list[Sent]:
    """All events of a body; comments are for proxies."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if line and line[0] != ":")
        if fields:
            found.append(Sent(fields["event"], json.loads(fields["data"])))
    return found

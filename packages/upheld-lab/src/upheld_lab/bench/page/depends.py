"""What a run's figures depend on, as a reader wants to see it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def facts(manifest: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What a reader asks first: which data, which models, which commit, which machine."""
    told = {
        "split": manifest.get("split"),
        "language model": manifest.get("llm") or "none: sentences are quoted",
        **manifest.get("models", {}),
        "scorer": manifest.get("scored_by", {}).get("scorer") or "none",
        "commit": manifest.get("commit", "")[:12],
        "date": manifest.get("date", "")[:10],
        "machine": manifest.get("machine", {}).get("processor"),
    }
    return ((name, str(value)) for name, value in told.items() if value)


def flat(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """A manifest as lines: nested names are joined by a point."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from flat(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list | tuple):
        yield name, ", ".join(map(str, value))
    else:
        yield name, str(value)

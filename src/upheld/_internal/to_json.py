"""Convert Upheld's dataclasses to JSON data, for `--json` and for HTTP responses."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any
from uuid import UUID

_AS_THEY_ARE = frozenset({str, int, float, bool, type(None)})


def to_json(value: Any) -> Any:
    """Convert a value to dicts, lists and scalars; sets are sorted, so that output is stable."""
    if type(value) in _AS_THEY_ARE:  # a fast path for most of an answer's hundreds of values
        return value
    if (names := _fields(type(value))) is not None:  # type: ignore[arg-type]  # types do have a hash
        return {key: to_json(getattr(value, name)) for key, name in names}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, frozenset | set):
        return sorted(to_json(each) for each in value)
    if isinstance(value, tuple | list):
        return [to_json(each) for each in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, dict):
        return {str(key): to_json(each) for key, each in value.items()}
    return value


@cache
def _fields(kind: type) -> tuple[tuple[str, str], ...] | None:
    """Return pairs of JSON key and attribute of a dataclass, else None.

    A field that was renamed has a second key, its deprecated name.
    """
    if not is_dataclass(kind):
        return None
    own = [(field.name, field.name) for field in fields(kind)]
    old = [
        (field.metadata["deprecated_name"], field.name)
        for field in fields(kind)
        if "deprecated_name" in field.metadata
    ]
    return (*own, *old)

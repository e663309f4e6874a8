"""Values as plain data: what `--json` prints and what goes over HTTP."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any
from uuid import UUID

_AS_THEY_ARE = frozenset({str, int, float, bool, type(None)})


def to_json(value: Any) -> Any:
    """A value of ours as dicts, lists and scalars; sets are sorted, so equal values print equal."""
    if type(value) in _AS_THEY_ARE:  # most are, and every answer has hundreds
        return value
    if (names := _fields(type(value))) is not None:  # type: ignore[arg-type]  # types do have a hash
        return {name: to_json(getattr(value, name)) for name in names}
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
def _fields(kind: type) -> tuple[str, ...] | None:
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else None

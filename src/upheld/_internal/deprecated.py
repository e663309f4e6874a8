"""Names of 0.1 that version 0.2 still takes, all in one place; 0.3 drops them.

Each table maps the old name to the new one. The test of the vocabulary reads these tables, so that
an old name is allowed here and nowhere else.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from typing import Any

ASK = {"strict": "keep_supported"}  # argument of `ask`, field of `POST /v1/answers`, flag
CLAIM = {"bearing": "relevance"}  # field of claims, also in answers that are stored
SETTINGS = {"wider": "fallback_search"}  # `upheld.toml`, `UPHELD_*`, arguments of `open`
PARAMETERS = {  # of methods: `--set` and `parameters`
    "wider": "fallback_search",
    "on_point": "relevance_gate",
    "rivals": "detect_conflicts",
}


class DuplicateNameError(ValueError):
    """A value is given by its old name and by its new one."""


def renamed(values: Mapping[str, Any], names: Mapping[str, str], what: str) -> dict[str, Any]:
    """The values under their new names; warns of old ones, and refuses both for one thing.

    >>> renamed({"wider": "archive"}, SETTINGS, "the setting")
    {'fallback_search': 'archive'}
    """
    found: dict[str, Any] = {}
    for name, value in values.items():
        new = names.get(name, name)
        if new != name:
            warn(f"{what} '{name}' is deprecated: it is '{new}' now, and the old name goes in 0.3")
        if new in found:
            raise DuplicateNameError(f"'{new}' is given twice, once by the name of 0.1")
        found[new] = value
    return found


def warn(message: str) -> None:
    """A `DeprecationWarning` that names the line outside Upheld which uses the old name."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("upheld."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, DeprecationWarning, stacklevel=level)


def add_deprecated_names(schema: dict[str, Any]) -> None:
    """Show the old names of a claim's fields in its JSON schema, marked as deprecated."""
    for old, new in CLAIM.items():
        note = {"deprecated": True, "description": f"Deprecated: the same as `{new}`."}
        schema["properties"][old] = {**schema["properties"][new], "title": old.title(), **note}


def with_new_names(body: dict[str, Any]) -> dict[str, Any]:
    """A stored answer with the field names of this version; those of 0.1 stay beside them."""
    claims = [
        {**claim, **{new: claim[old] for old, new in CLAIM.items() if old in claim}}
        for claim in body.get("claims", ())
    ]
    return {**body, "claims": claims}

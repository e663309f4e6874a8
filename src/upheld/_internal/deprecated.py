"""Names of version 0.1 that 0.2 still accepts, with a warning; 0.3 removes them.

Each table maps the old name to the new one. `scripts/check_vocabulary.py` allows old names here.
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
    """A value is given twice: by its deprecated name and by its new one."""


def renamed(values: Mapping[str, Any], names: Mapping[str, str], what: str) -> dict[str, Any]:
    """Return the values under their new names; warn for each deprecated name.

    Raises `DuplicateNameError` if a value has both names.

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
    """Issue a `DeprecationWarning` for the first calling line outside of Upheld."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("upheld."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, DeprecationWarning, stacklevel=level)


def add_deprecated_names(schema: dict[str, Any]) -> None:
    """Add the deprecated names of a claim's fields to its JSON schema."""
    for old, new in CLAIM.items():
        note = {"deprecated": True, "description": f"Deprecated: the same as `{new}`."}
        schema["properties"][old] = {**schema["properties"][new], "title": old.title(), **note}


def with_new_names(body: dict[str, Any]) -> dict[str, Any]:
    """Return a stored answer with the new field names added; those of 0.1 remain as well."""
    claims = [
        {**claim, **{new: claim[old] for old, new in CLAIM.items() if old in claim}}
        for claim in body.get("claims", ())
    ]
    return {**body, "claims": claims}

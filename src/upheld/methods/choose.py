"""A method's name and what was asked of it become parameters, or an error that says what to do."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from pydantic import ValidationError

from upheld.errors import UsageError
from upheld.methods.parameters import Parameters
from upheld.methods.registry import METHODS, Entry, Values

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


def entry(name: str) -> Entry:
    """A method's line; raises UsageError with what there is."""
    if name in METHODS:
        return METHODS[name]
    close = difflib.get_close_matches(name, METHODS, n=1)
    hint = f"Did you mean {close[0]}?" if close else f"There are: {', '.join(METHODS)}."
    raise UsageError(f"There is no method '{name}'.", help=hint)


def parameters(
    name: str, given: Values, *, preset: str | None = None, settings: Values | None = None
) -> Parameters:
    """What a method runs with: its defaults, the settings, a preset and what was given, in turn."""
    known = entry(name)
    if preset is not None and preset not in known.presets:
        there = ", ".join(known.presets) or "none"
        raise UsageError(f"{name} has no preset '{preset}'.", help=f"There are: {there}.")
    chosen = {} if preset is None else known.presets[preset]
    try:
        return known.parameters.model_validate({**(settings or {}), **chosen, **given})
    except ValidationError as error:
        fields = ", ".join(known.parameters.model_fields)
        wrong = "; ".join(_fault(each, known) for each in error.errors(include_input=False))
        raise UsageError(
            f"{name} cannot be set so: {wrong}", help=f"It can be told: {fields}."
        ) from error


def _fault(fault: ErrorDetails, known: Entry) -> str:
    name = ".".join(map(str, fault["loc"]))
    if fault["type"] != "extra_forbidden":
        return f"{name}: {fault['msg']}" if name else fault["msg"]
    close = difflib.get_close_matches(name, known.parameters.model_fields, n=1)
    return f"there is no '{name}'" + (f", did you mean '{close[0]}'?" if close else "")


def label(name: str, chosen: Parameters, settings: Values) -> str:
    """The method's name with all that was changed: answers of two labels do not compare."""
    usual = parameters(name, {}, settings=settings).model_dump(mode="json")
    now = chosen.model_dump(mode="json")
    changed = {key: value for key, value in now.items() if value != usual[key]}
    told = ", ".join(f"{key}={value}" for key, value in changed.items())
    return f"{name}({told})" if told else name

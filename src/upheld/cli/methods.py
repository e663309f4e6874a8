"""`upheld methods`: what there is, from which paper, what each can be told and costs."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from upheld.cli import options, show
from upheld.methods.registry import METHODS, Entry, entry, parameters


def methods(
    explain: Annotated[
        str | None,
        typer.Option("--explain", metavar="NAME", help="Draw one method's stages."),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """List the methods, their papers, parameters and calls of the language model.

    Examples:

        upheld methods

        upheld methods --explain crag

        upheld ask "Who keeps the keys?" --method fave --set sessions=4 --set select=r_d
    """
    if as_json:
        names = METHODS if explain is None else [explain]
        show.print_json({name: _plain(name, entry(name)) for name in names})
    elif explain is not None:
        _explain(explain, entry(explain))
    else:
        _list()


def _list() -> None:
    table = Table("method", "paper", "calls of the language model", box=None, pad_edge=False)
    for name, known in METHODS.items():
        table.add_row(Text(name, style="bold"), Text(known.paper), Text(known.calls))
    show.out.print(table)
    show.out.print(Text("\nK rounds of refinement, N sub-questions, S sessions of FaVe."))
    show.out.print(Text("upheld methods --explain NAME draws one and lists its parameters."))


def _explain(name: str, known: Entry) -> None:
    show.out.print(Text(known.algorithm), soft_wrap=True)
    table = Table("parameter", "default", "what it does", box=None, pad_edge=False)
    for parameter, default, told in _parameters(name, known):
        table.add_row(Text(parameter, style="bold"), Text(str(default)), Text(told))
    show.out.print(Text("\nSet with --set name=value:"))
    show.out.print(table)
    for preset, values in known.presets.items():
        told = ", ".join(f"{key}={value}" for key, value in values.items())
        show.out.print(Text(f"--preset {preset}: {told}"), soft_wrap=True)
    show.out.print(Text(f"\nCalls of the language model: {known.calls}."))


def _parameters(name: str, known: Entry) -> list[tuple[str, Any, str]]:
    usual = parameters(name, {}).model_dump(mode="json")
    return [
        (field, "as fitted" if usual[field] is None else usual[field], _told(info))
        for field, info in known.parameters.model_fields.items()
    ]


def _told(info: Any) -> str:
    """The description, with the values to choose from where they are few."""
    kind = info.annotation
    if not (isinstance(kind, type) and issubclass(kind, Enum)):
        return str(info.description)
    values = " | ".join(str(each.value) for each in kind)
    return str(info.description) if values in info.description else f"{info.description}: {values}"


def _plain(name: str, known: Entry) -> dict[str, Any]:
    return {
        "paper": known.paper,
        "calls": known.calls,
        "parameters": {
            field: {"default": default, "what": told}
            for field, default, told in _parameters(name, known)
        },
        "presets": {preset: dict(values) for preset, values in known.presets.items()},
        "algorithm": known.algorithm,
    }

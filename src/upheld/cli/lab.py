"""Commands of `upheld-lab`, which is a package of its own: found by entry point, or named here."""

from __future__ import annotations

import importlib
from importlib.metadata import entry_points
from typing import Annotated, Any

import typer
from typer.main import get_command, get_group

from upheld.errors import MissingExtraError

GROUP = "upheld.commands"


def command(name: str) -> Any:
    """The command of that name; without the lab, one that says what to install.

    Each is named like the extra that installs it.
    """
    for found in entry_points(group=GROUP, name=name):
        group = get_group(found.load())
        group.name = name
        return group
    return get_command(_missing(name))


def _missing(name: str) -> typer.Typer:
    """A command that takes whatever it is given, and says that it is not there."""
    app = typer.Typer(rich_markup_mode="rich", add_completion=False)
    taken = {"ignore_unknown_options": True, "help_option_names": []}

    @app.command(
        name, help=f"Not installed: pip install 'upheld\\[{name}]'", context_settings=taken
    )
    def missing(words: Annotated[list[str] | None, typer.Argument(hidden=True)] = None) -> None:
        raise MissingExtraError(f"`upheld {name}`", name)

    return app


def part(module: str) -> Any:
    """A module of the lab that a command of ours uses, or an error that says what to install."""
    try:
        return importlib.import_module(f"upheld_lab.{module}")
    except ModuleNotFoundError as missing:
        raise MissingExtraError("Reading the data pack", "bench", str(missing)) from missing

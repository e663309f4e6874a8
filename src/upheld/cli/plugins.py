"""Commands of other packages (`upheld-service`, `upheld-lab`): found by entry point."""

from __future__ import annotations

import importlib
from typing import Annotated, Any

import typer
from typer.main import get_command, get_group

from upheld.errors import MissingExtraError

GROUP = "upheld.commands"
# The extra that installs each.
EXTRAS = {
    "serve": "serve",
    "worker": "serve",
    "admin": "serve",
    "mcp": "mcp",
    "bench": "bench",
    "train": "train",
    "plan": "bench",
}


def command(name: str) -> Any:
    """The command of that name; without its package, one that says what to install."""
    from importlib.metadata import entry_points  # slow to import, and `ask` needs none of it

    for found in entry_points(group=GROUP, name=name):
        return as_command(name, found.load())
    return get_command(_missing(name))


def as_command(name: str, found: Any) -> Any:
    """A function or a group of functions as a command of that name."""
    if isinstance(found, typer.Typer):
        group = get_group(found)
        group.name = name
        return group
    alone = typer.Typer(rich_markup_mode="rich", add_completion=False)
    alone.command(name)(found)
    return get_command(alone)


def _missing(name: str) -> typer.Typer:
    """A command that takes whatever it is given, and says that it is not there."""
    app = typer.Typer(rich_markup_mode="rich", add_completion=False)
    taken = {"ignore_unknown_options": True, "help_option_names": []}
    extra = EXTRAS[name]

    @app.command(
        name, help=f"Not installed: pip install 'upheld\\[{extra}]'", context_settings=taken
    )
    def missing(words: Annotated[list[str] | None, typer.Argument(hidden=True)] = None) -> None:
        raise MissingExtraError(f"`upheld {name}`", extra)

    return app


def part(module: str) -> Any:
    """A module of the lab that a command of ours uses, or an error that says what to install."""
    try:
        return importlib.import_module(f"upheld_lab.{module}")
    except ModuleNotFoundError as missing:
        raise MissingExtraError("Reading the data pack", "bench", str(missing)) from missing

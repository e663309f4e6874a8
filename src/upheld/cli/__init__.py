"""The command line: `upheld COMMAND`, one file a command, imported when the command is used."""

from __future__ import annotations

import gc
import importlib
import sys
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from upheld.cli.show import complain
from upheld.errors import UpheldError, UsageError
from upheld.version import __version__

# Objects made before the collector looks at the young ones (Python: 700). What imports make stays:
# looking at it so often took a tenth of a cold start.
_COLLECT_AFTER = 20_000

# Where each command is: a module of this package, and the function or the group in it; what comes
# with another package is a plugin.
COMMANDS = {
    "index": ("index", "index"),
    "list": ("documents", "list_documents"),
    "delete": ("documents", "delete"),
    "re-embed": ("re_embed", "re_embed"),
    "ask": ("ask", "ask"),
    "verify": ("verify", "verify"),
    "serve": ("plugins", "serve"),
    "worker": ("plugins", "worker"),
    "methods": ("methods", "methods"),
    "label": ("label", "label"),
    "doctor": ("doctor", "doctor"),
    "mcp": ("plugins", "mcp"),
    "calibrate": ("calibrate", "app"),
    "bench": ("plugins", "bench"),
    "train": ("plugins", "train"),
    "plan": ("plugins", "plan"),
    "admin": ("plugins", "admin"),
}


class _Commands(Mapping[str, Any]):
    """Commands by name, each imported when it is looked up."""

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)

    def __getitem__(self, name: str) -> Any:
        from upheld.cli import plugins

        module, attribute = COMMANDS[name]
        if module == "plugins":
            return plugins.command(name)
        home = importlib.import_module(f"{__name__}.{module}")
        return plugins.as_command(name, getattr(home, attribute))


class LazyGroup(TyperGroup):
    """A group that knows the names of its commands and imports only the one that runs."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        commands: Any = _Commands()
        self.commands = commands

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options of `upheld` itself only if there are any.

        To find that an option was not given, typer imports pydantic: half of the time of a help.
        """
        options, has_help = self.params, self.add_help_option
        if args and not args[0].startswith("-"):
            self.params, self.add_help_option = [], False
        try:
            return super().parse_args(ctx, args)
        finally:
            self.params, self.add_help_option = options, has_help


app = typer.Typer(
    cls=LazyGroup,
    help="Answers from your documents in which every sentence is upheld by a source, or marked.",
    no_args_is_help=True,
    invoke_without_command=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.callback()
def upheld(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True)
    ] = False,
) -> None:
    """Answers from your documents in which every sentence is upheld by a source, or marked."""
    if version:
        typer.echo(__version__)
        raise typer.Exit


def main() -> None:
    """Run the command line; our errors become one clear message and an exit code."""
    gc.set_threshold(_COLLECT_AFTER)
    try:
        app()
    except UsageError as error:
        complain(error)
        sys.exit(2)
    except UpheldError as error:
        complain(error)
        sys.exit(1)
    finally:
        gc.freeze()  # or Python looks through all of it again before it ends: 0.2 s after `ask`

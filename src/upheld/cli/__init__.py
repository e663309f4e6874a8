"""The command line: `upheld COMMAND`, one file a command."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import upheld
from upheld.cli import (
    admin,
    ask,
    bench,
    calibrate,
    doctor,
    documents,
    index,
    label,
    mcp,
    methods,
    serve,
    train,
    verify,
)
from upheld.cli.show import complain
from upheld.errors import UpheldError, UsageError

app = typer.Typer(
    help="Answers from your documents in which every sentence is upheld by a source, or marked.",
    no_args_is_help=True,
    invoke_without_command=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True)
    ] = False,
) -> None:
    """Answers from your documents in which every sentence is upheld by a source, or marked."""
    if version:
        typer.echo(upheld.__version__)
        raise typer.Exit


app.command()(index.index)
app.command("list")(documents.list_documents)
app.command()(documents.delete)
app.command()(ask.ask)
app.command()(verify.verify)
app.command()(serve.serve)
app.command()(serve.worker)
app.command()(methods.methods)
app.command()(label.label)
app.command()(doctor.doctor)
app.command()(mcp.mcp)
app.add_typer(calibrate.app, name="calibrate")
app.add_typer(bench.app, name="bench")
app.add_typer(train.app, name="train")
app.add_typer(admin.app, name="admin")


def main() -> None:
    """Run the command line; our errors become one clear message and an exit code."""
    try:
        app()
    except UsageError as error:
        complain(error)
        sys.exit(2)
    except UpheldError as error:
        complain(error)
        sys.exit(1)

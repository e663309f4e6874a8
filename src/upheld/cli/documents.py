"""`upheld list` and `upheld delete`: what a knowledge base holds, and forgetting some of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Column, Table
from rich.text import Text

from upheld._internal.terminal import on_one_line
from upheld.cli import options, show
from upheld.errors import UsageError
from upheld.types import DocumentInfo


def list_documents(
    kb: options.Kb = None, collection: options.Collection = None, as_json: options.Json = False
) -> None:
    """List the documents of a collection: their ids, titles, labels and how many passages.

    Examples:

        upheld list --kb kb

        upheld list --kb kb --json
    """
    with options.opened(kb, collection=collection) as opened:
        found = sorted(opened.documents(), key=lambda each: each.uri)
    if as_json:
        show.print_json(found)
        return
    # Folded, not cut short: an id or a path is what `upheld delete` is given.
    id, document = Column("id", overflow="fold"), Column("document", overflow="fold")
    table = Table(id, document, "title", "labels", "passages")
    for each in found:
        labels = ", ".join(sorted(each.labels))
        shown = (each.id, each.uri, each.title, labels, str(each.passages))
        table.add_row(*map(on_one_line, shown))
    show.out.print(table)


def delete(
    documents: Annotated[
        list[str], typer.Argument(help="Paths of files, or ids from `upheld list`.")
    ],
    kb: options.Kb = None,
    collection: options.Collection = None,
    as_json: options.Json = False,
) -> None:
    """Delete documents from the index, from its old versions and from storage.

    Files stay where they are; `upheld index` on their folder reads them again.

    Examples:

        upheld delete notes/1869.md --kb kb
    """
    with options.opened(kb, collection=collection) as opened:
        ids = ids_of(documents, opened.documents())
        deleted = opened.delete(ids)
        opened.maintain()
    if as_json:
        show.print_json({"deleted": ids})
    else:
        show.out.print(Text(f"{deleted} deleted", style="green"))


def ids_of(named: Sequence[str], known: Sequence[DocumentInfo]) -> list[str]:
    """The ids of what was named; one that is not there stops it all, for it may be mistyped."""
    ids = {each.uri: each.id for each in known} | {each.id: each.id for each in known}
    ids |= {name: ids[uri] for name in named if (uri := Path(name).absolute().as_uri()) in ids}
    missing = [name for name in named if name not in ids]
    if missing:
        raise UsageError(
            f"There is no document {', '.join(missing)}. Nothing was deleted.",
            help="`upheld list` shows what there is.",
        )
    return list(dict.fromkeys(ids[name] for name in named))

"""Options that several commands share."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from upheld.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from upheld.settings import Settings
    from upheld.sync_client import Upheld


def _folder(given: str | None) -> str | None:
    if given is not None and Path(given).is_file():
        raise typer.BadParameter(f"{given} is a file; a knowledge base is a folder.")
    return given


def _address(given: str | None) -> str | None:
    if given is not None and not given.startswith(("http://", "https://")):
        raise typer.BadParameter(f"{given} is no address: it begins with http:// or https://.")
    return given


def need_service() -> None:
    """Say what to install before anything else is said."""
    try:
        importlib.import_module("upheld_service.app")  # all that the extra brings
    except ImportError as missing:
        raise MissingExtraError("The service", "serve", str(missing)) from missing


def need_paths(paths: Sequence[Path]) -> None:
    """Refuse a path that does not exist before anything is opened."""
    for path in paths:
        try:
            path.stat()
        except FileNotFoundError as missing:
            raise UsageError(
                f"{path} does not exist. Nothing was indexed or deleted.",
                help="If the documents that were indexed from it are to go, add --prune.",
            ) from missing
        except OSError:
            pass  # it is there: the run will say what is wrong with it


def need_collection(settings: Settings) -> None:
    """Refuse a folder that holds no such collection before anything is opened."""
    if "://" not in settings.kb and not Path(settings.kb, settings.collection).is_dir():
        raise _no_documents(settings)


@contextmanager
def opened(kb: str | None, **settings: Any) -> Iterator[Upheld]:
    """A knowledge base that has documents; refused early where a look at the folder is enough."""
    from upheld.settings import load_settings
    from upheld.sync_client import Upheld

    need_collection(load_settings(kb=kb, **settings))
    with Upheld.open(kb, **settings) as found:
        need_documents(found)
        yield found


def need_documents(opened: Upheld) -> None:
    """Nothing can be asked of a collection without documents: say how they come there."""
    if not opened.statistics().documents:
        raise _no_documents(opened.settings)


def _no_documents(settings: Settings) -> UsageError:
    kb, collection = settings.kb, settings.collection
    where = "" if collection == "default" else f" --collection {collection}"
    return UsageError(
        f"There are no documents in {kb}, collection {collection}.",
        help=f"Index some first: upheld index PATH --kb {kb}{where}",
    )


Kb = Annotated[
    str | None,
    typer.Option(
        "--kb",
        help="Knowledge base: a folder or s3://bucket/prefix.",
        show_default="kb",
        callback=_folder,
    ),
]
Collection = Annotated[
    str | None, typer.Option("--collection", help="Collection inside the knowledge base.")
]
On = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="PLACE",
        help="Where to do the work: local (processes of this machine), local:4, ray, or "
        "ray://host:port.",
        show_default="this process; for a batch of answers all of this machine",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, for programs.")]
LlmUrl = Annotated[
    str | None,
    typer.Option(
        "--llm",
        metavar="URL",
        help="An OpenAI-compatible server, ending in /v1.",
        callback=_address,
    ),
]
LlmModel = Annotated[
    str | None, typer.Option("--model", metavar="NAME", help="The model's name on that server.")
]

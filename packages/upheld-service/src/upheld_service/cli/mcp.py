"""`upheld mcp`: a knowledge base as tools for assistants."""

from __future__ import annotations

import asyncio
import logging
from typing import Annotated

import typer
from rich.text import Text

from upheld.cli import options, show
from upheld.errors import MissingExtraError
from upheld.settings import load_settings
from upheld.types import SearchMode
from upheld_service.telemetry.logs import log_json


def mcp(
    kb: options.Kb = None,
    collection: options.Collection = None,
    llm: options.LlmUrl = None,
    model: options.LlmModel = None,
    search: Annotated[
        SearchMode | None, typer.Option(help="How passages are searched.", show_default="hybrid")
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option("--label", help="Use documents with these labels, and those without labels."),
    ] = None,
    judge: Annotated[
        bool, typer.Option("--judge", help="Ask the model about claims the verifier is unsure of.")
    ] = False,
    http: Annotated[
        bool, typer.Option("--http", help="Serve HTTP instead of standard input and output.")
    ] = False,
    host: Annotated[
        str, typer.Option(help="With --http: the address; beyond this machine, a key is needed.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="With --http: the port; 0 chooses a free one.")
    ] = 8321,
) -> None:
    """Offer the tools ask, verify and search to assistants, by the Model Context Protocol.

    Over HTTP, UPHELD_MCP_KEY is the key that callers must send as a bearer token.

    Examples:

        upheld mcp --kb kb

        upheld mcp --kb kb --http --port 8321
    """
    settings = load_settings(
        kb=kb,
        collection=collection,
        llm_url=llm,
        llm_model=model,
        search=search,
        judge=judge or None,  # not given: as the settings say
    )
    try:
        from upheld_service.mcp.serve import serve_http, serve_stdio
    except ImportError as error:
        raise MissingExtraError("Serving assistants", "mcp", str(error)) from error
    log_json(level=logging.WARNING)
    if http:
        asyncio.run(serve_http(settings, label, host=host, port=port, ready=_tell))
    else:
        asyncio.run(serve_stdio(settings, label))  # standard output is the protocol's alone


def _tell(address: str) -> None:
    show.err.print(Text(f"Serving assistants at {address}"), soft_wrap=True)

"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Kb = Annotated[
    str | None,
    typer.Option("--kb", help="Knowledge base: a folder or s3://bucket/prefix.", show_default="kb"),
]
Collection = Annotated[
    str | None, typer.Option("--collection", help="Collection inside the knowledge base.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, for machines.")]
LlmUrl = Annotated[
    str | None,
    typer.Option("--llm", metavar="URL", help="An OpenAI-compatible server, ending in /v1."),
]
LlmModel = Annotated[
    str | None, typer.Option("--model", metavar="NAME", help="The model's name on that server.")
]

"""`upheld train`: recipes that make the weights we ship."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Recipes that make the weights we ship.")


@app.callback()
def recipes() -> None:
    """Recipes that make the weights we ship."""


@app.command()
def embedder(
    weights: Annotated[
        Path, typer.Option(help="Folder with the published model.safetensors and tokenizer.json.")
    ],
    out: Annotated[Path, typer.Option(help="Where model.onnx and tokenizer.json are written.")],
    texts: Annotated[
        Path, typer.Option(help="A text to a line; the export is checked on the first 500.")
    ],
) -> None:
    """Export all-MiniLM-L6-v2 as int8 ONNX and report how near it is to the original.

    Example: upheld train embedder --weights minilm/ --out models/embedder --texts lines.txt
    """
    from upheld.training.export_embedder import export_embedder

    lines = [line for line in texts.read_text(encoding="utf-8").splitlines() if line.strip()]
    typer.echo(json.dumps(asdict(export_embedder(weights, out, lines[:500])), indent=2))

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


Base = Annotated[Path, typer.Option(help="Folder of the published sentence encoder to start from.")]
Data = Annotated[Path, typer.Option(help="Folder of the data pack.")]
Work = Annotated[Path, typer.Option(help="Where checkpoints and the log are; a run is continued.")]
Tokens = Annotated[int, typer.Option(min=1, help="How many tokens to train on.")]
Translators = Annotated[
    Path | None,
    typer.Option(help="Folder with ct2_en_fr and ct2_fr_en: paraphrase first, for --minutes."),
]
Minutes = Annotated[float, typer.Option(min=0, help="How long to paraphrase.")]


@app.command()
def verifier(
    base: Base,
    data: Data,
    work: Work,
    out: Annotated[
        Path | None, typer.Option(help="Where model.onnx and tokenizer.json are written.")
    ] = None,
    tokens: Tokens = 3_000_000,
    translators: Translators = None,
    minutes: Minutes = 10,
) -> None:
    """Train the model that checks claims, and export it as int8 ONNX.

    Example: upheld train verifier --base minilm/ --data pack/ --work run/ --out models/verifier
    """
    _train("verifier", base, data, work, out, tokens, translators, minutes)


@app.command()
def scorer(
    base: Base,
    data: Data,
    work: Work,
    tokens: Tokens = 3_000_000,
    translators: Translators = None,
    minutes: Minutes = 10,
) -> None:
    """Train the model that grades answers in the bench: another base, other data, never shipped.

    Example: upheld train scorer --base mpnet/ --data pack/ --work run/
    """
    _train("scorer", base, data, work, None, tokens, translators, minutes)


def _train(
    name: str,
    base: Path,
    data: Path,
    work: Path,
    out: Path | None,
    tokens: int,
    translators: Path | None,
    minutes: float,
) -> None:
    from upheld.training.verifier.data import DIETS
    from upheld.training.verifier.make import Places, make, paraphrase

    places = Places(base, data, work)
    if translators is not None:
        paraphrase(DIETS[name], places, translators, minutes)
    typer.echo(json.dumps(make(DIETS[name], places, tokens, out), indent=2))

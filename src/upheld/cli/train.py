"""`upheld train`: recipes that make the weights we ship."""

from __future__ import annotations

import asyncio
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


Out = Annotated[Path, typer.Option(help="Where model.onnx and tokenizer.json are written.")]
Cache = Annotated[Path | None, typer.Option(help="Where vectors and judgements are kept.")]
Layers = Annotated[int | None, typer.Option(min=1, help="Of the base, from below; all.")]


@app.command()
def verifier(
    base: Base,
    data: Data,
    work: Work,
    out: Out,
    tokens: Tokens = 3_750_000,
    layers: Layers = 8,
    translators: Translators = None,
    minutes: Minutes = 10,
) -> None:
    """Train the model that checks claims, and export it as int8 ONNX.

    Example: upheld train verifier --base mpnet/ --data pack/ --work run/ --out models/verifier
    """
    _train("verifier", (base, data, work), tokens, layers, out, translators, minutes)


@app.command()
def scorer(
    base: Base,
    data: Data,
    work: Work,
    out: Out,
    tokens: Tokens = 2_500_000,
    layers: Layers = None,
    translators: Translators = None,
    minutes: Minutes = 10,
) -> None:
    """Train the model that grades answers in the bench: another base, other data, never shipped.

    Example: upheld train scorer --base minilm/ --data pack/ --work run/ --out scorer/
    """
    _train("scorer", (base, data, work), tokens, layers, out, translators, minutes)


@app.command()
def grader(
    base: Base,
    data: Data,
    work: Work,
    out: Out,
    tokens: Tokens = 4_000_000,
    cache: Cache = None,
) -> None:
    """Train the model that says whether a passage helps, and export it as int8 ONNX.

    Example: upheld train grader --base minilm/ --data pack/ --work run/ --out models/grader
    """
    from upheld.bench.report import watching
    from upheld.bench.vectors import default_cache
    from upheld.training.grader.make import make
    from upheld.training.verifier.make import Places

    with watching() as watch:
        made = make(Places(base, data, work), tokens, out, cache or default_cache(), watch)
    typer.echo(json.dumps(made, indent=2))


@app.command()
def ablation(
    base: Base,
    data: Data,
    work: Work,
    larger: Annotated[Path, typer.Option(help="Folder of a larger encoder, for one variant.")],
    layers: Annotated[int, typer.Option(min=1, help="Of the larger encoder, from below.")] = 8,
) -> None:
    """What each part of the verifier's recipe is worth, on 20,000 pairs each; takes hours.

    Example: upheld train ablation --base minilm/ --larger mpnet/ --data pack/ --work runs/
    """
    from upheld.training.verifier.ablate import ablate
    from upheld.training.verifier.make import Places

    typer.echo(json.dumps(ablate(Places(base, data, work), larger, layers), indent=2))


@app.command()
def fit(
    model: Annotated[Path, typer.Option(help="Folder with model.onnx and tokenizer.json.")],
    data: Data,
    cache: Cache = None,
    two_way: Annotated[
        bool, typer.Option("--two-way", help="Never say contradicted, only unsupported.")
    ] = False,
) -> None:
    """Fit how a verifier's scores are weighed, and from where on they count; writes fit.json.

    Example: upheld train fit --model models/verifier --data pack/
    """
    from upheld.bench.report import watching
    from upheld.bench.vectors import default_cache
    from upheld.training.verifier.fit import fit_verifier

    with watching() as watch:
        found = asyncio.run(
            fit_verifier(model, data, cache or default_cache(), watch, two_way=two_way)
        )
    typer.echo(json.dumps(found, indent=2))


def _train(
    name: str,
    folders: tuple[Path, Path, Path],
    tokens: int,
    layers: int | None,
    out: Path,
    translators: Path | None,
    minutes: float,
) -> None:
    from upheld.training.verifier.data import DIETS
    from upheld.training.verifier.make import Places, make, paraphrase

    places = Places(*folders)
    if translators is not None:
        paraphrase(DIETS[name], places, translators, minutes)
    typer.echo(json.dumps(make(DIETS[name], places, tokens, layers, out), indent=2))

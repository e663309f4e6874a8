"""`upheld train`: recipes that make models."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from upheld_lab.cli import train_data, train_evaluate, train_language_model
from upheld_lab.cli.train_sources import Kb, Own, Pack, settings_of, source_of

app = typer.Typer(no_args_is_help=True, help="Recipes that make models.")
app.add_typer(train_data.app, name="data")
app.add_typer(train_evaluate.app, name="evaluate")
app.command("cov-rag")(train_language_model.cov_rag)
app.command()(train_language_model.fave)


@app.callback()
def recipes() -> None:
    """Recipes that make models: the weights we ship, and the language models of the papers."""


@app.command()
def embedder(
    weights: Annotated[
        Path, typer.Option(help="Folder with the published model.safetensors and tokenizer.json.")
    ],
    out: Annotated[Path, typer.Option(help="Where model.onnx and tokenizer.json are written.")],
    texts: Annotated[
        Path,
        typer.Option(help="A file with one text per line; the export is checked on the first 500."),
    ],
) -> None:
    """Export all-MiniLM-L6-v2 as int8 ONNX and report how near it is to the original.

    Example: upheld train embedder --weights minilm/ --out models/embedder --texts lines.txt
    """
    from upheld_lab.training.export_embedder import export_embedder

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


Rate = Annotated[
    float | None, typer.Option(min=0, help="Learning rate; lower to go on from trained weights.")
]
Out = Annotated[Path, typer.Option(help="Where model.onnx and tokenizer.json are written.")]
Cache = Annotated[Path | None, typer.Option(help="Folder of cached vectors and judgements.")]
Challenge = Annotated[
    Path | None, typer.Option(help="Folder of twins by kind of error, to watch its dev half.")
]
ProcessorMinutes = Annotated[
    float, typer.Option(min=0, help="Pause after this much processor time in all.")
]
Layers = Annotated[
    int | None,
    typer.Option(min=1, help="Number of lowest layers of the base to use; default: all."),
]


@app.command()
def verifier(
    base: Base,
    work: Work,
    out: Out,
    data: Pack = None,
    questions: Own = None,
    kb: Kb = None,
    tokens: Tokens = 40_000_000,
    layers: Layers = None,
    challenge: Challenge = None,
    translators: Translators = None,
    minutes: Minutes = 10,
    processor_minutes: ProcessorMinutes = float("inf"),
    frozen_layers: Annotated[
        int, typer.Option(min=0, help="Lowest layers that stay as they are; for released weights.")
    ] = 0,
    rate: Rate = None,
) -> None:
    """Train the verifier, or continue a run; export it as int8 ONNX.

    SIGTERM or Ctrl-C pauses the run: it writes a checkpoint and ends. WORK/BASE/status.txt tells
    how far it is.

    Examples:

        upheld train verifier --base minilm/ --data pack/ --work run/ --out models/verifier

        upheld train verifier --base released/ --questions mine.jsonl --kb kb --rate 1e-5
        --tokens 500000 --work run/ --out mine/
    """
    if data is None or questions is not None:
        _train_own_verifier(base, work, out, data, questions, kb, tokens, rate)
        return
    places = (base, data, work, challenge)
    _train(
        "verifier",
        places,
        tokens,
        layers,
        out,
        translators,
        minutes,
        processor_minutes,
        frozen_layers,
    )


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
    _train("scorer", (base, data, work, None), tokens, layers, out, translators, minutes)


@app.command()
def pairs(data: Data, work: Work) -> None:
    """Make the verifier's training pairs once, keep them in the work folder, print their counts.

    Example: upheld train pairs --data pack/ --work run/
    """
    from upheld_lab.training.verifier.make import COUNTS, Places, kept_pairs

    kept_pairs(Places(work, data, work))
    typer.echo((work / COUNTS).read_text())


@app.command()
def released(
    model: Annotated[Path, typer.Option(help="model.onnx of a released verifier.")],
    base: Base,
    out: Annotated[Path, typer.Option(help="The folder to start another run from.")],
) -> None:
    """Turn a released verifier into a base, so that training continues from it.

    Example: upheld train released --model models/verifier/model.onnx --base mpnet/ --out start/
    """
    from upheld_lab.training.verifier.released import released_base

    typer.echo(str(released_base(model, base, out)))


@app.command()
def grader(
    base: Base,
    work: Work,
    out: Out,
    data: Pack = None,
    questions: Own = None,
    kb: Kb = None,
    tokens: Tokens = 4_000_000,
    cache: Cache = None,
    manuals: Annotated[
        Path | None,
        typer.Option(help="Also questions on manuals, which are installed below this folder (/)."),
    ] = None,
    rate: Rate = None,
) -> None:
    """Train the model that says whether a passage helps, and export it as int8 ONNX.

    Examples:

        upheld train grader --base minilm/ --data pack/ --work run/ --out models/grader

        upheld train grader --base released/ --manuals / --rate 3e-5 --data pack/ --work w/ --out g/

        upheld train grader --base released/ --questions mine.jsonl --kb kb --rate 3e-5
        --tokens 500000 --work w/ --out g/
    """
    from upheld_lab.bench.report import watching
    from upheld_lab.bench.vectors import default_cache
    from upheld_lab.training.grader.data import Fed
    from upheld_lab.training.grader.make import make, mined
    from upheld_lab.training.own import grader_feeds

    async def own() -> tuple[Fed, Fed]:
        async with source_of(data, questions, settings_of(kb, None, None)) as source:
            return await grader_feeds(source)

    with watching() as watch:

        def feeds() -> tuple[Fed, Fed]:
            if data is None or questions is not None:
                return asyncio.run(own())
            return asyncio.run(mined(data, cache or default_cache(), watch, manuals))

        made = make(base, work, tokens, out, feeds, rate)
    typer.echo(json.dumps(made, indent=2))


@app.command()
def ablation(
    base: Base,
    data: Data,
    work: Work,
    challenge: Challenge = None,
    variant: Annotated[
        list[str] | None, typer.Option(help="A variant, repeatable; default: all.")
    ] = None,
) -> None:
    """Train the verifier without one part of its recipe after another; takes hours.

    Example: upheld train ablation --base minilm/ --data pack/ --work run/ --variant "no twins"
    """
    from upheld_lab.training.verifier.ablate import VARIANTS, ablate
    from upheld_lab.training.verifier.make import Places

    found = ablate(Places(base, data, work, challenge), variant or VARIANTS)
    typer.echo(json.dumps(found, indent=2))


@app.command()
def fit(
    model: Annotated[Path, typer.Option(help="Folder with model.onnx and tokenizer.json.")],
    data: Data,
    cache: Cache = None,
    challenge: Challenge = None,
) -> None:
    """Fit the weights and thresholds of a verifier's scores; writes fit.json.

    Example: upheld train fit --model models/verifier --data pack/
    """
    from upheld_lab.bench.report import watching
    from upheld_lab.bench.vectors import default_cache
    from upheld_lab.training.verifier.fit import fit_verifier

    with watching() as watch:
        found = asyncio.run(
            fit_verifier(
                model,
                data,
                cache or default_cache(),
                watch,
                challenge=challenge,
            )
        )
    typer.echo(json.dumps(found, indent=2))


def _train(
    name: str,
    folders: tuple[Path, Path, Path, Path | None],
    tokens: int,
    layers: int | None,
    out: Path,
    translators: Path | None,
    minutes: float,
    processor_minutes: float = float("inf"),
    frozen_layers: int = 0,
) -> None:
    from upheld_lab.training.verifier.data import DIETS
    from upheld_lab.training.verifier.make import Places, make, paraphrase

    places = Places(*folders)
    if translators is not None:
        paraphrase(DIETS[name], places, translators, minutes)
    made = make(DIETS[name], places, tokens, layers, out, processor_minutes, frozen_layers)
    typer.echo(json.dumps(made, indent=2))


def _train_own_verifier(
    base: Path,
    work: Path,
    out: Path,
    data: Path | None,
    questions: Path | None,
    kb: str | None,
    tokens: int,
    rate: float | None,
) -> None:
    from upheld_lab.training.own import verifier_pairs
    from upheld_lab.training.verifier.make import make_own
    from upheld_lab.training.verifier.pairs import Pair

    async def pairs() -> tuple[list[Pair], list[Pair]]:
        async with source_of(data, questions, settings_of(kb, None, None)) as source:
            return await verifier_pairs(source)

    made = make_own(base, *asyncio.run(pairs()), tokens, work, out, rate)
    typer.echo(json.dumps(made, indent=2))

"""`upheld train data`: what the papers' models learn from, from the data pack or your own lines."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from upheld.errors import UsageError
from upheld_lab.cli.train_sources import (
    Kb,
    Own,
    Pack,
    model_of,
    planned_of,
    settings_of,
    source_of,
)

app = typer.Typer(no_args_is_help=True, help="Make the examples that language models learn from.")

Out = Annotated[Path, typer.Option(help="Where the examples are written.")]
Count = Annotated[int, typer.Option("--count", min=1, help="Questions to train on.")]
Llm = Annotated[str | None, typer.Option("--llm", help="Server of the model that writes drafts.")]
Model = Annotated[str | None, typer.Option("--model", help="Its name there.")]
Seed = Annotated[int, typer.Option(help="Another number draws other examples.")]


@app.command("cov-rag")
def cov_rag(
    out: Out,
    data: Pack = None,
    questions: Own = None,
    kb: Kb = None,
    llm: Llm = None,
    model: Model = None,
    count: Count = 8_000,
    passages: Annotated[int, typer.Option(min=2, help="Passages shown for a question.")] = 5,
    seed: Seed = 0,
) -> None:
    """Make CoV-RAG's examples: to answer (D1, D2) and to verify (D2').

    With --llm, four in ten of the drafts to verify are written by that model: the paper's seed
    model, which `upheld train cov-rag --arm seed` makes.

    Examples:

        upheld train data cov-rag --data pack/ --out cov-rag/

        upheld train data cov-rag --questions mine.jsonl --kb kb --out cov-rag/
    """
    from upheld_lab.bench.report import watching
    from upheld_lab.training.cov_rag.data import Recipe, make_data

    async def make() -> dict[str, int]:
        settings = settings_of(kb, llm, model)
        async with source_of(data, questions, settings) as source, model_of(settings) as writer:
            recipe = Recipe(count, passages, seed)
            with watching() as watch:
                return await make_data(source, recipe, out, watch, writer)

    typer.echo(json.dumps(asyncio.run(make()), indent=2))


class FeedbackName(StrEnum):
    """What a session is scored by."""

    FACTS = "facts"
    ANSWER = "answer"


@app.command()
def fave(
    out: Out,
    data: Pack = None,
    questions: Own = None,
    kb: Kb = None,
    llm: Llm = None,
    model: Model = None,
    count: Count = 2_000,
    feedback: Annotated[
        FeedbackName,
        typer.Option(help="Score sessions by gold that they find, or that their answers state."),
    ] = FeedbackName.FACTS,
) -> None:
    """Make the planner's data: sessions that people planned; with --llm, pairs of its sessions.

    Examples:

        upheld train data fave --data pack/ --out fave/

        upheld train data fave --data pack/ --llm http://127.0.0.1:8080/v1 --model sft --out fave/
    """
    from upheld_lab.bench.report import watching
    from upheld_lab.training.fave.data import make_examples, make_pairs
    from upheld_lab.training.fave.decompositions import read_planned
    from upheld_lab.training.fave.sessions import Feedback

    settings = settings_of(kb, llm, model)
    if settings.llm_url is None:
        if data is None:
            raise UsageError("Sessions that people planned are in the data pack: give --data.")
        typer.echo(json.dumps(make_examples(read_planned(data)[:count], out), indent=2))
        return

    async def make() -> dict[str, int]:
        with watching() as watch:
            async with planned_of(data, questions, settings, watch) as (planned, parts):
                return await make_pairs(planned[:count], parts, out, watch, Feedback(feedback))

    typer.echo(json.dumps(asyncio.run(make()), indent=2))


@app.command()
def checked(
    path: Annotated[Path, typer.Argument(help="to_check.jsonl, with `right` set by hand.")],
) -> None:
    """Print how many of the labels that you read are right.

    Example: upheld train data checked cov-rag/to_check.jsonl
    """
    from upheld_lab.training.cov_rag.check import label_accuracy

    typer.echo(json.dumps(asdict(label_accuracy(path)), indent=2))

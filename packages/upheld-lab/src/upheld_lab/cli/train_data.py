"""`upheld train data`: what the papers' models learn from, from the data pack or your own lines."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from upheld.errors import UsageError

if TYPE_CHECKING:
    from upheld.ports import LLM
    from upheld.resources.open import Resources
    from upheld.settings import Settings
    from upheld_lab.bench.report import Watch
    from upheld_lab.training.cov_rag.sources import Source
    from upheld_lab.training.fave.sessions import Planned

app = typer.Typer(no_args_is_help=True, help="Make the examples that language models learn from.")

Pack = Annotated[Path | None, typer.Option("--data", help="Folder of the data pack.")]
Own = Annotated[
    Path | None,
    typer.Option("--questions", help="Your lines of question, answers and gold, instead of it."),
]
Kb = Annotated[str | None, typer.Option(help="The knowledge base that your lines are about.")]
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
        settings = _settings(kb, llm, model)
        async with _source(data, questions, settings) as source, _model(settings) as writer:
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

    settings = _settings(kb, llm, model)
    if settings.llm_url is None:
        if data is None:
            raise UsageError("Sessions that people planned are in the data pack: give --data.")
        typer.echo(json.dumps(make_examples(read_planned(data)[:count], out), indent=2))
        return

    async def make() -> dict[str, int]:
        with watching() as watch:
            async with _planned(data, questions, settings, watch) as (planned, parts):
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


def _settings(kb: str | None, llm: str | None, model: str | None) -> Settings:
    from upheld.settings import load_settings

    return load_settings(kb=kb, llm_url=llm, llm_model=model)


@asynccontextmanager
async def _source(
    data: Path | None, questions: Path | None, settings: Settings
) -> AsyncIterator[Source]:
    """The data pack, or your questions over your knowledge base."""
    from upheld.resources.open import open_resources
    from upheld_lab.training.cov_rag.sources import OwnSource, PackSource

    if (data is None) == (questions is None):
        raise UsageError("Give either --data or --questions.")
    if data is not None:
        yield PackSource(data)
        return
    assert questions is not None, "one of both is given"
    parts = await open_resources(settings)
    try:
        yield OwnSource(questions, parts)
    finally:
        await parts.close()


@asynccontextmanager
async def _planned(
    data: Path | None, questions: Path | None, settings: Settings, watch: Watch
) -> AsyncIterator[tuple[Sequence[Planned], Resources]]:
    """Questions with gold, and the parts that plan and search for them."""
    from upheld.resources.open import open_embedder, open_resources
    from upheld_lab.bench.prepared import SCOPE
    from upheld_lab.bench.runs.kb import knowledge_base
    from upheld_lab.bench.vectors import default_cache
    from upheld_lab.training.cov_rag.sources import OwnSource
    from upheld_lab.training.fave.decompositions import facts_of, read_planned

    if (data is None) == (questions is None):
        raise UsageError("Give either --data or --questions.")
    if data is not None:
        embedder = open_embedder(settings)
        try:
            folder = await knowledge_base(facts_of(data), embedder, default_cache(), watch)
        finally:
            if embedder is not None:
                await embedder.close()
        place = {"kb": str(folder), "collection": SCOPE.collection, "storage": {}}
        settings = settings.model_copy(update=place)
    parts = await open_resources(settings)
    try:
        if data is not None:
            yield read_planned(data), parts
        elif questions is not None:
            own = await OwnSource(questions, parts).questions()
            yield [each for each in own if each.gold], parts
    finally:
        await parts.close()


@asynccontextmanager
async def _model(settings: Settings) -> AsyncIterator[LLM | None]:
    from upheld.resources.open import open_llm

    llm = open_llm(settings)
    try:
        yield llm
    finally:
        if llm is not None:
            await llm.close()

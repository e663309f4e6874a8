"""What the commands that train language models open: questions with gold, searches, models."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from upheld.errors import UsageError
from upheld_lab.bench.split import SIDES, Split

if TYPE_CHECKING:
    from upheld.ports import LLM
    from upheld.resources.open import Resources
    from upheld.settings import Settings
    from upheld_lab.bench.report import Watch
    from upheld_lab.training.fave.sessions import Planned
    from upheld_lab.training.sources import Source

Pack = Annotated[Path | None, typer.Option("--data", help="Folder of the data pack.")]
Own = Annotated[
    Path | None,
    typer.Option("--questions", help="Your lines of question, answers and gold, instead of it."),
]
Kb = Annotated[str | None, typer.Option(help="The knowledge base that your lines are about.")]


def settings_of(kb: str | None, llm: str | None, model: str | None) -> Settings:
    """The settings, with what the command line gave."""
    from upheld.settings import load_settings

    return load_settings(kb=kb, llm_url=llm, llm_model=model)


@asynccontextmanager
async def source_of(
    data: Path | None, questions: Path | None, settings: Settings
) -> AsyncIterator[Source]:
    """The data pack, or your questions over your knowledge base."""
    from upheld.resources.open import open_resources
    from upheld_lab.training.sources import OwnSource, PackSource

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
async def planned_of(
    data: Path | None,
    questions: Path | None,
    settings: Settings,
    watch: Watch,
    sides: Sequence[Split] = SIDES,
) -> AsyncIterator[tuple[Sequence[Planned], Resources]]:
    """Questions with gold, and the parts that plan and search for them."""
    from upheld.resources.open import open_embedder, open_resources
    from upheld_lab.bench.prepared import SCOPE
    from upheld_lab.bench.runs.kb import knowledge_base
    from upheld_lab.bench.vectors import default_cache
    from upheld_lab.training.fave.decompositions import facts_of, read_planned
    from upheld_lab.training.served import Served
    from upheld_lab.training.sources import OwnSource

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
    # The model that the command names plans, whatever planner the settings name.
    served = replace(parts, llm=parts.llm and Served(parts.llm), planner=None)
    try:
        if data is not None:
            yield read_planned(data, sides), served
        elif questions is not None:
            own = await OwnSource(questions, parts).questions(sides)
            yield [each for each in own if each.gold], served
    finally:
        await parts.close()


@asynccontextmanager
async def model_of(settings: Settings) -> AsyncIterator[LLM | None]:
    """The language model of the settings; None if they name none."""
    from upheld.resources.open import open_llm
    from upheld_lab.training.served import Served

    llm = open_llm(settings)
    try:
        yield llm and Served(llm)
    finally:
        if llm is not None:
            await llm.close()

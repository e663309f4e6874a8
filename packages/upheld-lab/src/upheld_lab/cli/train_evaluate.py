"""`upheld train evaluate`: what trained language models do with questions they have not seen."""

from __future__ import annotations

import asyncio
import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from upheld.errors import UsageError
from upheld_lab.bench.split import Split
from upheld_lab.cli.train_sources import Kb, Own, Pack, model_of, planned_of, settings_of, source_of

if TYPE_CHECKING:
    from upheld_lab.bench.report import Watch

app = typer.Typer(
    no_args_is_help=True, help="Measure trained language models on questions they have not seen."
)

Llm = Annotated[str, typer.Option("--llm", help="Server of the model to measure.")]
Model = Annotated[str, typer.Option("--model", help="Its name there.")]
Rows = Annotated[Path, typer.Option("--out", help="A line for each question; a run is continued.")]
Side = Annotated[Split, typer.Option("--split", help="Choose on dev, look at test once.")]
Count = Annotated[int, typer.Option("--count", min=1, help="Questions to ask.")]


class CheckName(StrEnum):
    """What verifies; `upheld_lab.training.cov_rag.evaluate` explains them."""

    CHAIN = "chain"
    DIRECT = "direct"
    NONE = "none"


@app.command("cov-rag")
def cov_rag(
    llm: Llm,
    model: Model,
    out: Rows,
    data: Pack = None,
    questions: Own = None,
    kb: Kb = None,
    split: Side = Split.DEV,
    count: Count = 400,
    passages: Annotated[int, typer.Option(min=2, help="Passages shown for a question.")] = 5,
    check: Annotated[
        CheckName, typer.Option(help="How answers are verified: as the arm was trained to.")
    ] = CheckName.CHAIN,
) -> None:
    """Answer, verify and revise; a quarter of the questions are asked damaged.

    Example: upheld train evaluate cov-rag --data pack/ --llm URL --model chain --out chain.jsonl
    """
    from upheld_lab.bench.report import watching
    from upheld_lab.training.cov_rag.evaluate import Check, Measured, measure, summary

    async def run() -> list[Measured]:
        settings = settings_of(kb, llm, model)
        async with source_of(data, questions, settings) as source, model_of(settings) as served:
            assert served is not None, "--llm is given"
            with watching() as watch:
                return await measure(
                    source,
                    served,
                    out,
                    watch,
                    split=split,
                    count=count,
                    passages=passages,
                    check=Check(check),
                )

    typer.echo(json.dumps(summary(asyncio.run(run())), indent=2))


@app.command()
def fave(
    llm: Llm,
    model: Model,
    out: Rows,
    data: Pack = None,
    questions: Own = None,
    kb: Kb = None,
    split: Side = Split.DEV,
    count: Count = 300,
    sessions: Annotated[int, typer.Option(min=1, max=8, help="Sampled for a question.")] = 8,
) -> None:
    """Sample sessions of a planner, search for them, and count the gold that they find.

    Example: upheld train evaluate fave --data pack/ --llm URL --model planner --out planner.jsonl
    """
    from upheld_lab.bench.report import watching
    from upheld_lab.training.fave.evaluate import Recalled, measure, summary

    async def run(watch: Watch) -> list[Recalled]:
        settings = settings_of(kb, llm, model)
        async with planned_of(data, questions, settings, watch, (split,)) as (planned, parts):
            return await measure(planned[:count], parts, out, watch, sessions)

    with watching() as watch:
        rows = asyncio.run(run(watch))
    typer.echo(json.dumps(summary(rows), indent=2))


@app.command()
def compare(
    ours: Annotated[Path, typer.Argument(help="Lines of one model.")],
    theirs: Annotated[Path, typer.Argument(help="Lines of the other.")],
) -> None:
    """Print paired differences on the same questions, with 95 % intervals.

    Example: upheld train evaluate compare chain.jsonl rag.jsonl
    """
    from upheld_lab.training.cov_rag import evaluate as checkers
    from upheld_lab.training.fave import evaluate as planners

    found: dict[str, Any]
    try:
        if '"recall"' in ours.read_text(encoding="utf-8"):
            found = planners.differences(*map(planners.read_recalled, (ours, theirs)))
        else:
            found = checkers.differences(*map(checkers.read_measured, (ours, theirs)))
    except (OSError, TypeError, ValueError) as error:
        raise UsageError(
            f"{ours} and {theirs} cannot be compared: {error}",
            help="Both are written by `upheld train evaluate`, for the same questions.",
        ) from error
    typer.echo(json.dumps(found, indent=2))


@app.command()
def judgments(
    dev: Annotated[Path, typer.Argument(help="Lines of an arm on the dev side.")],
    test: Annotated[Path, typer.Argument(help="Lines of the same arm on the test side.")],
) -> None:
    """Judge by P(judgment = true) above a threshold of dev, not by the more probable word.

    Example: upheld train evaluate judgments chain-dev.jsonl chain-test.jsonl
    """
    from upheld_lab.training.cov_rag.evaluate import by_threshold, read_measured

    try:
        found = by_threshold(read_measured(dev), read_measured(test))
    except (OSError, TypeError, ValueError) as error:
        raise UsageError(
            f"{dev} and {test} have no judgments to compare: {error}",
            help="Both are written by `upheld train evaluate cov-rag --check chain`.",
        ) from error
    typer.echo(json.dumps(found, indent=2))

"""`python -m upheld_lab.fits`: where the numbers of our own stages come from, on dev questions.

Scripts of ours, not commands for users: whoever changes a stage fits its numbers again with these.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from upheld.cli import options, show
from upheld.errors import UpheldError, UsageError
from upheld_lab.cli.bench_options import (
    Cache,
    Data,
    Limit,
    Markdown,
    Passages,
    Questions,
    Seed,
    SplitName,
    choice_of,
    shown,
)

if TYPE_CHECKING:
    from upheld.settings import Settings
    from upheld_lab.bench.report import Report, Watch
    from upheld_lab.bench.suites.suite import Suite

Corpus = Annotated[int, typer.Option("--passages", min=1, help="That they are asked of.")]
Suites = Annotated[str, typer.Option("--suite", help="Its dev questions are asked.")]

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Fit the numbers of our own stages on dev questions.",
)


@app.command()
def relevance(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    as_json: options.Json = False,
    as_markdown: Markdown = False,
) -> None:
    """How the numbers were chosen by which `upheld` withholds what does not answer.

    Fitted on answers of `upheld` in runs on dev questions, from which nothing is withheld.

    Example: python -m upheld_lab.fits relevance runs/short runs/abstain
    """
    from upheld_lab.fits.relevance import fit_relevance

    shown(lambda watch: fit_relevance(runs, watch), as_json, as_markdown)


@app.command()
def judgments(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    llm: Annotated[str, typer.Option("--llm", help="Server of the checker.")],
    model: Annotated[str, typer.Option("--model", help="Its name there.")],
    variant: Annotated[str, typer.Option(help="Whose answers it verifies.")] = "upheld",
    card: Annotated[
        Path | None, typer.Option(help="card.json of the checker, on which the weights are noted.")
    ] = None,
    as_json: options.Json = False,
    as_markdown: Markdown = False,
) -> None:
    """What P(judgment = true) of a checker adds to P(right).

    Example: python -m upheld_lab.fits judgments runs/short --llm URL --model chain --card card.json
    """
    from upheld.settings import load_settings
    from upheld_lab.cli.train_sources import model_of
    from upheld_lab.fits.judgments import fit_judgments

    async def measured(watch: Watch) -> Report:
        async with model_of(load_settings(llm_url=llm, llm_model=model)) as checker:
            assert checker is not None, "--llm is given"
            return await fit_judgments(runs, variant, checker, watch, card)

    report = shown(measured, as_json, as_markdown)
    if card is not None and not report.manifest["noted"]:
        typer.echo("No weights are on the card: both tell no more than P(right) alone.", err=True)


@app.command()
def sentences(
    data: Data,
    suite: Suites = "manuals",
    limit: Limit = None,
    passages: Corpus = 20_000,
    cache: Cache = None,
    as_json: options.Json = False,
    as_markdown: Markdown = False,
) -> None:
    """How the numbers were chosen by which quotes are picked, and P(right) is estimated.

    Suites with a comma between them are searched apart and fitted together; `own-manuals` are our
    questions on manuals that the grader has not seen.

    Example: python -m upheld_lab.fits sentences --data pack --suite manuals,short+hops --limit 50
    """
    from upheld.settings import load_settings
    from upheld_lab.bench.vectors import default_cache
    from upheld_lab.fits.sentences import fit_sentences

    asked = [_dev_suite(each, data, limit, passages) for each in suite.split(",")]
    settings, kept = load_settings(), cache or default_cache()
    shown(lambda watch: fit_sentences(asked, settings, kept, watch), as_json, as_markdown)


@app.command()
def bridges(
    data: Data,
    suite: Suites = "short+hops+bridges",
    limit: Limit = None,
    passages: Corpus = 20_000,
    cache: Cache = None,
    as_json: options.Json = False,
    as_markdown: Markdown = False,
) -> None:
    """How the numbers were chosen by which `upheld` quotes what a passage names.

    Example: python -m upheld_lab.fits bridges --data pack --limit 50
    """
    from upheld_lab.fits.bridges import bench_bridges

    fit = _on_dev(bench_bridges, suite, data, limit, passages, cache)
    shown(fit, as_json, as_markdown)


@app.command()
def fusion(
    data: Data,
    passages: Passages = "20000",
    questions: Questions = 300,
    seed: Seed = 0,
    cache: Cache = None,
    as_json: options.Json = False,
    as_markdown: Markdown = False,
) -> None:
    """Ways to join the two lists of hybrid search, compared on dev questions.

    Example: python -m upheld_lab.fits fusion --data pack --markdown
    """
    from upheld_lab.fits.fusion import bench_fusion

    choice = choice_of(data, passages, questions, SplitName.DEV, seed, cache)
    shown(lambda watch: bench_fusion(choice, watch), as_json, as_markdown)


@app.command()
def reranking(
    data: Data,
    passages: Passages = "20000",
    questions: Questions = 150,
    seed: Seed = 0,
    cache: Cache = None,
    as_json: options.Json = False,
    as_markdown: Markdown = False,
) -> None:
    """How many candidates are ordered, and what the search counts in it, on dev questions.

    Example: python -m upheld_lab.fits reranking --data pack --markdown
    """
    from upheld.resources.open import opened_grader
    from upheld_lab.bench.retrieval.reranking import bench_weights

    choice = choice_of(data, passages, questions, SplitName.DEV, seed, cache)

    async def measured(watch: Watch) -> Report:
        async with opened_grader(None) as grader:
            return await bench_weights(choice, grader, watch)

    shown(measured, as_json, as_markdown)


@app.command()
def crag(
    data: Data,
    passages: Passages = "20000",
    questions: Questions = 300,
    seed: Seed = 0,
    cache: Cache = None,
    as_json: options.Json = False,
    as_markdown: Markdown = False,
) -> None:
    """The thresholds of CRAG's paper on our grader's scale, and that of strips, on dev questions.

    Example: python -m upheld_lab.fits crag --data pack --markdown
    """
    from upheld.edge.onnx.embedder import LocalEmbedder
    from upheld.resources.open import opened_grader
    from upheld_lab.bench.judgements import KeptGrades
    from upheld_lab.fits.crag import fit_crag

    choice = choice_of(data, passages, questions, SplitName.DEV, seed, cache)

    async def measured(watch: Watch) -> Report:
        embedder = LocalEmbedder()
        try:
            async with opened_grader(None) as grader:
                kept = KeptGrades(grader, choice.cache / "judgements.sqlite")
                return await fit_crag(choice, embedder, kept, watch)
        finally:
            await embedder.close()

    shown(measured, as_json, as_markdown)


@app.command()
def quoting(
    data: Data,
    passages: Passages = "20000",
    questions: Questions = 300,
    seed: Seed = 0,
    cache: Cache = None,
    as_json: options.Json = False,
    as_markdown: Markdown = False,
) -> None:
    """How the quote writer weighs sentences, compared on dev questions of SQuAD.

    Example: python -m upheld_lab.fits quoting --data pack --markdown
    """
    from upheld_lab.fits.quoting import bench_quoting

    choice = choice_of(data, passages, questions, SplitName.DEV, seed, cache)
    shown(lambda watch: bench_quoting(choice, watch), as_json, as_markdown)


@app.command(name="verify-choices")
def verify_choices(
    data: Data,
    limit: Limit = None,
    cache: Cache = None,
    as_json: options.Json = False,
    as_markdown: Markdown = False,
) -> None:
    """What guard, context and windows of the verify stage gain and lose, on dev files.

    Example: python -m upheld_lab.fits verify-choices --data pack --markdown
    """
    from upheld_lab.bench.vectors import default_cache
    from upheld_lab.bench.verify.run import Choice
    from upheld_lab.fits.verify_choices import choices_of_shipped

    choice = Choice(data, cache or default_cache(), limit)
    shown(lambda watch: choices_of_shipped(choice, watch), as_json, as_markdown)


def _on_dev(
    bench: Callable[[Suite, Settings, Path, Watch], Coroutine[None, None, Report]],
    suite: str,
    data: Path,
    limit: int | None,
    passages: int,
    cache: Path | None,
) -> Callable[[Watch], Coroutine[None, None, Report]]:
    """A fit on dev questions of a suite."""
    from upheld.settings import load_settings
    from upheld_lab.bench.vectors import default_cache

    asked = _dev_suite(suite, data, limit, passages)
    settings, kept = load_settings(), cache or default_cache()
    return lambda watch: bench(asked, settings, kept, watch)


def _dev_suite(name: str, data: Path, limit: int | None, passages: int) -> Suite:
    from upheld_lab.bench.runs.questions import suite_of
    from upheld_lab.bench.split import Split
    from upheld_lab.training.grader.manuals import manual_suite

    if name == "own-manuals":
        return manual_suite(Path("/"))
    return suite_of(name, data, split=Split.DEV, limit=limit, passages=passages, seed=0)


def main() -> None:
    """Run one; our errors become one clear message and an exit code."""
    try:
        app()
    except UpheldError as error:
        show.complain(error)
        sys.exit(2 if isinstance(error, UsageError) else 1)


if __name__ == "__main__":
    main()

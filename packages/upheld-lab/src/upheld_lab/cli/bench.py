"""`upheld bench`: figures that anyone can make again."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from upheld.cli import options, show
from upheld.errors import UsageError
from upheld_lab.cli import bench_batch, bench_judge, bench_pages, bench_runs, bench_service
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

app = typer.Typer(
    no_args_is_help=True,
    help="Measure retrieval, verification, speed and the service on this machine.",
)

app.command()(bench_runs.run)
app.command()(bench_runs.score)
app.command()(bench_judge.judge)
app.command()(bench_pages.report)
app.command()(bench_pages.compare)
app.command()(bench_service.service)
app.command()(bench_batch.batch)


class HalfName(StrEnum):
    """Which half of the challenge to measure on."""

    DEV = "dev"
    TEST = "test"


@app.callback()
def benchmarks() -> None:
    """Measure retrieval, verification, speed and the service on this machine."""


@app.command()
def retrieval(
    data: Data,
    passages: Passages = "20000",
    questions: Questions = 300,
    split: Annotated[
        SplitName, typer.Option(help="Fit and read failures on dev; publish test.")
    ] = SplitName.TEST,
    seed: Seed = 0,
    cache: Cache = None,
    as_json: options.Json = False,
    as_markdown: Markdown = False,
) -> None:
    """Measure how often searches find the passage that answers, and whether the grader knows it.

    Examples:

        upheld bench retrieval --data pack --passages 20000 --questions 300 --json

        upheld bench retrieval --data pack --passages all --markdown > docs/results/retrieval.md
    """
    from upheld_lab.bench.retrieval.run import bench_local

    choice = choice_of(data, passages, questions, split, seed, cache)
    shown(lambda watch: bench_local(choice, watch), as_json, as_markdown)


@app.command()
def speed(seed: Seed = 0, as_json: options.Json = False, as_markdown: Markdown = False) -> None:
    """Measure the overhead of our layers over the bare engines, and of methods over their waits.

    On text that it makes itself, and for methods on fakes of fixed latency. Each figure comes with
    a control: if that leaves 0.95-1.05, the machine was too busy and the figure is void.

    Examples:

        upheld bench speed

        upheld bench speed --json
    """
    from upheld_lab.bench.costs.speed import Sizes, bench_speed

    report = shown(lambda watch: bench_speed(Sizes(), seed, watch), as_json, as_markdown)
    if any(row.get("void") for row in report.rows):
        show.err.print(
            Text.assemble(
                ("void:", "yellow"), " the control left 0.95-1.05; run it on a quieter machine"
            )
        )


@app.command()
def ingest(
    folder: Annotated[Path, typer.Argument(help="Folder of real files, such as a manual.")],
    files: Annotated[int, typer.Option(min=1, help="Limit of files, in order of names.")] = 1_000,
    as_json: options.Json = False,
    as_markdown: Markdown = False,
) -> None:
    """Index real files, beside the embedder run bare on the passages that they have.

    Examples:

        upheld bench ingest /usr/share/doc/postgresql-doc-15/html --files 300
    """
    from upheld_lab.bench.costs.ingest import bench_ingest

    shown(lambda watch: bench_ingest(folder, files, watch), as_json, as_markdown)


@app.command()
def growth(
    data: Data,
    sizes: Annotated[
        str, typer.Option(help="Numbers of passages, on a temporary folder.")
    ] = "10000,100000,1000000",
    s3: Annotated[
        str | None,
        typer.Option(metavar="s3://BUCKET/PREFIX", help="Object storage to grow on as well."),
    ] = None,
    s3_sizes: Annotated[
        str, typer.Option(help="Numbers of passages, on object storage.")
    ] = "10000,100000",
    real: Annotated[
        str, typer.Option(help="Passages that are embedded for real and then mixed, or 'all'.")
    ] = "20000",
    seed: Seed = 0,
    cache: Cache = None,
    as_json: options.Json = False,
    as_markdown: Markdown = False,
) -> None:
    """Measure building, searching, changing and memory as a collection grows.

    Texts are recombined from real passages and vectors mixed from two real ones, so that a million
    passages need no hours of embedding; questions are real. Every size is searched beside the bare
    engine. The keys of object storage come from the setting `storage` or from AWS_*.

    Examples:

        upheld bench growth --data pack --sizes 10000,100000 --json

        upheld bench growth --data pack --s3 s3://bucket/growth --markdown
    """
    from upheld.settings import load_settings
    from upheld_lab.bench.growth.run import Choice, bench_growth
    from upheld_lab.bench.vectors import default_cache

    choice = Choice(
        data,
        cache or default_cache(),
        folder_sizes=_numbers(sizes),
        s3_sizes=_numbers(s3_sizes) if s3 else (),
        s3_root=s3 or "",
        s3_options=load_settings().storage,
        real=None if real == "all" else _numbers(real)[0],
        seed=seed,
    )
    shown(lambda watch: bench_growth(choice, watch), as_json, as_markdown)


def _numbers(given: str) -> tuple[int, ...]:
    try:
        return tuple(int(each) for each in given.split(","))
    except ValueError as error:
        raise UsageError(f"{given!r} is not a list of numbers, such as 10000,100000.") from error


@app.command()
def calls(as_json: options.Json = False, as_markdown: Markdown = False) -> None:
    """Count each method's calls of the language model, beside its paper's count.

    The model is a script that counts: no figure depends on the machine.

    Examples:

        upheld bench calls --json

        upheld bench calls --markdown
    """
    from upheld_lab.bench.costs.calls import bench_calls

    shown(bench_calls, as_json, as_markdown)


@app.command()
def verify(
    data: Data,
    limit: Limit = None,
    llm: Annotated[
        str | None, typer.Option(help="A server whose model is asked as a judge, for comparison.")
    ] = None,
    model: options.LlmModel = None,
    scorer: Annotated[
        Path | None, typer.Option(help="Folder of the bench's own scorer, to compare with.")
    ] = None,
    speed: Annotated[
        bool, typer.Option(help="Measure speed as well, which needs an idle machine.")
    ] = True,
    cache: Cache = None,
    as_json: options.Json = False,
    as_markdown: Markdown = False,
) -> None:
    """Compare verdicts with human labels: ranking, calibration, guarantee; and measure speed.

    Judgements are kept in --cache: a run that was interrupted goes on where it stopped.

    Examples:

        upheld bench verify --data pack --json

        upheld bench verify --data pack --llm http://127.0.0.1:8080/v1 --model qwen2.5-1.5b
    """
    from upheld_lab.bench.vectors import default_cache
    from upheld_lab.bench.verify.local import bench_shipped
    from upheld_lab.bench.verify.run import Choice

    choice = Choice(data, cache or default_cache(), limit, speed=speed)
    shown(lambda watch: bench_shipped(choice, llm, model, scorer, watch), as_json, as_markdown)


@app.command()
def challenge(
    folder: Annotated[
        Path, typer.Argument(help="Folder of the challenge: true sentences and their false twins.")
    ],
    half: Annotated[
        HalfName, typer.Option(help="Read and fit on dev; measure test at a release.")
    ] = HalfName.DEV,
    as_json: options.Json = False,
    as_markdown: Markdown = False,
) -> None:
    """Verify true sentences and twins with one error: how many of each are called supported.

    Example: upheld bench challenge tests/data/challenge --markdown
    """
    from upheld_lab.bench.verify.challenge import Half, bench_challenge

    shown(lambda watch: bench_challenge(folder, Half(half.value), watch), as_json, as_markdown)


@app.command()
def prefix(
    llm: Annotated[
        str,
        typer.Option(metavar="URL", help="An OpenAI-compatible server that reports cached tokens."),
    ],
    model: Annotated[str, typer.Option(metavar="NAME", help="The model's name on that server.")],
    as_json: options.Json = False,
    as_markdown: Markdown = False,
) -> None:
    """Measure how much of verify and refine prompts comes from the server's prefix cache.

    Example: upheld bench prefix --llm http://127.0.0.1:8080/v1 --model qwen2.5-1.5b --json
    """
    from upheld_lab.bench.costs.prefix import Server, bench_prefix

    shown(lambda watch: bench_prefix(Server(llm, model), watch), as_json, as_markdown)

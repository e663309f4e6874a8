"""`upheld bench bearing`, `likely`, `bridges`: numbers of stages, fitted on dev questions."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from upheld.cli import options
from upheld_lab.cli.bench_output import Markdown, shown

if TYPE_CHECKING:
    from upheld.settings import Settings
    from upheld_lab.bench.report import Report, Watch
    from upheld_lab.bench.suites.suite import Suite

Cache = Annotated[Path | None, typer.Option(help="Where vectors are kept between runs.")]
Data = Annotated[Path, typer.Option(help="The folder of the data pack.")]
Limit = Annotated[int | None, typer.Option(min=1, help="At most so many questions of each set.")]
Passages = Annotated[int, typer.Option(min=1, help="That they are asked of.")]
Suites = Annotated[str, typer.Option("--suite", help="Its dev questions are asked.")]


def bearing(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")],
    as_json: options.Json = False,
    as_markdown: Markdown = False,
) -> None:
    """How the numbers were chosen by which `upheld` withholds what does not answer.

    Fitted on answers of `upheld` in runs on dev questions, from which nothing is withheld.

    Example: upheld bench bearing runs/short runs/abstain
    """
    from upheld_lab.bench.runs.bearing import bench_bearing

    shown(lambda watch: bench_bearing(runs, watch), as_json, as_markdown)


def likely(
    data: Data,
    suite: Suites = "short+hops",
    limit: Limit = None,
    passages: Passages = 20_000,
    cache: Cache = None,
    as_json: options.Json = False,
    as_markdown: Markdown = False,
) -> None:
    """How the numbers were chosen by which `upheld` picks the passages that it quotes.

    Example: upheld bench likely --data pack --limit 50
    """
    from upheld_lab.bench.runs.likely import bench_likely

    fit = _on_dev(bench_likely, suite, data, limit, passages, cache)
    shown(fit, as_json, as_markdown)


def bridges(
    data: Data,
    suite: Suites = "short+hops+bridges",
    limit: Limit = None,
    passages: Passages = 20_000,
    cache: Cache = None,
    as_json: options.Json = False,
    as_markdown: Markdown = False,
) -> None:
    """How the numbers were chosen by which `upheld` quotes what a passage names.

    Example: upheld bench bridges --data pack --limit 50
    """
    from upheld_lab.bench.runs.bridges import bench_bridges

    fit = _on_dev(bench_bridges, suite, data, limit, passages, cache)
    shown(fit, as_json, as_markdown)


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
    from upheld_lab.bench.runs.questions import suite_of
    from upheld_lab.bench.split import Split
    from upheld_lab.bench.vectors import default_cache

    asked = suite_of(suite, data, split=Split.DEV, limit=limit, passages=passages, seed=0)
    settings, kept = load_settings(), cache or default_cache()
    return lambda watch: bench(asked, settings, kept, watch)

"""`upheld bench service`: what the service costs, and how it holds under load."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer
from rich.text import Text

from upheld.cli import options, show
from upheld_lab.cli.bench_options import Markdown, shown


def service(
    requests: Annotated[
        int, typer.Option(min=10, help="Requests that are served while memory is watched.")
    ] = 5_000,
    quick: Annotated[
        bool, typer.Option("--quick", help="A short run to try the bench; its numbers mean little.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed for drawing documents and answers.")] = 0,
    as_json: options.Json = False,
    as_markdown: Markdown = False,
) -> None:
    """Measure the overhead of the service over the library, and its behaviour under overload.

    It starts a private PostgreSQL, a language model of fixed latency and real `upheld serve`
    processes, and asks them over HTTP from another process.

    Examples:

        upheld bench service --json

        upheld bench service --requests 1000 --markdown
    """
    options.need_service()
    from upheld_lab.bench.service.run import QUICK, Sizes, bench_service

    base = QUICK if quick else Sizes()
    sizes = replace(base, requests=requests)
    report = shown(lambda watch: bench_service(sizes, seed, watch), as_json, as_markdown)
    if any(row.get("void") for row in report.rows):
        show.err.print(
            Text.assemble(
                ("void:", "yellow"), " a control was out of range; run it on a quieter machine"
            )
        )

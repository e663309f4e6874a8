"""`upheld bench batch`: bulk work that is killed and continued, and what it costs."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer
from rich.text import Text

from upheld.cli import options, show
from upheld_lab.cli.bench_options import Markdown, Seed, shown


def batch(
    claims: Annotated[
        int, typer.Option(min=40, help="Distinct claims; a fifth of them is timed.")
    ] = 5_000,
    passages: Annotated[
        int, typer.Option(min=64, help="Passages that one and two workers embed, on Ray.")
    ] = 1_000,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of each comparison.")] = 3,
    on: Annotated[str, typer.Option("--on", metavar="PLACE", help="Where to do the work.")] = "ray",
    seed: Seed = 0,
    as_json: options.Json = False,
    as_markdown: Markdown = False,
) -> None:
    """Check many claims in bulk: beside the bare model, and killed three times.

    The claims are made, with a source of three sentences each. `upheld verify --batch` checks them
    as a process of its own, which is killed without warning and started again. On Ray, embedding
    with two workers is compared with one.

    Examples:

        upheld bench batch --json

        upheld bench batch --claims 60 --passages 64 --rounds 1 --on local:2
    """
    from upheld_lab.bench.batch.run import Sizes, bench_batch

    sizes = replace(Sizes(), claims=claims, passages=passages, rounds=rounds)
    report = shown(lambda watch: bench_batch(sizes, on, seed, watch), as_json, as_markdown)
    if any(row.get("void") for row in report.rows):
        show.err.print(
            Text.assemble(
                ("void:", "yellow"), " a control left 0.95-1.05; run it on a quieter machine"
            )
        )

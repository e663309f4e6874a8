"""`upheld plan`: what a size and a load would take, from measured rates."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from upheld.cli import options, show
from upheld.errors import UsageError


def plan(
    passages: Annotated[
        str, typer.Option(metavar="N", help="Passages of the collection, as 2000000 or 2e6.")
    ],
    qps: Annotated[float, typer.Option(min=0, help="Questions a second.")] = 1.0,
    method: Annotated[str, typer.Option(help="The method that answers them.")] = "upheld",
    cores: Annotated[int, typer.Option(min=1, help="Cores of a machine.")] = 8,
    memory: Annotated[int, typer.Option(min=1, help="GB of memory of a machine.")] = 32,
    prices: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Dated prices, in JSON; they say what a machine is."),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Print machines, storage and tokens for a collection, and the assumption behind each number.

    The rates were measured with `upheld bench`; the numbers are a start for a test of your own,
    not a promise.

    Examples:

        upheld plan --passages 1e6 --qps 10

        upheld plan --passages 1e9 --qps 100 --method rag --prices prices.json

        upheld plan --passages 200000 --json
    """
    from upheld_lab.plan import capacity
    from upheld_lab.plan.prices import read_prices
    from upheld_lab.plan.rates import shipped

    rates = shipped()
    if method not in rates.methods:
        raise UsageError(
            f"There are no measured rates of {method!r}.",
            help=f"There are some of {', '.join(rates.methods)}.",
        )
    given = read_prices(prices) if prices else None
    if given is not None:
        cores, memory = given.machine_cores, given.machine_memory_gb
    wanted = capacity.Wanted(_count(passages), qps, method, cores, memory)
    lines = capacity.plan(wanted, rates, given)
    if as_json:
        show.print_json(
            {"wanted": asdict(wanted), "lines": [asdict(each) for each in lines]}
            | {"machine": rates.machine, "made_by": rates.made_by}
        )
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("what")
    table.add_column("", justify="right", style="bold")
    table.add_column("unit")
    table.add_column("because", style="dim")
    for each in lines:
        table.add_row(each.what, _shown(each.value), each.unit, each.because)
    show.out.print(table)
    show.out.print(f"measured on: {rates.machine}", style="dim", markup=False)


def _count(text: str) -> int:
    try:
        count = int(float(text.replace(",", "").replace("_", "")))
    except (ValueError, OverflowError):
        count = 0
    if not 1 <= count <= 10**15:
        raise UsageError(f"--passages {text} is no number of passages.", help="As in 2e6.")
    return count


def _shown(value: float) -> str:
    if value >= 100 or value == round(value):
        return f"{value:,.0f}"
    return f"{value:,.3g}"

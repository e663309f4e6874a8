"""`upheld calibrate grader`: when what was found is good enough, and when to look elsewhere."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from upheld.cli import lab, options, show
from upheld.errors import UsageError

if TYPE_CHECKING:
    from upheld.calibration.grading import Case

Rows = Annotated[
    Path | None,
    typer.Argument(help='JSONL of your own: {"question": "…", "passage": "…", "relevant": true}.'),
]
Pack = Annotated[Path | None, typer.Option(help="Or the data pack, whose dev questions are taken.")]
Model = Annotated[Path | None, typer.Option(help="Folder with model.onnx and tokenizer.json.")]
Out = Annotated[Path | None, typer.Option(help="Where the thresholds are written, as fit.json.")]
Decide = Annotated[
    float, typer.Option(min=0, max=1, help="The share of questions that must get an action.")
]
Cache = Annotated[Path | None, typer.Option(help="Where vectors and grades are kept.")]


def calibrate_grader(
    rows: Rows = None,
    data: Pack = None,
    model: Model = None,
    out: Out = None,
    decide: Decide = 0.65,
    cache: Cache = None,
    as_json: options.Json = False,
) -> None:
    """Fit the scores above which evidence is used, and below which it is not.

    Every question counts twice: with all of its passages, and without those that are relevant.

    Examples:

        upheld calibrate grader passages.jsonl --out fit.json

        upheld calibrate grader --data pack --out models/grader/fit.json
    """
    from upheld.calibration.grading import fit_thresholds
    from upheld.retrieval.fitted_grade import GraderFit

    if (rows is None) == (data is None):
        raise UsageError("Give a file of graded passages, or --data with the data pack.")
    identity, cases = asyncio.run(_cases(rows, data, model, cache))
    found = fit_thresholds(cases, decide)
    if as_json:
        show.print_json(found)
    else:
        show.out.print(
            f"correct above {found.upper:.3f}, incorrect below {found.lower:.3f}: decides "
            f"{found.on.decided:.0%} of {found.on.cases} cases, balanced accuracy of the decided "
            f"{found.on.accuracy:.3f} (on the cases it was fitted on)"
        )
    if out is not None:
        told = f"{len(cases)} cases of {rows.name if rows else 'dev questions of the data pack'}"
        fit = GraderFit(
            grader=identity,
            upper=round(found.upper, 4),
            lower=round(found.lower, 4),
            fitted_on=told,
        )
        out.write_text(fit.model_dump_json(indent=2) + "\n", encoding="utf-8")


async def _cases(
    rows: Path | None, data: Path | None, model: Path | None, cache: Path | None
) -> tuple[str, list[Case]]:
    """The grader's name, and its best scores with and without what helps."""
    from upheld.calibration.grading import cases_of_file
    from upheld.resources.open import opened_grader

    async with opened_grader(model) as grader:
        if rows is not None:
            return grader.identity, await cases_of_file(rows, grader)
        cases_of_dev = lab.part("bench.retrieval.action_fit").cases_of_dev
        kept = cache or lab.part("bench.vectors").default_cache()
        with lab.part("bench.report").watching() as watch:
            found: list[Case] = await cases_of_dev(data or Path(), kept, grader, watch)
        return grader.identity, found

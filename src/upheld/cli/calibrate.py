"""`upheld calibrate`: labelled claims become a threshold with a guarantee.

`upheld calibrate grader`: when what was found is good enough, and when to look elsewhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text
from typer.core import TyperGroup

from upheld.calibration.fitted import FittedGuarantee, fitted_on, write_guarantee
from upheld.calibration.labelled import read_labels, the_pipeline
from upheld.cli import options, plugins, show
from upheld.errors import UsageError

if TYPE_CHECKING:
    from upheld.calibration.grading import Case
    from upheld.calibration.learn_then_test import Calibration, Step


Rows = Annotated[
    Path | None,
    typer.Argument(help='JSONL of your own: {"question": "…", "passage": "…", "relevant": true}.'),
]
Pack = Annotated[Path | None, typer.Option(help="Or the data pack; its dev questions are used.")]
Model = Annotated[Path | None, typer.Option(help="Folder with model.onnx and tokenizer.json.")]
Out = Annotated[Path | None, typer.Option(help="Where the thresholds are written, as fit.json.")]
Decide = Annotated[
    float, typer.Option(min=0, max=1, help="The share of questions that must get an action.")
]
Cache = Annotated[Path | None, typer.Option(help="Folder of cached vectors and grades.")]


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
    from upheld.retrieval.grade import GraderFit

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
        cases_of_dev = plugins.part("bench.retrieval.actions").cases_of_dev
        kept = cache or plugins.part("bench.vectors").default_cache()
        with plugins.part("bench.report").watching() as watch:
            found: list[Case] = await cases_of_dev(data or Path(), kept, grader, watch)
        return grader.identity, found


NOTHING_CERTIFIED = 3
_WIDTH = 50  # of the picture


class ClaimsUnlessNamed(TyperGroup):
    """`upheld calibrate labels.jsonl` is `upheld calibrate claims labels.jsonl`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # its type is private to typer
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["claims", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(cls=ClaimsUnlessNamed, no_args_is_help=True)
app.command(name="grader")(calibrate_grader)


@app.callback()
def calibrate() -> None:
    """Fit thresholds on labels: of the verifier, with a guarantee, or of the grader.

    Example: upheld calibrate labels.jsonl --out guarantee.json
    """


@app.command()
def claims(
    labels: Annotated[Path, typer.Argument(help="Labelled claims, as `upheld label` writes them.")],
    alpha: Annotated[
        float, typer.Option(help="At most this share of the claims shown as supported is not.")
    ] = 0.1,
    delta: Annotated[
        float, typer.Option(help="The guarantee fails with at most this probability.")
    ] = 0.1,
    out: Annotated[
        Path | None, typer.Option(help="Where the guarantee is written, for `ask`.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Fit the probability threshold that gives a guarantee, and show the claims it keeps.

    Exit codes: 0 certified, 3 nothing could be certified, 2 wrong usage.

    Examples:

        upheld calibrate labels.jsonl

        upheld calibrate labels.jsonl --alpha 0.2 --out guarantee.json
    """
    from upheld.calibration import learn_then_test

    labelled = read_labels(labels)
    pipeline = the_pipeline(labelled)
    found = learn_then_test.calibrate(
        [claim.shown_score for claim in labelled],
        [claim.supported for claim in labelled],
        clusters=[claim.cluster for claim in labelled],
        alpha=alpha,
        delta=delta,
    )
    if as_json:
        show.print_json(found)
    else:
        _show(found)
    if found.threshold is None:
        raise typer.Exit(NOTHING_CERTIFIED)
    if out is not None:
        fitted = FittedGuarantee(
            alpha=alpha,
            delta=delta,
            threshold=found.threshold,
            pipeline=pipeline,
            fitted_on=fitted_on(labels, found.claims),
        )
        write_guarantee(out, fitted)
        show.err.print(Text(f"written: {out}", style="dim"))


def _show(found: Calibration) -> None:
    if found.curve:
        show.out.print(_table(found))
        show.out.print()
        for line in picture(found.curve, found.alpha):
            show.out.print(line)
        show.out.print()
    show.out.print(guarantee(found) if found.threshold is not None else failure(found))


def _table(found: Calibration) -> Table:
    """The trade-off on the testing part: a laxer threshold keeps more and errs more."""
    title = f"{found.tested} claims tested, one a question"
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column("")
    for column in ("threshold", "kept", "not supported", "at most"):
        table.add_column(column, justify="right")
    for step in found.curve:
        certified = step.threshold == found.threshold
        table.add_row(
            "→" if certified else "",
            f"{step.threshold:.3f}",
            f"{step.kept_share:.0%} ({step.kept})",
            f"{step.error_share:.1%} ({step.errors})" if step.kept else "",
            f"{step.upper_bound:.1%}",
            style="bold green" if certified else None,
        )
    return table


def picture(curve: Sequence[Step], alpha: float) -> list[Text]:
    """A bar a step: what was seen to be wrong, up to where it may be, and the line at alpha."""
    widest = max(alpha * 2, *(step.error_share for step in curve), 0.01)
    line = min(_WIDTH - 1, round(alpha / widest * _WIDTH))
    lines = [Text(f"  kept   not supported █, at most ░, alpha {alpha:g} │", style="dim")]
    for step in curve:
        seen = round(step.error_share / widest * _WIDTH)
        bound = min(_WIDTH, round(step.upper_bound / widest * _WIDTH))
        bar = ("█" * seen + "░" * (bound - seen)).ljust(_WIDTH)
        drawn = Text(f"{step.kept_share:6.0%}   {bar[:line]}│{bar[line + 1 :]}".rstrip())
        drawn.stylize("green" if step.upper_bound <= alpha else "yellow", 9)
        lines.append(drawn)
    return lines


def guarantee(found: Calibration) -> Text:
    """The guarantee in plain words."""
    return Text.assemble(
        ("Certified: ", "bold green"),
        f"of the claims shown as supported with a probability of {found.threshold:.3f} or more, "
        f"at most {show.percent(found.alpha)} are not, with confidence "
        f"{show.percent(1 - found.delta)}. "
        f"That keeps {found.kept_share:.0%} of the claims; {found.errors} of the {found.kept} kept "
        f"in the test were not supported. {show.SPEAKS_OF}",
    )


def failure(found: Calibration) -> Text:
    """Why there is no guarantee, and what may help."""
    from upheld.calibration.learn_then_test import help_for, why_nothing

    told = f"{why_nothing(found)} {help_for(found)}"
    return Text.assemble(("Nothing could be certified. ", "bold yellow"), told)

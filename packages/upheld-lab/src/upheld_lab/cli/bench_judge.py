"""`upheld bench judge`: a language model says what it thinks of a run's answers."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from upheld.cli import options, show
from upheld.errors import UsageError
from upheld_lab.cli.bench_runs import going_on

if TYPE_CHECKING:
    from upheld_lab.bench.report import Watch
    from upheld_lab.bench.runs.judging import Judgements


def judge(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")],
    llm: options.LlmUrl = None,
    model: options.LlmModel = None,
    hours: Annotated[
        float | None, typer.Option(min=0, help="Start no question after this many hours.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Have a language model judge a run's answers, those to one question side by side.

    As CoV-RAG is evaluated: citation, correctness, truthfulness, bias, conciseness. The judge does
    not see which method wrote what. Each judgement is kept in RUN as it comes, so that the same
    command goes on after an interruption, or when the run has grown. Replies that cannot be used
    are counted, never scored. `upheld bench report RUN` then shows ranks and high-quality rate,
    with the judge's name.

    Example: upheld bench judge runs/tiny --llm http://127.0.0.1:8080/v1 --model qwen2.5-7b
    """
    from upheld.resources.open import open_llm
    from upheld.settings import load_settings
    from upheld_lab.bench import report
    from upheld_lab.bench.runs.judging import judge_run
    from upheld_lab.bench.runs.store import RunFolder
    from upheld_lab.bench.scores.judge import Judge

    folder = RunFolder(run)
    folder.manifest()  # a folder without a run is refused before a server is asked for
    settings = load_settings(llm_url=llm, llm_model=model)
    opened = open_llm(settings)
    if opened is None or settings.llm_model is None:
        raise UsageError(
            "A judge is a language model, and none is given.",
            help="As in --llm http://127.0.0.1:8080/v1 --model NAME.",
        )
    name = settings.llm_model

    async def judged(watch: Watch) -> Judgements:
        try:
            return await judge_run(folder, Judge(llm=opened), name, watch, hours)
        finally:
            await opened.close()

    with going_on(run), report.watching() as watch:
        made = asyncio.run(judged(watch))
    if as_json:
        show.print_json(made)
    else:
        _show(made)


def _show(made: Judgements) -> None:
    out = show.out
    judged = f"{made.judged} of {made.questions} questions judged by {made.judge}"
    out.print(f"{judged}; {made.failed} failed.", markup=False)
    if made.errors:
        out.print(f"The first failure: {made.errors[0]}", markup=False)
    if not made.complete:
        out.print("The time limit was reached: run the same command again to continue.")
    out.print(f"Next: upheld bench report {made.run}", markup=False, soft_wrap=True)

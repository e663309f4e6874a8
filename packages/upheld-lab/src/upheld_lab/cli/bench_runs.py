"""`upheld bench run` and `score`: every method on the same questions, kept as it goes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from upheld.cli import options, show
from upheld.errors import BulkError, LLMError, UsageError

if TYPE_CHECKING:
    from upheld.settings import Settings
    from upheld_lab.bench.report import Watch
    from upheld_lab.bench.runs.summary import Summary
    from upheld_lab.bench.scores.cost import Prices
    from upheld_lab.bench.split import Split
    from upheld_lab.bench.suites.suite import Suite

STOPPED = 130  # what shells call a command that was interrupted

Cache = Annotated[
    Path | None, typer.Option(help="Folder of indexes and judgements cached between runs.")
]
Scorer = Annotated[
    Path | None, typer.Option(help="Folder of the bench's own entailment model, for citations.")
]
PriceTable = Annotated[
    str | None,
    typer.Option(
        metavar="PROMPT,CACHED,COMPLETION", help="What a million tokens cost, for the column cost."
    ),
]


class Side(StrEnum):
    """Which side of the split rule is asked."""

    DEV = "dev"
    TEST = "test"


class Writer(StrEnum):
    """Who writes the answers when it is not a language model."""

    QUOTE = "quote"


def run(
    suite: Annotated[
        str | None,
        typer.Option(
            help="tiny ships with Upheld; short, hops, facets, abstain, conflict, poison, "
            "backbone, bridges and manuals are read from --data."
        ),
    ] = None,
    questions: Annotated[
        Path | None,
        typer.Option(help='Your own instead: lines of {"question": …, "answers": […]}; with --kb.'),
    ] = None,
    kb: options.Kb = None,
    collection: options.Collection = None,
    methods: Annotated[
        str,
        typer.Option(
            metavar="A,B,…",
            help="Methods, each with changes: rag:search=bm25+rerank=false; rag+gate abstains as "
            "upheld does.",
        ),
    ] = "rag,crag,upheld",
    llm: options.LlmUrl = None,
    model: options.LlmModel = None,
    writer: Annotated[
        Writer | None, typer.Option(help="Verbatim quotes, whatever the settings say.")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="The folder of the data pack.")] = None,
    split: Annotated[Side, typer.Option(help="Read failures on dev; publish test.")] = Side.TEST,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Limit of questions of each set.")
    ] = None,
    corpus: Annotated[str, typer.Option(help="Number of passages to search, or 'all'.")] = "20000",
    hours: Annotated[
        float | None, typer.Option(min=0, help="Start no question after this many hours.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed for drawing questions and distractors.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(metavar="RUN", help="Folder of the run.", show_default="runs/SUITE"),
    ] = None,
    parallel: Annotated[
        int, typer.Option(min=1, help="Questions at once; times are reliable only with 1.")
    ] = 1,
    on: options.On = None,
    shared: Annotated[
        bool,
        typer.Option(
            "--shared", help="Share the small models' results among methods: faster, but no times."
        ),
    ] = False,
    passages: Annotated[
        int | None, typer.Option(min=1, help="Passages that the writer is given.", show_default="5")
    ] = None,
    answer_tokens: Annotated[
        int | None,
        typer.Option(
            help="Limit of tokens in the text of a written answer: 495 for 3 claims, 315 for 2.",
            show_default="4 claims",
        ),
    ] = None,
    scorer: Scorer = None,
    prices: PriceTable = None,
    cache: Cache = None,
    as_json: options.Json = False,
) -> None:
    """Ask every method the same questions, and score what they answer.

    All methods answer a question before the next is asked, so that a run is fair wherever it is
    cut. Everything is kept in --out as it comes: a run that was interrupted goes on with the same
    command, and repeats no call to the language model. --limit and --hours may grow. With --on, all
    hosts must see --out, --cache and --kb under the same paths, and no times are reported.

    Examples:

        upheld bench run --suite tiny --writer quote

        upheld bench run --suite short --data pack --limit 100 --methods rag,rag:rerank=false,upheld

        upheld bench run --questions own.jsonl --kb kb --llm http://127.0.0.1:8080/v1 --model qwen

        upheld bench run --suite backbone --data pack --llm http://127.0.0.1:8080/v1 --model qwen
        --methods rag,upheld,fave:sessions=2 --passages 3 --hours 8
    """
    from upheld.settings import load_settings
    from upheld_lab.bench import report
    from upheld_lab.bench.runs.run import Plan, run
    from upheld_lab.bench.runs.summary import summary
    from upheld_lab.bench.runs.variants import for_suite, parse_variants
    from upheld_lab.bench.split import Split
    from upheld_lab.bench.vectors import default_cache

    variants = parse_variants(methods)
    settings = load_settings(
        kb=kb,
        collection=collection,
        llm_url=llm,
        llm_model=model,
        passages=passages,
        answer_tokens=answer_tokens,
    )
    if suite is not None and kb is not None:
        raise UsageError("A suite has its own passages: --kb goes with --questions.")
    if on is not None and parallel > 1:
        raise UsageError("--on says how many questions are asked at once: leave out --parallel.")
    side = Split(split.value)
    asked = _asked(suite, questions, data, side, limit, corpus, seed)
    plan = Plan(
        suite=asked,
        variants=for_suite(variants, asked.name),
        settings=_written_by(writer, llm, settings),
        out=out or Path("runs") / asked.name,
        cache=cache or default_cache(),
        split=side,
        seed=seed,
        limit=limit,
        parallel=parallel,
        on=on,
        shared=shared,
        hours=hours,
        scorer=scorer,
        prices=_prices(prices),
    )
    with going_on(plan.out), report.watching() as watch:
        folder = asyncio.run(run(plan, watch))
    made = summary(folder)
    if as_json:
        show.print_json(made)
    else:
        _show(made)


@contextmanager
def going_on(folder: Path) -> Iterator[None]:
    """Who is interrupted, or left by the server, is told how to go on."""
    goes_on = f"The results so far are in {folder}; run the same command again to continue."
    try:
        yield
    except KeyboardInterrupt:
        show.err.print(f"Stopped. {goes_on}")
        raise typer.Exit(STOPPED) from None
    except (BulkError, LLMError) as error:
        error.help = f"{error.help} {goes_on}".strip()
        raise


def score(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")],
    scorer: Scorer = None,
    prices: PriceTable = None,
    cache: Cache = None,
    as_json: options.Json = False,
) -> None:
    """Score a run again, without asking anything: by another model, or after a change of metrics.

    Example: upheld bench score runs/tiny --scorer models/scorer
    """
    from upheld.resources.open import open_verify
    from upheld.settings import load_settings
    from upheld_lab.bench import report
    from upheld_lab.bench.runs.scoring import open_judges, score_again
    from upheld_lab.bench.runs.store import RunFolder
    from upheld_lab.bench.vectors import default_cache

    run, table = RunFolder(folder), _prices(prices)
    run.manifest()  # a folder without a run is refused before models are opened
    verifier = open_verify(load_settings()).model

    async def scored(watch: Watch) -> int:
        async with open_judges(scorer, verifier, table, cache or default_cache()) as judges:
            return await score_again(run, judges, watch)

    with report.watching() as watch:
        count = asyncio.run(scored(watch))
    if as_json:
        show.print_json({"run": str(folder), "scored": count})
    else:
        show.out.print(f"{count} answers scored. Next: upheld bench report {folder}")


def _asked(
    suite: str | None,
    questions: Path | None,
    data: Path | None,
    split: Split,
    limit: int | None,
    corpus: str,
    seed: int,
) -> Suite:
    from upheld_lab.bench.runs.questions import suite_of
    from upheld_lab.bench.suites.choose import SUITES
    from upheld_lab.bench.suites.own import load_own

    if corpus != "all" and not (corpus.isdecimal() and int(corpus)):
        raise UsageError(f"--corpus is a number or 'all', not {corpus!r}.")
    if questions is not None and suite is None:
        return load_own(questions, limit=limit, seed=seed)
    if suite is None or questions is not None:
        raise UsageError(
            "Give either --suite, or --questions with --kb.", help=f"Suites: {', '.join(SUITES)}."
        )
    passages = None if corpus == "all" else int(corpus)
    return suite_of(suite, data, split=split, limit=limit, passages=passages, seed=seed)


def _written_by(writer: Writer | None, llm: str | None, settings: Settings) -> Settings:
    """Without the caches of the settings: replies that cost nothing would spoil the figures."""
    alone: dict[str, object] = {"call_cache": None}
    if writer is Writer.QUOTE:
        if llm is not None:
            raise UsageError("--writer quote asks no language model, but --llm names one.")
        alone |= {"llm_url": None, "llm_model": None, "judge": False}
    return settings.model_copy(update=alone)


def _prices(told: str | None) -> Prices | None:
    from upheld_lab.bench.scores.cost import Prices

    if told is None:
        return None
    try:
        prompt, cached, completion = map(float, told.split(","))
    except ValueError as error:
        raise UsageError(
            f"--prices {told} is not three numbers.", help="As in --prices 0.15,0.075,0.6."
        ) from error
    return Prices(prompt, cached, completion)


def _show(made: Summary) -> None:
    """How far it came, and what to do next."""
    out = show.out
    out.print(
        f"{made.finished} of {made.questions} questions by {len(made.variants)} methods; "
        f"{made.answers} answers, {made.degraded} of them with notes."
    )
    if made.errors:
        out.print(
            f"{len(made.errors)} ended in an error, the first: {made.errors[0]}", markup=False
        )
    if not made.complete:
        out.print("The time limit was reached: run the same command again to continue.")
    out.print(f"Kept in {made.run}. Next: upheld bench report {made.run}", soft_wrap=True)

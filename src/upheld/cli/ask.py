"""`upheld ask`: a question to a knowledge base."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Annotated, Any

import typer

from upheld.ask_options import AskOptions
from upheld.cli import options, show
from upheld.errors import UsageError
from upheld.run.budget import Budget
from upheld.types import SearchMode, Status

if TYPE_CHECKING:
    from upheld.cli.live import Screen

EXIT = {Status.ANSWERED: 0, Status.PARTIAL: 0, Status.ABSTAINED: 3, Status.FAILED: 1}


def ask(
    question: Annotated[str, typer.Argument(help="The question; - reads it from standard input.")],
    kb: options.Kb = None,
    collection: options.Collection = None,
    method: Annotated[
        str | None, typer.Option(help="How to answer: see `upheld methods`.", show_default="rag")
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(help="A named set of the method's parameters, for example `paper`."),
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Change a parameter of the method."),
    ] = None,
    llm: options.LlmUrl = None,
    model: options.LlmModel = None,
    search: Annotated[
        SearchMode | None, typer.Option(help="How passages are searched.", show_default="hybrid")
    ] = None,
    seconds: Annotated[float | None, typer.Option(min=0, help="Time limit in seconds.")] = None,
    llm_calls: Annotated[
        int | None, typer.Option(min=0, help="Limit of calls to the language model.")
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option("--label", help="Use documents with these labels, and those without labels."),
    ] = None,
    keep_supported: Annotated[
        bool, typer.Option("--keep-supported", help="Leave out sentences that no source supports.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", hidden=True, help="Deprecated: --keep-supported.")
    ] = False,
    judge: Annotated[
        bool, typer.Option("--judge", help="Ask the model about claims the verifier is unsure of.")
    ] = False,
    as_json: options.Json = False,
    trace: Annotated[bool, typer.Option("--trace", help="Show every step and its cost.")] = False,
) -> None:
    """Answer a question with citations and a verdict on every sentence.

    Without --llm, answers are verbatim quotes.

    Exit codes: 0 answered, 3 nothing to answer with, 1 failed, 2 wrong usage.

    Examples:

        upheld ask "When does the lighthouse open?" --kb kb

        upheld ask "Who keeps the keys?" --llm http://127.0.0.1:8000/v1 --model qwen2.5 --json

        upheld ask "Who keeps the keys?" --method crag --preset paper --set strips=off
    """
    text = sys.stdin.read() if question == "-" else question
    parameters = dict(map(_name_and_value, given or ()))
    chosen: dict[str, Any] = {
        "kb": kb,
        "collection": collection,
        "llm_url": llm,
        "llm_model": model,
        "search": search,
        "judge": judge or None,  # not given: as the settings say
    }
    from upheld.client import check_request

    # Before models load, which takes seconds.
    check_request(text, method, preset, parameters, **chosen)
    with _watching(as_json) as screen, options.opened(**chosen) as opened:
        answer = opened.ask(
            text,
            method=method,
            preset=preset,
            parameters=parameters,
            budget=Budget(seconds=seconds, llm_calls=llm_calls),
            labels=label,
            keep_supported=keep_supported or strict,
            options=AskOptions(listener=None if screen is None else screen.ended, watch=screen),
        )
    if as_json:
        show.print_json(answer)
    else:
        show.show_answer(answer)
        if trace:
            show.show_trace(answer.trace)
    raise typer.Exit(EXIT[answer.status])


def _watching(as_json: bool) -> AbstractContextManager[Screen | None]:
    """A screen that shows the run, on a terminal; nothing elsewhere, nor for machines."""
    if as_json or not show.err.is_terminal:
        return nullcontext()
    from upheld.cli.live import watching

    return watching(show.err)


def _name_and_value(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise UsageError(
            f"--set {text} has no value.", help="Give --set NAME=VALUE, as in --set sessions=4."
        )
    return name.strip(), value.strip()

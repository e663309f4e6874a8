"""What people see: claims in the colours of their verdicts, traces, errors with what to do."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from upheld._internal.terminal import SafeConsole, on_one_line, printable_json
from upheld._internal.to_json import to_json
from upheld.errors import UpheldError
from upheld.types import (
    Answer,
    Cause,
    Citation,
    Claim,
    Conflict,
    Event,
    Guarantee,
    Passage,
    Status,
    Support,
)

out: Console = SafeConsole()
err: Console = SafeConsole(stderr=True)

LOOK = {
    Support.SUPPORTED: ("✓", "green"),
    Support.CONTRADICTED: ("✗", "red"),
    Support.UNSUPPORTED: ("?", "yellow"),
    Support.NOT_CHECKED: ("·", "cyan"),
    Support.NOT_CHECKWORTHY: (" ", "dim"),
}

# What a guarantee is certified for, wherever it is told.
SPEAKS_OF = (
    "It holds for one claim drawn from each answer, by this pipeline, to questions like these."
)


def print_json(value: Any) -> None:
    """One object, the same as the HTTP body."""
    print(printable_json(json.dumps(to_json(value), ensure_ascii=False, indent=2)))


def complain(error: UpheldError) -> None:
    """An error and what to do about it."""
    first, *rest = str(error).split("\n")
    err.print(Text.assemble(("error: ", "bold red"), first))
    if error.detail:
        err.print(Text(error.detail))
    for line in rest:
        err.print(Text(line, style="dim"))


def show_answer(answer: Answer) -> None:
    """Every claim with its verdict and the words that decided, the sources, and what was amiss."""
    # Here, so that errors and help are shown at once.
    from upheld.answer.render import in_words, numbered

    if answer.status in (Status.ABSTAINED, Status.FAILED):
        out.print(Text(answer.text, style="yellow"))
    if how_sure := in_words(answer.p_right, answer.doubtful):
        out.print(Text(how_sure, style="yellow" if answer.doubtful else "dim"))
    numbers = numbered(passage.id for passage in answer.sources)
    for claim in answer.claims:
        show_claim(claim, numbers)
    for conflict in answer.conflicts:
        out.print(_conflict(conflict, numbers))
    if answer.sources:
        out.print()
        for number, passage in enumerate(answer.sources, start=1):
            out.print(_source(number, passage, answer.claims), soft_wrap=True)
    show_summary(answer.claims, answer.degraded)
    supported = any(claim.verdict.support is Support.SUPPORTED for claim in answer.claims)
    if answer.guarantee is not None and supported:
        out.print(_guarantee_text(answer.guarantee))


def _conflict(conflict: Conflict, numbers: Mapping[str, int]) -> Text:
    """Two sources that disagree, word for word: the reader has to weigh them."""
    from upheld.answer.render import marks

    one, other = (
        f"“{_one_line(each.quote)}” {marks([each], numbers)}"
        for each in (conflict.one, conflict.other)
    )
    return Text(f"⚡ The sources disagree: {one} — {other}", style="yellow")


def show_claim(claim: Claim, numbers: Mapping[str, int]) -> None:
    """A claim in the colour of its verdict, its marks as mended, and under it why."""
    from upheld.answer.render import marks
    from upheld.answer.verdicts import fix_citations

    verdict = claim.verdict
    sign, colour = LOOK[verdict.support]
    line = Text(f"{sign} {_one_line(claim.text)}", style=colour)
    own, mended = marks(claim.citations, numbers), marks(fix_citations(claim).citations, numbers)
    if own and mended != own:  # [1→2]: what is struck out must be seen without colours too
        line.append(f" {own[:-1]}", style="bold strike")
        line.append(f"→{mended[1:]}", style="bold green")
    elif mended:
        line.append(f" {mended}", style="bold" if own else "bold green")
    # That a quote is a quote is not a matter of probability.
    if verdict.probability is not None and verdict.cause is not Cause.QUOTED:
        line.append(f" {verdict.probability:.2f}", style="dim")
    out.print(line)
    for told, style, citation in _words(claim):
        words = Text.assemble((told, style), (f" {marks([citation], numbers)}", "dim"))
        out.print(Padding(words, (0, 0, 0, 4)))
    if verdict.support not in (Support.SUPPORTED, Support.NOT_CHECKWORTHY):
        out.print(Padding(Text(verdict.reason, style="dim"), (0, 0, 0, 4)))


def _words(claim: Claim) -> Iterator[tuple[str, str, Citation]]:
    """The words that decided, for and against; where nothing did, those that the claim cites."""
    verdict = claim.verdict
    for citation in verdict.evidence_for[:1]:
        quote = _one_line(citation.quote)
        same = quote == _one_line(claim.text)
        yield "word for word in" if same else f"“{quote}”", "dim italic", citation
    for citation in verdict.evidence_against[:1]:
        yield f"≠ “{_one_line(citation.quote)}”", "red italic", citation
    for citation in claim.citations:
        if verdict.support is Support.NOT_CHECKED and citation.quote:
            yield f"cites “{_one_line(citation.quote)}”", "dim italic", citation


def _one_line(text: str) -> str:
    return " ".join(text.split())


def show_summary(claims: Sequence[Claim], degraded: Sequence[str]) -> None:
    """What was amiss, and how many claims have which verdict."""
    for label in degraded:
        out.print(Text(f"note: {label}", style="yellow"))
    counts = Counter(claim.verdict.support for claim in claims)
    told = [
        Text(f"{sign} {counts[support]} {support.value.replace('_', ' ')}".strip(), style=colour)
        for support, (sign, colour) in LOOK.items()
        if counts[support]
    ]
    if told:
        out.print(Text("  ").join(told))


def _guarantee_text(guarantee: Guarantee) -> Text:
    """The guarantee in plain words."""
    return Text(
        f"Of the claims shown as supported, at most {percent(guarantee.alpha)} are not, with "
        f"confidence {percent(1 - guarantee.delta)} (fitted on {guarantee.fitted_on}). "
        f"{SPEAKS_OF}",
        style="dim",
    )


def percent(share: float) -> str:
    """`10%`, with as many digits as it takes."""
    return f"{share * 100:g}%"


def _source(number: int, passage: Passage, claims: Sequence[Claim]) -> Text:
    """A source and the exact places in it that were cited, or that speak against a claim."""
    cited = sorted(
        {
            (citation.start, citation.end, citation.page, citation.heading_path)
            for claim in claims
            for citation in (*claim.citations, *claim.verdict.evidence_against)
            if citation.passage_id == passage.id
        },
        key=lambda each: each[:2],
    )
    places = dict.fromkeys(_place(page, path) for _, _, page, path in cited)
    spans = dict.fromkeys(f"{start}–{end}" for start, end, _, _ in cited)
    return Text.assemble(
        (f"[{number}] ", "bold"),
        on_one_line(passage.title or passage.uri),
        (f" — {place}" if (place := "; ".join(filter(None, places))) else "", "dim"),
        (f"  {on_one_line(passage.uri)}, characters {', '.join(spans)}", "dim"),
    )


def _place(page: int | None, heading_path: Sequence[str]) -> str:
    """`Costs › Travel, page 3`: the headings and the page of quoted words."""
    headings = " › ".join(heading_path)
    return ", ".join(filter(None, (headings, f"page {page}" if page else "")))


def show_trace(events: tuple[Event, ...]) -> None:
    """The run as a tree of steps with time and cost."""
    table = Table(title="trace", title_justify="left", box=None, pad_edge=False)
    for column in ("step", "start", "seconds", "LLM calls", "tokens", "cached", "note"):
        table.add_column(column)
    depth: dict[int | None, int] = {None: -1}
    for event in events:
        depth[event.id] = depth.get(event.parent, -1) + 1
        table.add_row(
            "  " * depth[event.id] + event.stage,
            f"{event.start:.3f}",
            f"{event.seconds:.3f}",
            str(event.usage.requests or ""),
            str(event.usage.tokens or ""),
            str(event.usage.cached_tokens or ""),
            Text(event.error, style="red") if event.error else event.note,
        )
    out.print(table)

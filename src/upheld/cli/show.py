"""What people see: answers with their quotes, colours by verdict, errors with what to do."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from upheld.errors import UpheldError
from upheld.plain import plain
from upheld.stages.render import marks
from upheld.types import Answer, Claim, Event, Passage, Status, Support

out = Console()
err = Console(stderr=True)

LOOK = {
    Support.SUPPORTED: ("✓", "green"),
    Support.CONTRADICTED: ("✗", "red"),
    Support.UNSUPPORTED: ("?", "yellow"),
    Support.NOT_CHECKED: ("·", "cyan"),
    Support.NOT_CHECKWORTHY: (" ", "dim"),
}


def print_json(value: Any) -> None:
    """One object, the same as the HTTP body."""
    print(json.dumps(plain(value), ensure_ascii=False, indent=2))


def complain(error: UpheldError) -> None:
    """An error and what to do about it."""
    first, *rest = str(error).split("\n")
    err.print(Text.assemble(("error: ", "bold red"), first))
    for line in rest:
        err.print(Text(line, style="dim"))


def show_answer(answer: Answer) -> None:
    """The answer, a quote under each claim, and the sources."""
    if answer.status in (Status.ABSTAINED, Status.FAILED):
        out.print(Text(answer.text, style="yellow"))
    for claim in answer.claims:
        _show_claim(claim, answer.sources)
    if answer.sources:
        out.print()
        for number, passage in enumerate(answer.sources, start=1):
            out.print(_source(number, passage, answer.claims), soft_wrap=True)
    for label in answer.degraded:
        out.print(Text(f"note: {label}", style="yellow"))
    if any(claim.verdict.support is Support.NOT_CHECKED for claim in answer.claims):
        out.print(Text("· not checked: no verifier has looked at these claims", style="cyan"))


def _show_claim(claim: Claim, sources: tuple[Passage, ...]) -> None:
    sign, colour = LOOK[claim.verdict.support]
    line = Text.assemble((f"{sign} ", colour), claim.text, " ", (marks(claim, sources), "bold"))
    out.print(line)
    for citation in claim.citations:
        quote = " ".join(citation.quote.split())
        if quote != claim.text:
            out.print(Padding(Text(f"“{quote}”", style="dim italic"), (0, 0, 0, 4)))


def _source(number: int, passage: Passage, claims: tuple[Claim, ...]) -> Text:
    """A source and the exact places in it that were cited."""
    place = " › ".join(passage.heading_path)
    page = f", page {passage.page}" if passage.page else ""
    spans = sorted(
        {
            (citation.start, citation.end)
            for claim in claims
            for citation in claim.citations
            if citation.passage_id == passage.id
        }
    )
    cited = ", ".join(f"{start}–{end}" for start, end in spans)
    return Text.assemble(
        (f"[{number}] ", "bold"),
        passage.title or passage.uri,
        (f" — {place}" if place else "", "dim"),
        (f"{page}  {passage.uri}, characters {cited}", "dim"),
    )


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
            Text(event.error, style="red") if event.error else escape(event.note),
        )
    out.print(table)

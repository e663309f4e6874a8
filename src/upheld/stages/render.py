"""Render: a draft becomes an answer, its text with marks and its claims with their places in it."""

from __future__ import annotations

from dataclasses import replace

from upheld.trace import Run
from upheld.types import Answer, Claim, Draft, Passage, Status, located, new_id, unique_passages

NOTHING_WRITTEN = {
    Status.ABSTAINED: "The documents do not answer this question.",
    Status.FAILED: "No answer could be written.",
}


def render(draft: Draft, *, method: str, run: Run, status: Status | None = None) -> Answer:
    """Number the cited passages in order of first use and set marks after each claim.

    Claims keep line breaks of their source out of the text: a sentence is shown on one line.
    """
    said = tuple(claim for claim in draft.claims if claim.text.strip())
    known = located(draft.evidence.passages)
    cited = unique_passages(
        known[citation.passage_id]
        for claim in said
        for citation in claim.citations
        if citation.passage_id in known
    )
    text, claims = _lay_out(said, cited)
    if not said and status is not Status.FAILED:
        status = Status.ABSTAINED
    return Answer(
        id=new_id(),
        question=draft.question.text,
        status=status or Status.ANSWERED,
        method=method,
        text=text if status is None or said else NOTHING_WRITTEN[status],
        claims=claims,
        sources=cited,
        degraded=tuple(dict.fromkeys((*run.degraded, *draft.notes))),
        usage=run.meter.used,
        trace=tuple(sorted(run.events, key=lambda event: event.id)),
    )


def marks(claim: Claim, sources: tuple[Passage, ...]) -> str:
    """`[1][3]`: 1-based places of the claim's citations in the sources."""
    place = {passage.id: number for number, passage in enumerate(sources, start=1)}
    numbers = sorted({place[c.passage_id] for c in claim.citations if c.passage_id in place})
    return "".join(f"[{number}]" for number in numbers)


def _lay_out(
    claims: tuple[Claim, ...], sources: tuple[Passage, ...]
) -> tuple[str, tuple[Claim, ...]]:
    text, placed = "", []
    for claim in claims:
        shown = " ".join(claim.text.split())
        text += " " if text else ""
        placed.append(replace(claim, text=shown, start=len(text), end=len(text) + len(shown)))
        mark = marks(claim, sources)
        text += f"{shown} {mark}" if mark else shown
    return text, tuple(placed)

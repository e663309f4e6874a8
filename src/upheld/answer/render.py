"""Render a draft as an answer: text with marks, and claims with their positions in it.

With `keep_supported`, claims that no source supports are left out and counted. Greetings and
questions stay, since they state nothing. Headings, hedges and remarks about the documents are left
out: they need no check, but no source supports them either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from upheld.run.trace import Run
from upheld.text.marks import indexed_words, without_marks
from upheld.types import (
    Answer,
    Cause,
    Citation,
    Claim,
    Draft,
    Guarantee,
    Passage,
    Status,
    Support,
    located,
    new_id,
    unique_passages,
)

_HARMLESS = (Cause.GREETING, Cause.QUESTION, Cause.NO_WORDS)


def supported_only(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """Return supported claims, greetings and questions; empty if no claim is supported."""
    if not any(claim.verdict.support is Support.SUPPORTED for claim in claims):
        return ()
    return tuple(filter(_passes, claims))


def left_out(claims: Sequence[Claim]) -> tuple[str, ...]:
    """Return a note on the claims that `keep_supported` left out: how many, with which verdicts."""
    counts = Counter(claim.verdict.support for claim in claims if not _passes(claim))
    if not counts:
        return ()
    verdicts = ", ".join(f"{n} {verdict.value.replace('_', ' ')}" for verdict, n in counts.items())
    total = counts.total()
    told = (
        "1 claim was not upheld and is" if total == 1 else f"{total} claims were not upheld and are"
    )
    return (f"keep_supported: {told} left out ({verdicts})",)


def _passes(claim: Claim) -> bool:
    verdict = claim.verdict
    return verdict.support is Support.SUPPORTED or (
        verdict.support is Support.NOT_CHECKWORTHY and verdict.cause in _HARMLESS
    )


NOTHING_WRITTEN = {
    Status.ABSTAINED: "The documents do not answer this question.",
    Status.FAILED: "No answer could be written.",
}
NOTHING_UPHELD = "No sentence of the answer could be upheld by the documents."
# Below this P(right) an answer is shown as doubtful: docs/decisions/030-choosing-the-sentence.md
DOUBTFUL_BELOW = 0.55


def in_words(p_right: float | None, doubtful: bool) -> str:
    """Say how probably an answer answers the question; nothing if that is not known.

    >>> in_words(0.82, doubtful=False)
    'This probably answers the question (0.82).'
    """
    if p_right is None:
        return ""
    if doubtful:
        return f"It is doubtful whether this answers the question ({p_right:.2f})."
    return f"This probably answers the question ({p_right:.2f})."


def render(
    draft: Draft,
    *,
    method: str,
    run: Run,
    status: Status | None = None,
    keep_supported: bool = False,
    pipeline: str = "",
    guarantee: Guarantee | None = None,
) -> Answer:
    """Number the cited passages in order of first use and put marks after each claim.

    Each claim is shown on one line, without the line breaks of its source.
    """
    written = _written(draft)
    said = supported_only(written) if keep_supported else written
    sources = _sources(said, draft.evidence.passages)
    text, claims = _lay_out(said, numbered(source.id for source in sources))
    status = status or Status.ANSWERED
    if not said:
        status = status if status is Status.FAILED else Status.ABSTAINED
        text = NOTHING_UPHELD if written else NOTHING_WRITTEN[status]
    notes = (*draft.notes, *(left_out(written) if keep_supported else ()))
    # The writer's own estimate is of all its sentences, and may rest on one that was left out.
    estimate = draft.p_right if said == written else None
    p_right = p_right_of(replace(draft, claims=said, p_right=estimate)) if said else None
    return Answer(
        id=new_id(),
        question=draft.question.text,
        status=status,
        method=method,
        text=text,
        claims=claims,
        sources=sources,
        conflicts=draft.conflicts,
        guarantee=guarantee,
        pipeline=pipeline,
        degraded=tuple(dict.fromkeys((*run.degraded, *notes))),
        usage=run.meter.used,
        trace=tuple(sorted(run.events, key=lambda event: event.id)),
        p_right=p_right,
        doubtful=p_right is not None and p_right < DOUBTFUL_BELOW,
    )


def p_right_of(draft: Draft) -> float | None:
    """Return the probability that a draft answers the question; None if nothing is known of it.

    A writer of quotes estimates it by itself. Otherwise it is that of the best claim: P(support)
    times relevance, which was fitted on right and wrong answers.
    """
    if draft.p_right is not None:
        return draft.p_right
    known = [
        (1.0 if claim.verdict.cause is Cause.QUOTED else claim.verdict.probability or 0.0)
        * claim.relevance
        for claim in draft.claims
        if claim.relevance is not None and claim.verdict.support is Support.SUPPORTED
    ]
    return max(known, default=None)


def laid_out(draft: Draft, *, keep_supported: bool) -> tuple[Claim, ...]:
    """Return the claims of a checked draft as `render` does; more claims do not change them."""
    said = supported_only(_written(draft)) if keep_supported else _written(draft)
    sources = _sources(said, draft.evidence.passages)
    return _lay_out(said, numbered(source.id for source in sources))[1]


def _written(draft: Draft) -> tuple[Claim, ...]:
    return tuple(claim for claim in draft.claims if without_marks(claim.text).strip())


def numbered(ids: Iterable[str]) -> dict[str, int]:
    """Return the mark number of each source: its first position, counted from one."""
    numbers: dict[str, int] = {}
    for number, each in enumerate(ids, start=1):
        numbers.setdefault(each, number)
    return numbers


def marks(citations: Iterable[Citation], numbers: Mapping[str, int]) -> str:
    """Return the marks of the cited passages, such as `[1][3]`."""
    cited = {numbers[each.passage_id] for each in citations if each.passage_id in numbers}
    return "".join(f"[{number}]" for number in sorted(cited))


def _sources(claims: Sequence[Claim], passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return cited passages in order of first use, then those that only a verdict refers to."""
    known = located(passages)
    cited = [each for claim in claims for each in claim.citations]
    pointed_at = [
        each
        for claim in claims
        for each in (*claim.verdict.evidence_for, *claim.verdict.evidence_against)
    ]
    return unique_passages(
        known[each.passage_id] for each in (*cited, *pointed_at) if each.passage_id in known
    )


def _lay_out(claims: Sequence[Claim], numbers: Mapping[str, int]) -> tuple[str, tuple[Claim, ...]]:
    text, placed = "", []
    for claim in claims:
        # Marks that a source has itself would look like ours; `argv[1]` is none.
        shown = " ".join(without_marks(claim.text, indexed_words(claim.text)).split())
        text += " " if text else ""
        placed.append(replace(claim, text=shown, start=len(text), end=len(text) + len(shown)))
        mark = marks(claim.citations, numbers)
        text += f"{shown} {mark}" if mark else shown
    return text, tuple(placed)

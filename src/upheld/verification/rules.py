"""Consistency rules: vetoes against claims whose figures, names or assertion a premise lacks.

A rule never supports a claim, it can only veto it. Whatever the model's score for "2,430 visitors",
a premise that says 2,340 does not support it; nor does "It is false that X" support X.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from upheld.text import figures, names
from upheld.text.assertion import Unasserted, carries
from upheld.text.words import terms
from upheld.types import Cause
from upheld.verification.source import Premise, Source
from upheld.verification.table_rows import other_rows

_NEAR = 0.5  # share of the claim's terms in a sentence that the claim is about
_AS_NEAR = 0.8  # share of those that another sentence needs to state the claim as well


@dataclass(frozen=True, slots=True)
class Veto:
    """Why a premise does not support a claim."""

    cause: Cause
    reason: str
    missing: int = 1  # how many figures or names the premise lacks
    of_other_row: bool = False  # the figures are there, and say something about something else


@dataclass(frozen=True, kw_only=True)
class ConsistencyRules:
    """Checks a claim against a premise; each rule can be switched off, to measure its effect."""

    check_figures: bool = True
    check_names: bool = True
    check_voice: bool = True

    def __call__(self, claim: str, premise: Premise) -> Veto | None:
        """Return a veto, or None if the premise may support the claim.

        Figures must be in the premise itself; names may be anywhere in its passages, because "it"
        and "she" refer to names far above, but nothing refers to a figure like that.
        """
        known = (part.source.names for part in premise.parts)
        if self.check_names and (missing := names.absent(claim, *known)):
            return _absent(Cause.NAME_ABSENT, "name", missing)
        if self.check_voice and (found := _put_off(claim, premise)) is not None:
            source, words = found
            shown = " ".join(source.text[words.start : words.end].split())
            reason = f"in its source this is {words.assertion.value}: “{shown}”"
            return Veto(Cause.NOT_ASSERTED, reason)
        if self.check_figures and (missing := figures.absent(claim, figures.values(premise.text))):
            return _absent(Cause.FIGURE_ABSENT, "figure", missing)
        if self.check_figures and (elsewhere := _in_other_rows(claim, premise)):
            reason = f"only another row of the table has the figure {_listed(elsewhere)}"
            return Veto(Cause.FIGURE_ABSENT, reason, len(elsewhere), of_other_row=True)
        return None


def _absent(cause: Cause, kind: str, missing: Sequence[str]) -> Veto:
    return Veto(cause, f"no source has the {kind} {_listed(missing)}", len(missing))


def _listed(values: Sequence[str]) -> str:
    return ", ".join(f"“{each}”" for each in dict.fromkeys(values))


def _in_other_rows(claim: str, premise: Premise) -> Sequence[str]:
    """Return the figures that only rows of tables have that the claim is not about."""
    text = premise.text
    for part in premise.parts:
        for row in other_rows(claim, part.source.table_rows):
            text = text.replace(row, "")
    return () if text == premise.text else figures.absent(claim, figures.values(text))


def _put_off(claim: str, premise: Premise) -> tuple[Source, Unasserted] | None:
    """Return the source's words closest to the claim if none of the close sentences asserts it."""
    if not any(part.source.unasserted for part in premise.parts):
        return None
    told = terms(claim)
    every = [
        (source, span, len(told & terms(source.text[slice(*span)])))
        for part in premise.parts
        for source in (part.source,)
        for span in source.inside(part.spans)
    ]
    nearest = max((shared for _, _, shared in every), default=0)
    if nearest < _NEAR * len(told) or not nearest:
        return None
    found: tuple[Source, Unasserted] | None = None
    for source, span, shared in every:
        if shared < _AS_NEAR * nearest:
            continue
        words = source.unasserted.get(span)
        if (
            words is None
            or not _about(told, source, span, words)
            or carries(claim, words.assertion)
        ):
            return None  # this sentence asserts the claim
        found = found or (source, words)
    return found


def _about(told: frozenset[str], source: Source, span: tuple[int, int], words: Unasserted) -> bool:
    """Return whether at least half of the terms that claim and sentence share are not asserted."""
    shared = told & terms(source.text[slice(*span)])
    inside = shared & terms(source.text[words.start : words.end])
    return len(inside) * 2 >= len(shared)
